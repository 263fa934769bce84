import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { Sender } from "../../orchestrator/chain/sender.ts";
import type { LogInput } from "../../orchestrator/records/log.ts";
import { counterCode } from "../chain/counter.ts";

/** Deploys the counter, counts once alone and three times in one block. */
export async function runSteps(sender: Sender<LogInput>): Promise<`0x${string}`> {
  const note = (name: string) => ({ kind: "test.sent", subjects: [name] });
  const { contractAddress } = await sender.send({ intent: intentKey("deploy"), data: counterCode, note: note("deploy") });
  if (contractAddress === null || contractAddress === undefined) throw new Error("no contract");
  await sender.send({ intent: intentKey("one"), to: contractAddress, note: note("one") });
  await sender.sendMany(["two", "three", "four"].map((name) => ({ intent: intentKey(name), to: contractAddress, note: note(name) })));
  return contractAddress;
}
