import { base58btc } from "multiformats/bases/base58";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import type { PublicKey, SignatureAlgorithm } from "../primitives/signing.ts";
import type { KeyOf } from "./canonical.ts";

/** Multicodec prefixes of public keys, and the keys' lengths in bytes. */
const CODECS: Readonly<Record<SignatureAlgorithm, readonly [number, number, number]>> = {
  ed25519: [0xed, 0x01, 32],
  secp256k1: [0xe7, 0x01, 33],
};
const PREFIX = "did:key:";

/** The identity of a key: `did:key:z…`. */
export function didOf({ algorithm, key }: PublicKey): string {
  const [first, second] = CODECS[algorithm];
  return PREFIX + base58btc.encode(new Uint8Array([first, second, ...hexToBytes(key)]));
}

/** Keys of identities that contain their key (scheme `w3c_did`, method `key`), which needs no trust. Others have none. */
export const keyOfDid: KeyOf = ({ scheme, value }) => {
  if (scheme !== "w3c_did" || !value.startsWith(`${PREFIX}z`) || value.length > MOST) return undefined;
  let bytes: Uint8Array;
  try {
    bytes = base58btc.decode(value.slice(PREFIX.length));
  } catch {
    return undefined;
  }
  for (const [algorithm, [first, second, length]] of Object.entries(CODECS)) {
    if (bytes[0] !== first || bytes[1] !== second || bytes.length !== length + 2) continue;
    const key: PublicKey = { algorithm: algorithm as SignatureAlgorithm, key: bytesToHex(bytes.slice(2)) };
    // Each key has exactly one text: another spelling would be another identity.
    return didOf(key) === value ? key : undefined;
  }
  return undefined;
};

/** Upper bound on the length of such an identity, characters. */
const MOST = 80;
