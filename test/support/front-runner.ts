import { expect } from "chai";
import { TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";

/**
 * From now on somebody who is none of its relayers sends each call of a city just before the city does, or those that it cares for. Returns the
 * names of those that the chain took from it.
 */
export function sendFirst({ sender, chain, society }: City, cares: (what: string) => boolean = () => true): readonly string[] {
  const first: string[] = [];
  const { account } = memberOf(society, "deployer");
  const sendMany = sender.sendMany.bind(sender);
  sender.sendMany = async (intents) => {
    for (const { intent, to, data, what = "" } of intents) {
      if (to === undefined || data === undefined || !cares(what)) continue;
      const key = intentKey("first", intent, chain.head().hash);
      await sendMany([{ intent: key, to, data, account, what }]).then(
        () => first.push(what),
        (error: unknown) => expect(error).to.be.instanceOf(TransactionReverted),
      );
    }
    return sendMany(intents);
  };
  return first;
}
