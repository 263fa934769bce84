import { z } from "zod";
import type { City } from "../../orchestrator/city/city.ts";
import { type CityCall, callsSince, nodesIn } from "../../orchestrator/city/report/gas.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { numbersIn } from "../../orchestrator/primitives/bitmap.ts";
import { listOf } from "../../orchestrator/primitives/values.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";

/** `advance` clears some nodes and routes others. */
const WITHIN_ADVANCE = ["clear", "route"];

/** Nodes of each call of that name about the city's only mission, as they were sent. */
export async function nodesOf({ client }: City, { mission }: Outcome, call: string): Promise<readonly (readonly number[])[]> {
  const calls = await callsSince(client, 0n, [addressSchema.parse(mission)]);
  const names = WITHIN_ADVANCE.includes(call) ? [call, "advance"] : [call];
  return calls.filter(({ functionName }) => names.includes(functionName)).map((sent) => nodesAs(call, sent));
}

function nodesAs(call: string, { functionName, args }: Pick<CityCall, "functionName" | "args">): readonly number[] {
  // The market's calls name the mission first.
  if (call === "award") return listOf(args[1]).map(Number);
  if (call === "route" && functionName === "advance") return numbersIn(z.bigint().parse(args[1]));
  return nodesIn({ functionName, args });
}
