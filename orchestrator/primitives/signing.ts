import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { InvalidValue } from "./errors.ts";
import { bytesToHex, type Hex, hexToBytes } from "./hex.ts";

/** For what stays off chain. What can move money on chain is signed by EIP-712 instead (decision 40). */
export const SIGNATURE_ALGORITHMS = ["ed25519", "secp256k1"] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** Whose signature counts, and how it is checked. secp256k1 keys are compressed, 33 bytes; Ed25519 keys have 32. */
export interface PublicKey {
  readonly algorithm: SignatureAlgorithm;
  readonly key: Hex;
}

/** Signs bytes; the key itself stays inside. Both algorithms are deterministic: the same bytes give the same 64-byte signature. */
export interface ByteSigner {
  readonly publicKey: PublicKey;
  sign(message: Uint8Array): Hex;
}

const SCHEMES = { ed25519, secp256k1 } as const;

/** A signer over a 32-byte secret. Throws InvalidValue for a secret that is no key. */
export function signerOf(algorithm: SignatureAlgorithm, secret: Uint8Array): ByteSigner {
  const scheme = SCHEMES[algorithm];
  let key: Hex;
  try {
    key = bytesToHex(scheme.getPublicKey(secret));
  } catch (cause) {
    throw new InvalidValue("secret key", `it is none of ${algorithm}`, { cause });
  }
  return { publicKey: { algorithm, key }, sign: (message) => bytesToHex(scheme.sign(message, secret)) };
}

/** Whether the key signed exactly these bytes, in the one form a signature has. Never throws: what cannot be read is no signature. */
export function isSignedBy({ algorithm, key }: PublicKey, message: Uint8Array, signature: Hex): boolean {
  try {
    const [bytes, by] = [hexToBytes(signature), hexToBytes(key)];
    return algorithm === "ed25519" ? ed25519.verify(bytes, message, by, { zip215: false }) : secp256k1.verify(bytes, message, by);
  } catch {
    return false;
  }
}

/** The secp256k1 key of an account that made a signature over these bytes; undefined if it did not. `isIts`: whether an uncompressed key is the account's. */
export function keyBehind(message: Uint8Array, signature: Hex, isIts: (uncompressed: Hex) => boolean): PublicKey | undefined {
  for (const recovery of [0, 1]) {
    try {
      const point = secp256k1.Signature.fromBytes(hexToBytes(signature), "compact")
        .addRecoveryBit(recovery)
        .recoverPublicKey(sha256(message));
      if (!isIts(bytesToHex(point.toBytes(false)))) continue;
      const key: PublicKey = { algorithm: "secp256k1", key: bytesToHex(point.toBytes(true)) };
      return isSignedBy(key, message, signature) ? key : undefined;
    } catch {
      // No point of the curve.
    }
  }
  return undefined;
}
