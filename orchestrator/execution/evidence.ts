import { z } from "zod";
import { verificationOutcomeSchema } from "../attestation/outcome.ts";
import { addressSchema } from "../primitives/address.ts";
import { type Address, bytesToHex, type Hash, hashSchema, hexSchema } from "../primitives/hex.ts";
import { randomStream } from "../primitives/random.ts";
import { evidenceClasses, evidenceKinds } from "../protocol/evidence.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { evidenceLeafOf, type Opening } from "../rules/commitments.ts";
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

/** The same with what its issuer found, under its own signature. */
export const wordSchema = z.strictObject({ item: signedItemSchema, outcome: verificationOutcomeSchema });
export type Word = z.infer<typeof wordSchema>;

const BITS_PER_CLASS = 3n;

function leafOf(obligation: Hash, item: Omit<SignedItem, "signature">): Hash {
  return evidenceLeafOf(obligation, { ...item, class: EvidenceClass[item.class] });
}

/** An output, its trail and the evidence for it. */
export interface Hidden {
  readonly obligation: Hash;
  readonly outputHash: Hash;
  readonly trail: readonly Hash[];
  readonly items: readonly SignedItem[];
}

/** Root over the evidence that a commitment names. */
export function envelopeRootOf(obligation: Hash, items: readonly SignedItem[]): Hash {
  return merkleRoot(items.map((item) => leafOf(obligation, item)));
}

/** A salt from an agent's own stream. */
export function saltOf(seed: string, agent: Address, obligation: Hash): Hash {
  return bytesToHex(randomStream(seed, agent, "salt", obligation).bytes(32));
}

/** Opening of a commitment over an output, its trail and its evidence. */
export function openingOf({ trail, ...hidden }: Hidden, salt: Hash): Opening {
  return openingUnder({ ...hidden, trailRoot: merkleRoot(trail) }, salt);
}

/** The same for whoever has the trail's root alone. */
export function openingUnder(
  { obligation, outputHash, trailRoot, items }: Omit<Hidden, "trail"> & { readonly trailRoot: Hash },
  salt: Hash,
): Opening {
  return {
    salt,
    outputHash,
    trailRoot,
    envelopeRoot: envelopeRootOf(obligation, items),
    items: items.length,
    classes: items.reduce((word, item) => word | (BigInt(EvidenceClass[item.class]) << (BITS_PER_CLASS * BigInt(item.index))), 0n),
  };
}

/** An item as `clear` takes it: with its inclusion proof in the slot's envelope. */
export function provenItem(obligation: Hash, envelope: readonly SignedItem[], index: number) {
  const item = envelope[index];
  if (item === undefined) throw new RangeError(`no item ${index} in an envelope of ${envelope.length}`);
  const leaves = envelope.map((entry) => leafOf(obligation, entry));
  return { ...item, class: EvidenceClass[item.class], proof: inclusionProof(leaves, index) };
}
