import { intentKey } from "../../chain/outbox.ts";
import { gateCreation } from "../../client/gates.ts";
import { GoalNotFeasible } from "../../minds/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import { type Gate, gateNumber } from "../../protocol/gates.ts";
import { gatesIn, type MissionFile } from "../../protocol/mission-file.ts";
import type { City } from "../city.ts";

/**
 * Throws, before anything is paid, if a mission or task names a shipped gate that adjudicators have not approved here yet. Its contract,
 * which anyone may deploy, is deployed first, so that the error contains the complete command.
 */
export async function requireNamedGates(city: City, mission: Pick<MissionFile, "tasks" | "output">): Promise<void> {
  for (const { name, gate } of gatesIn(mission)) {
    if (typeof gate !== "string" || BigInt(await city.client.execution.predicateOf(gateNumber(gate))) !== 0n) continue;
    const contract = await deployed(city, gate);
    throw new GoalNotFeasible(
      `${name} names the gate ${gate}, which adjudicators of this city have not approved yet`,
      `its contract is deployed; let an adjudicator approve it, once: npm run override -- predicate ${gateNumber(gate)} ${contract} --as adjudicator-1 --because "Read line by line."`,
    );
  }
}

async function deployed({ client, sender }: City, gate: Exclude<Gate, number>): Promise<Address> {
  const data = gateCreation(client, gate);
  const { contractAddress } = await sender.send({ intent: intentKey("gate", gate), data, what: `the gate ${gate}` });
  if (contractAddress === null || contractAddress === undefined) throw new RangeError(`the gate ${gate} was deployed nowhere`);
  return contractAddress;
}
