import { z } from "zod";
import type { Hex } from "../primitives/hex.ts";
import { type ByteSigner, isSignedBy, type SignatureAlgorithm, signerOf } from "../primitives/signing.ts";

/** Ed25519 (RFC 8032) or secp256k1 (SHA-256, low s, 64 bytes). */
const PUBLIC_KEY = /^(?:ed25519:0x[0-9a-f]{64}|secp256k1:0x0[23][0-9a-f]{64})$/;
const SIGNATURE = /^(?:ed25519|secp256k1):0x[0-9a-f]{128}$/;

export type SchemeName = SignatureAlgorithm;
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

/** Whether the key signed the message. Never throws. */
export type VerifySignature = (key: PublicKey, message: Uint8Array, signature: Signature) => boolean;

/** Holds a secret key; signs for one identity. */
export interface Signer {
  readonly id: string;
  readonly key: PublicKey;
  sign(message: Uint8Array): Signature;
}

/** A signer from a 32-byte secret key. */
export function signer(id: string, scheme: SchemeName, secret: Uint8Array): Signer {
  return signerBy(id, signerOf(scheme, secret));
}

/** A signer with a key shared with attestations and agreements. */
export function signerBy(id: string, { publicKey: { algorithm, key }, sign }: ByteSigner): Signer {
  return { id, key: `${algorithm}:${key}`, sign: (message) => `${algorithm}:${sign(message)}` };
}

export const verifySignature: VerifySignature = (key, message, signature) => {
  const [scheme, bytes] = split(key);
  const [signedWith, signed] = split(signature);
  return scheme === signedWith && isSignedBy({ algorithm: scheme, key: bytes }, message, signed);
};

function split(text: PublicKey | Signature): [scheme: SchemeName, bytes: Hex] {
  const scheme = text.startsWith("ed25519") ? "ed25519" : "secp256k1";
  return [scheme, `0x${text.slice(scheme.length + 3)}`];
}
