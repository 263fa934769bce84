import { z } from "zod";
import { InvalidValue } from "./errors.ts";

/** A nominal type: only its own parser produces values of it. */
export type Brand<Value, Name extends string> = Value & { readonly __brand: Name };

/** Bytes as lower-case hexadecimal text. */
export type Hex = `0x${string}`;
/** 32 bytes. */
export type Hash = Hex;
/** 20 bytes, checksummed. */
export type Address = Hex;

/** CIDv1 (raw, sha2-256) in base32: the name of a block of bytes. */
export type ContentId = Brand<string, "ContentId">;
/** The unique name of one on-chain step (decision 37). */
export type IntentKey = Brand<Hash, "IntentKey">;

const HEX = /^0x(?:[0-9a-f]{2})*$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

export function isHex(value: unknown): value is Hex {
  return typeof value === "string" && HEX.test(value);
}

export function isHash(value: unknown): value is Hash {
  return typeof value === "string" && HASH.test(value);
}

// Marked pure, so that a bundle that only reads hex leaves zod out.
export const hexSchema = /* @__PURE__ */ z.custom<Hex>(isHex, "expected 0x and an even number of hex digits").transform(lower);

export const hashSchema = /* @__PURE__ */ z.custom<Hash>(isHash, "expected 0x and 64 hex digits").transform(lower);

export const intentKeySchema = /* @__PURE__ */ hashSchema.transform((value) => value as IntentKey);

/** Node's own conversions, where available. */
const native = globalThis.Buffer;

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function bytesToHex(bytes: Uint8Array): Hex {
  if (native !== undefined) return `0x${native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
  let text = "";
  for (const byte of bytes) text += BYTES[byte];
  return `0x${text}`;
}

export function hexToBytes(hex: Hex): Uint8Array {
  if (!isHex(hex)) throw new InvalidValue("hex", "expected 0x and an even number of hex digits", { details: String(hex) });
  if (native !== undefined) return new Uint8Array(native.from(hex.slice(2), "hex"));
  const bytes = new Uint8Array((hex.length - 2) / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(hex.slice(2 + 2 * index, 4 + 2 * index), 16);
  }
  return bytes;
}

/** Bytes of ASCII text, on Node in its shared pool: for the short texts that are signed, which take an encoder six times as long. */
export function asciiBytes(text: string): Uint8Array {
  return native === undefined ? new TextEncoder().encode(text) : native.from(text, "latin1");
}

function lower(value: Hex): Hex {
  return `0x${value.slice(2).toLowerCase()}`;
}
