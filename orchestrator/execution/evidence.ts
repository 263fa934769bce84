import { z } from "zod";
import { verificationOutcomeSchema } from "../attestation/outcome.ts";
import { leafOf, openingUnder } from "../client/openings.ts";
import { addressSchema } from "../primitives/address.ts";
import { type Address, bytesToHex, type Hash, hashSchema, hexSchema } from "../primitives/hex.ts";
import { randomStream } from "../primitives/random.ts";
import { evidenceClasses, evidenceKinds } from "../protocol/evidence.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import type { Opening } from "../rules/commitments.ts";
import { inclusionProof, merkleRoot } from "../rules/ordered-merkle.ts";

/** An item of an executor's envelope, signed by its issuer. */
export const signedItemSchema = z.strictObject({
  slot: z.int(),
  index: z.int(),
  kind: z.enum(evidenceKinds),
  payload: hashSchema,
  issuer: addressSchema,
  class: z.enum(evidenceClasses),
  signature: hexSchema,
});
export type SignedItem = z.infer<typeof signedItemSchema>;

/** The same with the issuer's signed finding. */
export const wordSchema = z.strictObject({ item: signedItemSchema, outcome: verificationOutcomeSchema });
export type Word = z.infer<typeof wordSchema>;

/** An output with its trail and evidence, before it is revealed. */
export interface Hidden {
  readonly obligation: Hash;
  readonly outputHash: Hash;
  readonly trail: readonly Hash[];
  readonly items: readonly SignedItem[];
}

/** A salt derived from an agent's own stream. */
export function saltOf(seed: string, agent: Address, obligation: Hash): Hash {
  return bytesToHex(randomStream(seed, agent, "salt", obligation).bytes(32));
}

/** Opening of a commitment over an output, its trail and its evidence. */
export function openingOf({ trail, ...hidden }: Hidden, salt: Hash): Opening {
  return openingUnder({ ...hidden, trailRoot: merkleRoot(trail) }, salt);
}

/** An item with its inclusion proof in the slot's envelope, as `clear` expects it. */
export function provenItem(obligation: Hash, envelope: readonly SignedItem[], index: number) {
  const item = envelope[index];
  if (item === undefined) throw new RangeError(`no item ${index} in an envelope of ${envelope.length}`);
  const leaves = envelope.map((entry) => leafOf(obligation, entry));
  return { ...item, class: EvidenceClass[item.class], proof: inclusionProof(leaves, index) };
}
