import { z } from "zod";
import { RETRIES } from "../chain/silence-retry.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import type { NodeView, SlotView } from "./chain-view.ts";
import { attemptKey, type HandedIn } from "./work.ts";
import { type Mission, type World, workerOf } from "./world.ts";

/** An output between the end of its run and the chain's confirmation, signed by its executor (AgentCity B.11.5). */
export const heldSchema = z.strictObject({
  agent: addressSchema,
  /** Content id of what was handed in: sealed bytes if outputs are compared. */
  outputId: z.string(),
  outputHash: hashSchema,
  /** Chain time, seconds. */
  since: z.int(),
  signature: hexSchema,
});
export type Held = z.infer<typeof heldSchema>;

/** The chain has the commitment to a held output. */
export const releasedSchema = z.strictObject({ outputHash: hashSchema, at: z.int() });

/** The chain refused the commitment at this time. */
const refusalSchema = z.strictObject({ at: z.int(), reason: z.string() });

type Place = readonly [mission: Mission, view: NodeView, slot: Pick<SlotView, "slot">];

const keyOf = (kind: string, ...[mission, view, { slot }]: Place) => [kind, ...attemptKey(mission, view), slot] as const;
const refusalKey = (place: Place, attempt: number) => [...keyOf("refused", ...place), attempt] as const;

/**
 * Puts an output into the buffer of B.11.5: on disk with the other records, in the city's log, under its executor's signature. Nothing of
 * it reaches a successor, a verifier or the requester before its commitment is on chain.
 */
export async function hold(world: World, mission: Mission, view: NodeView, slot: SlotView, handed: HandedIn): Promise<Held> {
  return world.remember(heldKey(mission, view, slot.slot), heldSchema, async () => {
    const { id: outputId, hash: outputHash } = handed;
    const since = Number(world.client.chain.clock.now());
    const message = {
      mission: mission.address,
      node: view.law.number,
      slot: slot.slot,
      attempt: view.attempt,
      agent: slot.agent,
      outputHash,
      since,
    };
    const { account } = workerOf(world, slot.agent);
    const signature = await signSessionMessage(world.client, account, "HeldOutput", message);
    return { agent: slot.agent, outputId, outputHash, since, signature };
  });
}

/** Record keys of a held output and its release. */
export function heldKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, slot: number): readonly (string | number)[] {
  return ["held", ...attemptKey(mission, view), slot];
}
export function releasedKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, slot: number): readonly (string | number)[] {
  return ["released", ...attemptKey(mission, view), slot];
}

/** Releases outputs whose commitment the chain has confirmed. */
export async function release(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  for (const view of nodes) {
    for (const { slot, committed } of view.slots) {
      if (!committed) continue;
      const held = await world.recall(heldKey(mission, view, slot), heldSchema);
      if (held === undefined) continue;
      const { outputHash } = held;
      await world.remember(releasedKey(mission, view, slot), releasedSchema, async () => ({
        outputHash,
        at: Number(world.client.chain.clock.now()),
      }));
    }
  }
}

/** Whether a held output may be submitted now: at once, and 30 s, 2 min and 8 min after it was first refused. */
export async function isDue(world: World, ...place: Place): Promise<boolean> {
  const next = await nextTry(world, ...place);
  return next !== undefined && next <= world.client.chain.clock.now();
}

/**
 * Time of the next submission; undefined if no retry is left. Then this executor commits nothing in time, and the node fails by its own
 * clock (PENDING_FINALIZATION → FAILED).
 */
export async function nextTry(world: World, ...place: Place): Promise<bigint | undefined> {
  const [first, ...more] = await refusalsOf(world, place);
  if (first === undefined) return 0n;
  const delay = RETRIES[more.length];
  return delay === undefined ? undefined : BigInt(first.at) + delay;
}

/** Number of refusals so far: each submission is a step of its own. */
export async function refusals(world: World, ...place: Place): Promise<number> {
  return (await refusalsOf(world, place)).length;
}

/** Records a refusal by the chain. */
export async function refused(world: World, reason: string, ...place: Place): Promise<void> {
  const attempt = (await refusalsOf(world, place)).length;
  await world.remember(refusalKey(place, attempt), refusalSchema, async () => ({ at: Number(world.client.chain.clock.now()), reason }));
  const [, { law }] = place;
  const next = RETRIES[attempt];
  world.progress(
    `${law.label}: the chain refused its commitment (${reason}); the output stays in escrow, ${next === undefined ? "out of attempts" : `submitted again ${next} s after the first refusal`}`,
  );
}

async function refusalsOf(world: World, place: Place): Promise<readonly z.infer<typeof refusalSchema>[]> {
  const refusals = [];
  for (let attempt = 0; attempt <= RETRIES.length; attempt += 1) {
    const refusal = await world.recall(refusalKey(place, attempt), refusalSchema);
    if (refusal === undefined) break;
    refusals.push(refusal);
  }
  return refusals;
}
