import type { Address, Hash } from "../primitives/hex.ts";
import type { EvidenceClassName, EvidenceKind } from "../protocol/evidence.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { evidenceLeafOf, type Opening } from "../rules/commitments.ts";
import { merkleRoot } from "../rules/ordered-merkle.ts";

/** An item of an envelope, as its issuer signs it. */
export interface EnclosedItem {
  readonly slot: number;
  readonly index: number;
  readonly kind: EvidenceKind;
  readonly payload: Hash;
  readonly issuer: Address;
  readonly class: EvidenceClassName;
}

const BITS_PER_CLASS = 3n;

/** An item as a leaf of its envelope. */
export function leafOf(obligation: Hash, item: EnclosedItem): Hash {
  return evidenceLeafOf(obligation, { ...item, class: EvidenceClass[item.class] });
}

/** Merkle root over the evidence in a commitment. */
export function envelopeRootOf(obligation: Hash, items: readonly EnclosedItem[]): Hash {
  return merkleRoot(items.map((item) => leafOf(obligation, item)));
}

/** The opening of a commitment to an output and its evidence. */
export function openingUnder(
  work: { readonly obligation: Hash; readonly outputHash: Hash; readonly trailRoot: Hash; readonly items: readonly EnclosedItem[] },
  salt: Hash,
): Opening {
  const { obligation, outputHash, trailRoot, items } = work;
  return {
    salt,
    outputHash,
    trailRoot,
    envelopeRoot: envelopeRootOf(obligation, items),
    items: items.length,
    classes: items.reduce((word, item) => word | (BigInt(EvidenceClass[item.class]) << (BITS_PER_CLASS * BigInt(item.index))), 0n),
  };
}
