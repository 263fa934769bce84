import type { City } from "../../orchestrator/city/city.ts";
import { callsSince, nodesIn } from "../../orchestrator/city/report/gas.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { listOf } from "../../orchestrator/primitives/values.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";

/** Nodes of each call of that name about the city's only mission, as they were sent. */
export async function nodesOf({ client }: City, { mission }: Outcome, call: string): Promise<readonly (readonly number[])[]> {
  const calls = await callsSince(client, 0n, [addressSchema.parse(mission)]);
  const own = calls.filter(({ functionName }) => functionName === call);
  // The market's calls name the mission first.
  return own.map(({ functionName, args }) => (functionName === "award" ? listOf(args[1]).map(Number) : nodesIn({ functionName, args })));
}
