import { concat, keccak256, numberToHex, toRlp } from "viem";
import type { Hash, Hex } from "./hex.ts";

/** A trie node as nested RLP: a string or a list. */
type Item = Hex | readonly Item[];

interface Entry {
  /** The key as nibbles. */
  readonly path: readonly number[];
  readonly value: Hex;
}

/** Root of the Merkle Patricia trie over a list, keyed by the RLP of each index, as for a block's transactions and receipts. */
export function orderedTrieRoot(values: readonly Hex[]): Hash {
  if (values.length === 0) return keccak256(toRlp("0x"));
  const entries = values.map((value, index): Entry => ({ path: nibbles(toRlp(index === 0 ? "0x" : evenHex(index))), value }));
  return keccak256(toRlp(nodeOf(entries, 0)));
}

/** The node above these entries, which share a prefix of `depth` nibbles. No key of a list is a prefix of another. */
function nodeOf(entries: readonly Entry[], depth: number): readonly Item[] {
  const [first] = entries;
  if (first === undefined) throw new RangeError("a node above nothing");
  if (entries.length === 1) return [packed(first.path.slice(depth), true), first.value];
  let shared = depth;
  while (entries.every(({ path }) => path[shared] === first.path[shared])) shared += 1;
  if (shared > depth) return [packed(first.path.slice(depth, shared), false), referenceTo(nodeOf(entries, shared))];
  const children = Array.from({ length: 16 }, (_, nibble): Item => {
    const below = entries.filter(({ path }) => path[depth] === nibble);
    return below.length === 0 ? "0x" : referenceTo(nodeOf(below, depth + 1));
  });
  return [...children, "0x"];
}

/** A node of less than 32 bytes is embedded in its parent. */
function referenceTo(node: readonly Item[]): Item {
  const encoded = toRlp(node);
  return (encoded.length - 2) / 2 < 32 ? node : keccak256(encoded);
}

/** Hex-prefix encoding: flags for an odd length and for a leaf. */
function packed(path: readonly number[], isLeaf: boolean): Hex {
  const isOdd = path.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const digits = [flag, ...(isOdd ? [] : [0]), ...path].map((nibble) => nibble.toString(16));
  return concat([`0x${digits.join("")}`]);
}

function nibbles(hex: Hex): readonly number[] {
  return [...hex.slice(2)].map((digit) => Number.parseInt(digit, 16));
}

/** A number without leading zeros, as RLP has it. */
export function evenHex(value: bigint | number): Hex {
  const hex = numberToHex(value);
  if (BigInt(value) === 0n) return "0x";
  return hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`;
}
