import type { PublicKey, Signature, Signer, VerifySignature } from "../../orchestrator/clearing/signature.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { type Hex, hexToBytes } from "../../orchestrator/primitives/hex.ts";

/**
 * For sweeps of a million events only: a tag that binds key and message as a signature does, at a hundredth of the cost. Anyone who
 * knows the public key could forge it; the simulated forgers do not. `deployment` uses real signatures by default.
 */
export function simulatedSigner(id: string): Signer {
  const key: PublicKey = `ed25519:${sha256(new TextEncoder().encode(`simulated key of ${id}`))}`;
  return { id, key, sign: (message) => tag(key, message) };
}

export const verifySimulated: VerifySignature = (key, message, signature) => tag(key, message) === signature;

/** Two running products over key and message: a change in either changes both, which is all that a sweep needs. */
interface Products {
  readonly a: number;
  readonly b: number;
}

function over(bytes: Uint8Array, { a, b }: Products): Products {
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b + byte, 0x85ebca6b) ^ (a >>> 15);
  }
  return { a, b };
}

/** A key's products before any message. */
const keyed = new Map<PublicKey, Products>();

function startOf(key: PublicKey): Products {
  let start = keyed.get(key);
  if (start === undefined) {
    const hex: Hex = `0x${key.slice(key.indexOf(":") + 3)}`;
    start = over(hexToBytes(hex), { a: 0x811c9dc5, b: 0x01000193 });
    keyed.set(key, start);
  }
  return start;
}

function tag(key: PublicKey, message: Uint8Array): Signature {
  const products = over(message, startOf(key));
  const word = (value: number) => (value >>> 0).toString(16).padStart(8, "0");
  return `ed25519:0x${`${word(products.a)}${word(products.b)}`.repeat(8)}`;
}
