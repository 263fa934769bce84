import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { z } from "zod";
import { bytesToHex, type Hex, hexToBytes } from "../primitives/hex.ts";

/** Ed25519 (RFC 8032) or secp256k1 (SHA-256, low s, 64 bytes). */
const PUBLIC_KEY = /^(?:ed25519:0x[0-9a-f]{64}|secp256k1:0x0[23][0-9a-f]{64})$/;
const SIGNATURE = /^(?:ed25519|secp256k1):0x[0-9a-f]{128}$/;

export type SchemeName = "ed25519" | "secp256k1";
export type PublicKey = `${SchemeName}:${Hex}`;
export type Signature = `${SchemeName}:${Hex}`;

export const publicKeySchema = z.custom<PublicKey>(
  (value) => typeof value === "string" && PUBLIC_KEY.test(value),
  "expected ed25519:0x… (32 bytes) or secp256k1:0x… (33 bytes)",
);
export const signatureSchema = z.custom<Signature>(
  (value) => typeof value === "string" && SIGNATURE.test(value),
  "expected ed25519:0x… or secp256k1:0x… with 64 bytes",
);

/** Whether a signature is the key's over the message. Never throws. */
export type VerifySignature = (key: PublicKey, message: Uint8Array, signature: Signature) => boolean;

/** Holds a secret; signs for one identity. */
export interface Signer {
  readonly id: string;
  readonly key: PublicKey;
  sign(message: Uint8Array): Signature;
}

/** A signer from 32 secret bytes. */
export function signer(id: string, scheme: SchemeName, secret: Uint8Array): Signer {
  const curve = scheme === "ed25519" ? ed25519 : secp256k1;
  return {
    id,
    key: `${scheme}:${bytesToHex(curve.getPublicKey(secret))}`,
    sign: (message) => `${scheme}:${bytesToHex(curve.sign(message, secret))}`,
  };
}

export const verifySignature: VerifySignature = (key, message, signature) => {
  const [scheme, keyBytes] = split(key);
  const [signedWith, bytes] = split(signature);
  if (scheme !== signedWith) return false;
  try {
    // Strict RFC 8032: ZIP 215 would let one signature hold for several messages of a crafted key.
    return scheme === "ed25519" ? ed25519.verify(bytes, message, keyBytes, { zip215: false }) : secp256k1.verify(bytes, message, keyBytes);
  } catch {
    return false;
  }
};

function split(text: PublicKey | Signature): [scheme: string, bytes: Uint8Array] {
  const colon = text.indexOf(":");
  return [text.slice(0, colon), hexToBytes(`0x${text.slice(colon + 3)}`)];
}
