/** Twin of `contracts/libraries/OrderedMerkle.sol`: the tree of RFC 9162 section 2.1 with keccak256, and its proofs. */
import { concat, type Hex, keccak256 } from "viem";
import { RuleError } from "./rule-error.ts";

/** Root of the tree without entries. */
export const EMPTY_ROOT: Hex = keccak256("0x");

export function leafHash(entry: Hex): Hex {
  return keccak256(concat(["0x00", entry]));
}

export function nodeHash(left: Hex, right: Hex): Hex {
  return keccak256(concat(["0x01", left, right]));
}

/** Root over 32-byte entries in order (unhashed: the leaf hash is applied here). */
export function merkleRoot(entries: readonly Hex[]): Hex {
  return entries.length === 0 ? EMPTY_ROOT : rootOf(entries.map(leafHash));
}

/** Proof that entry `index` is one of the entries; lowest sibling first. */
export function inclusionProof(entries: readonly Hex[], index: number): Hex[] {
  if (!Number.isInteger(index) || index < 0 || index >= entries.length) throw new RuleError("NoSuchEntry", index, entries.length);
  return pathTo(entries.map(leafHash), index);
}

/** Proof that the first `size` entries were the tree before the rest was appended (RFC 9162 section 2.1.4.1). */
export function consistencyProof(entries: readonly Hex[], size: number): Hex[] {
  if (!Number.isInteger(size) || size < 1 || size > entries.length) throw new RuleError("NoSuchEntry", size, entries.length);
  return subProof(entries.map(leafHash), size, true);
}

/** Whether `entry` is number `index` of `size` entries under `expected`. */
export function verifyInclusion(expected: Hex, entry: Hex, index: number, size: number, proof: readonly Hex[]): boolean {
  if (index < 0 || index >= size) return false;
  let [fn, sn, hash] = [index, size - 1, leafHash(entry)];
  for (const sibling of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && hash === expected.toLowerCase();
}

/** Whether the tree of `second` appends to the tree of `first` (RFC 9162 section 2.1.4.2). */
export function verifyConsistency(first: Hex, size1: number, second: Hex, size2: number, proof: readonly Hex[]): boolean {
  if (size1 < 1 || size1 > size2) return false;
  if (size1 === size2) return proof.length === 0 && first.toLowerCase() === second.toLowerCase();
  const path = Number.isInteger(Math.log2(size1)) ? [first, ...proof] : [...proof];
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [fn, sn] = [size1 - 1, size2 - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  let [fr, sr] = [start.toLowerCase() as Hex, start.toLowerCase() as Hex];
  for (const sibling of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(sibling, fr);
      sr = nodeHash(sibling, sr);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      sr = nodeHash(sr, sibling);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr === first.toLowerCase() && sr === second.toLowerCase();
}

/** The RFC's recursive definition: split at the largest power of two below the size. */
function rootOf(leaves: readonly Hex[]): Hex {
  const [only] = leaves;
  if (only !== undefined && leaves.length === 1) return only;
  const k = splitOf(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

function pathTo(leaves: readonly Hex[], index: number): Hex[] {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return index < k ? [...pathTo(left, index), rootOf(right)] : [...pathTo(right, index - k), rootOf(left)];
}

/** @param whole the subtree in question is itself the old tree, whose root the verifier has */
function subProof(leaves: readonly Hex[], size: number, whole: boolean): Hex[] {
  if (size === leaves.length) return whole ? [] : [rootOf(leaves)];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return size <= k ? [...subProof(left, size, whole), rootOf(right)] : [...subProof(right, size - k, false), rootOf(left)];
}

function splitOf(size: number): number {
  let k = 1;
  while (2 * k < size) k *= 2;
  return k;
}

function half(n: number): number {
  return Math.floor(n / 2);
}
