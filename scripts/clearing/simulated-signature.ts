import type { PublicKey, Signature, Signer, VerifySignature } from "../../orchestrator/clearing/signature.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { type Hex, hexToBytes } from "../../orchestrator/primitives/hex.ts";

/**
 * For sweeps of a million events only: a tag that binds key and message as a signature does, at a hundredth of the cost. Anybody who
 * knows the public key could make it; the forgers of a sweep do not, because they are ours. Real signatures: `deployment`'s default.
 */
export function simulatedSigner(id: string): Signer {
  const key: PublicKey = `ed25519:${sha256(new TextEncoder().encode(`simulated key of ${id}`))}`;
  return { id, key, sign: (message) => tag(key, message) };
}

export const verifySimulated: VerifySignature = (key, message, signature) => signature === tag(key, message);

const keyBytes = new Map<PublicKey, Uint8Array>();

function tag(key: PublicKey, message: Uint8Array): Signature {
  let prefix = keyBytes.get(key);
  if (prefix === undefined) {
    const hex: Hex = `0x${key.slice(key.indexOf(":") + 3)}`;
    prefix = hexToBytes(hex);
    keyBytes.set(key, prefix);
  }
  // Two running products over key and message: a change in either changes both, which is all that a sweep's forgers rely on.
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (const part of [prefix, message]) {
    for (const byte of part) {
      a = Math.imul(a ^ byte, 0x01000193);
      b = Math.imul(b + byte, 0x85ebca6b) ^ (a >>> 15);
    }
  }
  const word = (value: number) => (value >>> 0).toString(16).padStart(8, "0");
  return `ed25519:0x${`${word(a)}${word(b)}`.repeat(8)}`;
}
