import { z } from "zod";
import { exclusionOf, stakeShortageOf } from "../client/eligibility.ts";
import { addressSchema } from "../primitives/address.ts";
import type { NodeView } from "./chain-view.ts";
import type { Worker } from "./seat.ts";
import type { Mission, World } from "./world.ts";

/** Producers excluded from a market, and why. */
export const leftOutSchema = z.array(z.strictObject({ agent: addressSchema, name: z.string(), reason: z.string() }));
export type LeftOut = z.infer<typeof leftOutSchema>;

/**
 * The workers that may bid on these nodes. The others are reported and recorded as `execution.left-out`, since the chain would refuse their
 * bids. Nothing here changes while the market's bids are placed, so that an interrupted run excludes the same.
 */
export async function eligibleWorkers(
  world: World,
  mission: Mission,
  nodes: readonly NodeView[],
  leastStake: bigint,
): Promise<readonly Worker[]> {
  const key = ["left-out", mission.address, ...nodes.flatMap(({ law, attempt }) => [law.number, attempt])];
  const known = await world.recall(key, leftOutSchema);
  const leftOut = known ?? (await findLeftOut(world, leastStake));
  if (known === undefined && leftOut.length > 0) {
    await world.remember(key, leftOutSchema, async () => leftOut);
    for (const { name, reason } of leftOut) world.progress(`${name} takes no part: ${reason}`);
  }
  return world.workers.filter(({ account }) => !leftOut.some(({ agent }) => agent === account.address));
}

async function findLeftOut(world: World, leastStake: bigint): Promise<LeftOut> {
  const found = await Promise.all(
    world.workers.map(async ({ name, account: { address: agent }, manager }) => {
      // A pool may back a producer without stake of its own.
      const isPoor = manager === undefined ? await stakeShortageOf(world.client, agent, leastStake) : undefined;
      const reason = (await exclusionOf(world.client, agent)) ?? isPoor;
      return reason === undefined ? [] : [{ agent, name, reason }];
    }),
  );
  return found.flat();
}
