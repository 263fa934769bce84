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

/** Node's own Ed25519 is many times as fast. Asked for at run time, so that this file bundles for places that have none. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto");
/** What comes before the 32 bytes of a secret (PKCS #8) and of a public key (SPKI) in DER (RFC 8410). */
const SECRET_DER: Hex = "0x302e020100300506032b657004220420";
const PUBLIC_DER: Hex = "0x302a300506032b6570032100";

type NativeKey = ReturnType<NonNullable<typeof native>["createPublicKey"]>;
/** Keys as Node holds them, the latest thousand; null for one that only the slow way may judge. */
const known = new Map<Hex, NativeKey | null>();
const MAX_KEYS = 1_024;

const der = (before: Hex, key: Uint8Array): Uint8Array => new Uint8Array([...hexToBytes(before), ...key]);

function nativeKey(key: Hex): NativeKey | null {
  if (native === undefined) return null;
  const before = known.get(key);
  if (before !== undefined) return before;
  let made: NativeKey | null = null;
  const point = ed25519.Point.fromHex(key.slice(2), false);
  if (!point.isSmallOrder())
    made = native.createPublicKey({ key: Buffer.from(der(PUBLIC_DER, hexToBytes(key))), format: "der", type: "spki" });
  known.set(key, made);
  const [oldest] = known.keys();
  if (known.size > MAX_KEYS && oldest !== undefined) known.delete(oldest);
  return made;
}

/**
 * What Node accepts of a sound key the other accepts too, which multiplies by the cofactor; what Node refuses is asked of the other, so
 * that everybody, browsers included, comes to the same answer.
 */
function isEd25519(signature: Uint8Array, message: Uint8Array, key: Hex): boolean {
  const held = nativeKey(key);
  if (held !== null && native?.verify(null, message, held, signature) === true) return true;
  return ed25519.verify(signature, message, hexToBytes(key), { zip215: false });
}

function signWith(algorithm: SignatureAlgorithm, secret: Uint8Array): (message: Uint8Array) => Hex {
  if (algorithm === "secp256k1" || native === undefined) return (message) => bytesToHex(SCHEMES[algorithm].sign(message, secret));
  const held = native.createPrivateKey({ key: Buffer.from(der(SECRET_DER, secret)), format: "der", type: "pkcs8" });
  return (message) => `0x${native.sign(null, message, held).toString("hex")}`;
}

/** A signer over a 32-byte secret. Throws InvalidValue for a secret that is no key. */
export function signerOf(algorithm: SignatureAlgorithm, secret: Uint8Array): ByteSigner {
  const scheme = SCHEMES[algorithm];
  let key: Hex;
  try {
    key = bytesToHex(scheme.getPublicKey(secret));
  } catch (cause) {
    throw new InvalidValue("secret key", `it is none of ${algorithm}`, { cause });
  }
  return { publicKey: { algorithm, key }, sign: signWith(algorithm, secret) };
}

/** Whether the key signed exactly these bytes, in the one form a signature has. Never throws: what cannot be read is no signature. */
export function isSignedBy({ algorithm, key }: PublicKey, message: Uint8Array, signature: Hex): boolean {
  try {
    const bytes = hexToBytes(signature);
    return algorithm === "ed25519" ? isEd25519(bytes, message, key) : secp256k1.verify(bytes, message, hexToBytes(key));
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
