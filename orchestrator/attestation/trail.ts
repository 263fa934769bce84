import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { type ByteSigner, isSignedBy, type PublicKey } from "../primitives/signing.ts";
import { type Digest, digestOf, digestSchema, instantSchema } from "./claims.ts";
import { type LifecycleEvent, lifecycleEventSchema } from "./events.ts";

/** One step of the audit trail. Its digest covers the entry before it, so that none can be changed, dropped or moved. */
export const trailEntrySchema = z.strictObject({
  sequence: z.int().nonnegative(),
  at: instantSchema,
  event: lifecycleEventSchema,
  /** Digest of the entry before; of nothing at the beginning. */
  previous: digestSchema,
  digest: digestSchema,
});
export type TrailEntry = Readonly<z.infer<typeof trailEntrySchema>>;

/** Where a trail ends: all that the next entry must know of it. */
export interface TrailHead {
  readonly length: number;
  readonly digest: Digest;
}

export const EMPTY_TRAIL: TrailHead = { length: 0, digest: digestOf(new Uint8Array()) };

/** The end of a trail. */
export function headOf(trail: readonly TrailEntry[]): TrailHead {
  const last = trail.at(-1);
  return last === undefined ? EMPTY_TRAIL : { length: trail.length, digest: last.digest };
}

/** Where a trail ended when somebody signed it. */
export const sealedHeadSchema = z.strictObject({ length: z.int().nonnegative(), digest: digestSchema, signature: hexSchema });
export type SealedHead = Readonly<z.infer<typeof sealedHeadSchema>>;

const HEAD = "claim-attestation/v1 trail\n";

function headBytes({ length, digest }: TrailHead): Uint8Array {
  return new TextEncoder().encode(`${HEAD}${length} ${digest}`);
}

/** The end of a trail under its keeper's signature. */
export function sealHead(head: TrailHead, signer: ByteSigner): SealedHead {
  return { ...head, signature: signer.sign(headBytes(head)) };
}

/** Throws TrailBroken unless the trail ends where the key signed that it does. */
export function checkSealedHead(trail: readonly TrailEntry[], { signature, ...head }: SealedHead, key: PublicKey): void {
  if (!isSignedBy(key, headBytes(head), signature)) throw new TrailBroken(head.length, "nobody signed that it ends here");
  const { length, digest } = headOf(trail);
  if (length !== head.length || digest !== head.digest) throw new TrailBroken(length, `it ends here; signed were ${head.length} entries`);
}

/** Throws TrailBroken unless the trail goes on from a head that was seen before. */
export function checkContinues(trail: readonly TrailEntry[], { length, digest }: TrailHead): void {
  if (length > trail.length || headOf(trail.slice(0, length)).digest !== digest)
    throw new TrailBroken(length, "it does not go on from the head that was known");
}

/** The trail was changed after it was written. */
export class TrailBroken extends AgentCityError {
  constructor(sequence: number, problem: string) {
    super("TrailBroken", `The audit trail does not hold together at entry ${sequence}: ${problem}`);
  }
}

/** The entry that an event adds. */
export function entryAfter(head: TrailHead, event: LifecycleEvent, at: string): TrailEntry {
  const body = { sequence: head.length, at, event, previous: head.digest };
  return { ...body, digest: digestOf(canonicalBytes(body)) };
}

/** Throws TrailBroken at the first entry that does not follow from the one before. */
export function checkTrail(trail: readonly TrailEntry[]): void {
  let previous = EMPTY_TRAIL.digest;
  for (const [index, { digest, ...body }] of trail.entries()) {
    if (body.sequence !== index) throw new TrailBroken(index, `it says it is entry ${body.sequence}`);
    if (body.previous !== previous) throw new TrailBroken(index, "it follows another entry");
    if (digestOf(canonicalBytes(body)) !== digest) throw new TrailBroken(index, "it was changed");
    previous = digest;
  }
}
