import { hexToString } from "viem";
import { z } from "zod";
import type { CityClient } from "../client/client.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { faultClasses, faultTypes } from "../rules/faults.ts";
import type { Mission, World } from "./world.ts";

/** A failed attempt as classified on chain, and as recorded for the authors of the next law (AgentCity B.11.4, step 2). */
export const faultSchema = z.strictObject({
  node: z.int(),
  attempt: z.int(),
  type: z.enum(faultTypes),
  class: z.enum(faultClasses),
  /** As in `Reasons.sol`. */
  reason: z.string(),
  block: z.int(),
});
export type Fault = z.infer<typeof faultSchema>;

/** Every fault of a mission, oldest first. */
export async function faultsOf(client: CityClient, mission: Address): Promise<readonly Fault[]> {
  const events = await client.mission(mission).history("FaultSignalled");
  return events.map(({ args, blockNumber }) => {
    const [type, faultClass] = [faultTypes[args.fault], faultClasses[args.class]];
    if (type === undefined || faultClass === undefined)
      throw new AgentCityError(
        "UnknownFault",
        `The chain names fault ${args.fault} of class ${args.class}, which this version does not know`,
      );
    const reason = hexToString(args.reason, { size: 32 });
    return { node: args.node, attempt: args.attempt, type, class: faultClass, reason, block: Number(blockNumber) };
  });
}

/** Records each fault once, naming what froze or rejected the attempt by node and attempt, and returns all of them. */
export async function recordFaults(world: World, { address }: Pick<Mission, "address">): Promise<readonly Fault[]> {
  const faults = await faultsOf(world.client, address);
  for (const fault of faults) await world.remember(["fault", address, fault.node, fault.attempt], faultSchema, async () => fault);
  return faults;
}
