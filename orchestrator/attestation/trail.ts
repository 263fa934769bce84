import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { type ByteSigner, isSignedBy, type PublicKey } from "../primitives/signing.ts";
import { type Digest, digestOf, digestSchema, instantSchema } from "./claims.ts";
import { type LifecycleEvent, lifecycleEventSchema } from "./events.ts";

/** One entry of the audit trail. Its digest covers the previous entry, so that none can be changed, dropped or moved. */
export const trailEntrySchema = z.strictObject({
  sequence: z.int().nonnegative(),
  at: instantSchema,
  event: lifecycleEventSchema,
  /** Digest of the previous entry; of empty input for the first. */
  previous: digestSchema,
  digest: digestSchema,
});
export type TrailEntry = Readonly<z.infer<typeof trailEntrySchema>>;

/** The end of a trail: all that the next entry depends on. */
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

/** The signed end of a trail. */
export const sealedHeadSchema = z.strictObject({ length: z.int().nonnegative(), digest: digestSchema, signature: hexSchema });
export type SealedHead = Readonly<z.infer<typeof sealedHeadSchema>>;

const HEAD = "claim-attestation/v1 trail\n";

function headBytes({ length, digest }: TrailHead): Uint8Array {
  return new TextEncoder().encode(`${HEAD}${length} ${digest}`);
}

/** Signs the end of a trail with its keeper's key. */
export function sealHead(head: TrailHead, signer: ByteSigner): SealedHead {
  return { ...head, signature: signer.sign(headBytes(head)) };
}

/** Throws TrailBroken unless the trail ends exactly at the signed head. */
export function checkSealedHead(trail: readonly TrailEntry[], { signature, ...head }: SealedHead, key: PublicKey): void {
  if (!isSignedBy(key, headBytes(head), signature)) throw new TrailBroken(head.length, "nobody signed that it ends here");
  const { length, digest } = headOf(trail);
  if (length !== head.length || digest !== head.digest) throw new TrailBroken(length, `it ends here; signed were ${head.length} entries`);
}

/** Throws TrailBroken unless the trail continues from a head that was seen before. */
export function checkContinues(trail: readonly TrailEntry[], { length, digest }: TrailHead): void {
  if (length > trail.length || headOf(trail.slice(0, length)).digest !== digest)
    throw new TrailBroken(length, "it does not go on from the head that was known");
}

/** The trail was altered after it was written. */
export class TrailBroken extends AgentCityError {
  constructor(sequence: number, problem: string) {
    super("TrailBroken", `The audit trail is broken at entry ${sequence}: ${problem}`);
  }
}

/** The entry for an event. */
export function entryAfter(head: TrailHead, event: LifecycleEvent, at: string): TrailEntry {
  const body = { sequence: head.length, at, event, previous: head.digest };
  return { ...body, digest: digestOf(canonicalBytes(body)) };
}

/** Throws TrailBroken at the first entry that does not follow from the previous one. */
export function checkTrail(trail: readonly TrailEntry[]): void {
  let previous = EMPTY_TRAIL.digest;
  for (const [index, { digest, ...body }] of trail.entries()) {
    if (body.sequence !== index) throw new TrailBroken(index, `it says it is entry ${body.sequence}`);
    if (body.previous !== previous) throw new TrailBroken(index, "it follows another entry");
    if (digestOf(canonicalBytes(body)) !== digest) throw new TrailBroken(index, "it was changed");
    previous = digest;
  }
}
