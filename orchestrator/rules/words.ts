import type { Hex } from "viem";
import { RuleError } from "./rule-error.ts";

/** `bits` bits of `word`, starting at `first`, lowest first. */
export function field(word: bigint, first: number, bits: number): bigint {
  return (word >> BigInt(first)) & ((1n << BigInt(bits)) - 1n);
}

/** `value` at its position in a word. Throws the given error if it does not fit. */
export function place(value: bigint | number, first: number, bits: number, refuse: (value: bigint) => RuleError): bigint {
  const wide = BigInt(value);
  if (wide < 0n || wide >> BigInt(bits) !== 0n) throw refuse(wide);
  return wide << BigInt(first);
}

/** A word as 64 hex digits, without 0x. */
export function wordDigits(word: bigint): string {
  if (word < 0n || word >> 256n !== 0n) throw new RuleError("FieldTooLarge", word, 256);
  return word.toString(16).padStart(64, "0");
}

/** Word `index` of bytes made of 32-byte words. */
export function wordAt(bytes: Hex, index: number): bigint {
  return BigInt(`0x${bytes.slice(2 + 64 * index, 66 + 64 * index)}`);
}

/** A word as 32 bytes of hex. */
export function wordHex(word: bigint): Hex {
  return `0x${wordDigits(word)}`;
}

/** Bytes in hex text. */
export function byteLength(bytes: Hex): number {
  return (bytes.length - 2) / 2;
}
