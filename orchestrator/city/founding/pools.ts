import { intentKey } from "../../chain/outbox.ts";
import type { CityClient } from "../../client/client.ts";
import type { Address } from "../../primitives/hex.ts";
import type { Founding } from "./found-city.ts";
import { signPermit } from "./permit.ts";
import { type Member, memberOf, membersOf } from "./society.ts";

/** Seconds of chain time that a permit given here holds. */
const VALIDITY = 86_400;
/** Wei for managers and principals, who send their pool calls themselves. */
const GAS = 10n ** 18n;

/** Opens a pool for each manager of the society and admits its members. Every step is idempotent. */
export async function openPools({ society, sender, chain, progress }: Founding, client: CityClient): Promise<void> {
  const { account: deployer } = memberOf(society, "deployer");
  const fuel = (to: Address) =>
    sender.send({ intent: intentKey("genesis", "gas", to), to, value: GAS, account: deployer, what: "gas for a stake pool" });
  for (const { name, account: manager } of membersOf(society, "manager")) {
    await fuel(manager.address);
    const opened = await client.pools.openPool([], { intent: intentKey("genesis", "pool", name), account: manager });
    const [event] = opened === undefined ? [] : client.pools.events(opened, "PoolOpened");
    if (event === undefined) throw new RangeError(`${name} opened no pool`);
    const { pool } = event.args;
    const participants = membersOf(society, "producer").filter((member) => member.pool?.manager === name);
    for (const member of participants) {
      const { account: principal } = principalOf(society, member);
      await fuel(principal.address);
      const agent = member.account.address;
      await client.pools.admit([pool, agent], { intent: intentKey("genesis", "admit", name, agent), account: manager });
      const amount = member.pool?.contribution ?? 0n;
      const deadline = Number(chain.clock.now()) + VALIDITY;
      const permit = await signPermit(client, principal, client.pools.address, amount, deadline);
      await client.token.permit(permit, { intent: intentKey("genesis", "permit", name, agent) });
      await client.pools.join([pool, agent, amount], { intent: intentKey("genesis", "join", name, agent), account: principal });
    }
    progress(`${name} opened stake pool ${pool} with ${participants.length} participants`);
  }
}

function principalOf(society: readonly Member[], { name, principal }: Member): Member {
  if (principal === undefined) throw new RangeError(`${name} has no principal`);
  return memberOf(society, "principal", principal);
}
