/** Twin of `contracts/libraries/Admissibility.sol`: SELF ⪯ SIGN ⪯ {WIT, REC} ⪯ ATT ⪯ PROOF, WIT and REC incomparable (RAILS 5.1). */
import { defineLattice } from "./lattice.ts";

export const EvidenceClass = { SELF: 0, SIGN: 1, WIT: 2, REC: 3, ATT: 4, PROOF: 5 } as const;
export type EvidenceClass = (typeof EvidenceClass)[keyof typeof EvidenceClass];

export const ITEMS_PER_SLOT = 32;
/** Reserved index, which no item of an envelope has: issuers' refutations of the first slot's work (decision 57). */
export const REFUTATION = 31;
export const REFUTED = 1n << BigInt(REFUTATION);
const CLASSES: readonly EvidenceClass[] = Object.values(EvidenceClass);

/** The covering pairs of Λ. Everything that compares classes, on chain or off, derives from them. */
export const COVERS = [
  [EvidenceClass.SELF, EvidenceClass.SIGN],
  [EvidenceClass.SIGN, EvidenceClass.WIT],
  [EvidenceClass.SIGN, EvidenceClass.REC],
  [EvidenceClass.WIT, EvidenceClass.ATT],
  [EvidenceClass.REC, EvidenceClass.ATT],
  [EvidenceClass.ATT, EvidenceClass.PROOF],
] as const;

const ORDER = defineLattice<EvidenceClass>({ bottom: EvidenceClass.SELF, top: EvidenceClass.PROOF }, COVERS);

/** a ⪰ b. */
export function geq(a: EvidenceClass, b: EvidenceClass): boolean {
  return ORDER.geq(a, b);
}

/** The strongest class that both satisfy. */
export function meet(a: EvidenceClass, b: EvidenceClass): EvidenceClass {
  return ORDER.meet(a, b);
}

/** The weakest class that satisfies both. */
export function join(a: EvidenceClass, b: EvidenceClass): EvidenceClass {
  return ORDER.join(a, b);
}

/** Class of an item from a word with three bits per item; an unknown code counts as a self-report. */
export function classAt(classWord: bigint, item: number): EvidenceClass {
  return CLASSES[Number((classWord >> BigInt(3 * item)) & 7n)] ?? EvidenceClass.SELF;
}

/** A word of classes, item 0 lowest. */
export function packClasses(classes: readonly EvidenceClass[]): bigint {
  return classes.reduce<bigint>((word, code, item) => word | (BigInt(code) << BigInt(3 * item)), 0n);
}

/** Twin of `Dockets.raise`: the words with these items raised to at least `floor`. */
export function raise(classWords: readonly bigint[], items: bigint, floor: EvidenceClass): readonly bigint[] {
  return classWords.map((word, slot) =>
    Array.from({ length: ITEMS_PER_SLOT }, (_, item) => item)
      .filter((item) => (items >> BigInt(ITEMS_PER_SLOT * slot + item)) & 1n)
      .reduce((raised, item) => {
        const [at, own] = [BigInt(3 * item), classAt(word, item)];
        return (raised & ~(7n << at)) | (BigInt(join(own, floor)) << at);
      }, word),
  );
}

/** Numbers of the set bits, ascending. */
export function itemsOf(basis: bigint): number[] {
  const items: number[] = [];
  for (let bit = 0; basis >> BigInt(bit) !== 0n; bit += 1) if ((basis >> BigInt(bit)) & 1n) items.push(bit);
  return items;
}

/** Meet of the classes of all items in a basis; SELF for an empty basis, or for one that names a slot without a class word. */
export function meetOver(basis: bigint, classWords: readonly bigint[]): EvidenceClass {
  const items = itemsOf(basis);
  if (items.length === 0 || items.some((bit) => bit >= ITEMS_PER_SLOT * classWords.length)) return EvidenceClass.SELF;
  return items
    .map((bit) => classAt(classWords[Math.floor(bit / ITEMS_PER_SLOT)] ?? 0n, bit % ITEMS_PER_SLOT))
    .reduce(meet, EvidenceClass.PROOF);
}
