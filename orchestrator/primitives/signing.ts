import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { InvalidValue } from "./errors.ts";
import { bytesToHex, type Hex, hexToBytes } from "./hex.ts";
import { keepNewest } from "./recent.ts";
import { libsecp256k1 } from "./secp256k1.ts";

/** For signatures that stay off chain. Anything that can move money on chain is signed by EIP-712 instead (decision 40). */
export const SIGNATURE_ALGORITHMS = ["ed25519", "secp256k1"] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** A key and its algorithm. secp256k1 keys are compressed, 33 bytes; Ed25519 keys have 32. */
export interface PublicKey {
  readonly algorithm: SignatureAlgorithm;
  readonly key: Hex;
}

/** Signs bytes without exposing the key. Both algorithms are deterministic: the same bytes give the same 64-byte signature. */
export interface ByteSigner {
  readonly publicKey: PublicKey;
  sign(message: Uint8Array): Hex;
}

const SCHEMES = { ed25519, secp256k1 } as const;

/** Node's own signatures are several times as fast. Looked up at run time, so that this file also bundles for browsers. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto");
/** DER prefixes of the 32 bytes of an Ed25519 secret key (PKCS #8), and of public keys (SPKI): RFC 8410, RFC 5480. */
const SECRET_DER: Hex = "0x302e020100300506032b657004220420";
const PUBLIC_DER = {
  ed25519: "0x302a300506032b6570032100",
  secp256k1: "0x3036301006072a8648ce3d020106052b8104000a032200",
} as const satisfies Record<SignatureAlgorithm, Hex>;

const KEY_BYTES = { ed25519: 32, secp256k1: 33 } as const satisfies Record<SignatureAlgorithm, number>;

type NativeKey = ReturnType<NonNullable<typeof native>["createPublicKey"]>;
/** The last thousand keys as Node key objects; null for a key that only the slow path may judge. */
const known = new Map<Hex, NativeKey | null>();
const MAX_KEYS = 1_024;

const der = (before: Hex, key: Uint8Array): Uint8Array => new Uint8Array([...hexToBytes(before), ...key]);

/** Keys of the two algorithms differ in length; one of another length is none that Node reads. */
function nativeKey({ algorithm, key }: PublicKey): NativeKey | null {
  if (native === undefined || key.length !== 2 + 2 * KEY_BYTES[algorithm]) return null;
  const before = known.get(key);
  if (before !== undefined) return before;
  let made: NativeKey | null = null;
  if (algorithm === "secp256k1" || !ed25519.Point.fromHex(key.slice(2), false).isSmallOrder())
    made = native.createPublicKey({ key: Buffer.from(der(PUBLIC_DER[algorithm], hexToBytes(key))), format: "der", type: "spki" });
  keepNewest(known, key, made, MAX_KEYS);
  return made;
}

/**
 * A signature that Node accepts under a sound key is accepted by noble too, which multiplies by the cofactor; whatever Node refuses is
 * checked by noble, so that every verifier, browsers included, reaches the same result.
 */
function isEd25519(signature: Uint8Array, message: Uint8Array, key: Hex): boolean {
  const held = nativeKey({ algorithm: "ed25519", key });
  if (held !== null && native?.verify(null, message, held, signature) === true) return true;
  return ed25519.verify(signature, message, hexToBytes(key), { zip215: false });
}

/** The same: what Node accepts, noble does, but of a signature and its mirror image only the one with the lower s. */
function isSecp256k1(signature: Uint8Array, message: Uint8Array, key: Hex): boolean {
  const held = nativeKey({ algorithm: "secp256k1", key });
  const isLow = !secp256k1.Signature.fromBytes(signature, "compact").hasHighS();
  if (held !== null && isLow && native?.verify("sha256", message, { key: held, dsaEncoding: "ieee-p1363" }, signature) === true)
    return true;
  return secp256k1.verify(signature, message, hexToBytes(key));
}

function signWith(algorithm: SignatureAlgorithm, secret: Uint8Array): (message: Uint8Array) => Hex {
  if (algorithm === "secp256k1" && libsecp256k1 !== undefined) {
    const { sign } = libsecp256k1;
    return (message) => bytesToHex(sign(sha256(message), secret));
  }
  if (algorithm === "secp256k1" || native === undefined) return (message) => bytesToHex(SCHEMES[algorithm].sign(message, secret));
  const held = native.createPrivateKey({ key: Buffer.from(der(SECRET_DER, secret)), format: "der", type: "pkcs8" });
  return (message) => `0x${native.sign(null, message, held).toString("hex")}`;
}

/** A signer over a 32-byte secret. Throws InvalidValue for an invalid secret key. */
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

/** Whether the key signed exactly these bytes, in the canonical form. Never throws: unreadable signatures are invalid. */
export function isSignedBy({ algorithm, key }: PublicKey, message: Uint8Array, signature: Hex): boolean {
  try {
    const bytes = hexToBytes(signature);
    return algorithm === "ed25519" ? isEd25519(bytes, message, key) : isSecp256k1(bytes, message, key);
  } catch {
    return false;
  }
}

/**
 * Recovers the secp256k1 key that signed these bytes; undefined if it is not the account's. `isIts` tests an uncompressed key against the
 * account.
 */
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
      // Not a point of the curve.
    }
  }
  return undefined;
}
