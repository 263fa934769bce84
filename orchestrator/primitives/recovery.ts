import { secp256k1 } from "@noble/curves/secp256k1.js";
import * as viem from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { type Address, bytesToHex, type Hash, type Hex, hexToBytes } from "./hex.ts";
import { keepNewest } from "./recent.ts";
import { libsecp256k1 } from "./secp256k1.ts";

/** Signatures whose signer is remembered. */
const REMEMBERED = 4_096;
const remembered = new Map<string, Address>();

/**
 * The account that signed a hash, as viem recovers it, which takes up to two milliseconds. The last ones are remembered: every component
 * that handles a signature asks, and each part of an audit again. Rejects what is no signature.
 */
export async function recoverAddress({ hash, signature }: { readonly hash: Hash; readonly signature: Hex }): Promise<Address> {
  const name = `${hash}${signature}`;
  const signer = remembered.get(name) ?? recovered(hash, signature) ?? (await viem.recoverAddress({ hash, signature }));
  keepNewest(remembered, name, signer, REMEMBERED);
  return signer;
}

/** The account that signed a serialized transaction. Rejects anything else. */
export async function recoverSender(raw: Hex): Promise<Address> {
  const { r, s, v, yParity, ...transaction } = viem.parseTransaction(raw);
  // Other types hide the parity in another number, or are sent with more than was signed.
  if (transaction.type !== "eip1559" || r === undefined || s === undefined || yParity === undefined)
    return viem.recoverTransactionAddress({ serializedTransaction: raw as viem.TransactionSerialized });
  return recoverAddress({
    hash: viem.keccak256(viem.serializeTransaction(transaction)),
    signature: viem.serializeSignature({ r, s, yParity }),
  });
}

/** The account of a secp256k1 key. Throws if it is not a point of the curve. */
export function accountOfKey(key: Hex): Address {
  return publicKeyToAddress(bytesToHex(secp256k1.Point.fromHex(key.slice(2)).toBytes(false)));
}

/** Undefined where libsecp256k1 is not installed or finds no key: what viem makes of it is the answer. */
function recovered(hash: Hash, signature: Hex): Address | undefined {
  const recovery = RECOVERY[signature.slice(130)];
  if (libsecp256k1 === undefined || recovery === undefined) return undefined;
  try {
    const key = libsecp256k1.recover(hexToBytes(hash), hexToBytes(signature).subarray(0, 64), recovery);
    return key === null ? undefined : publicKeyToAddress(bytesToHex(key));
  } catch {
    return undefined;
  }
}

/** The parity of a signature's point by its last byte. */
const RECOVERY: Readonly<Record<string, 0 | 1>> = { "00": 0, "01": 1, "1b": 0, "1c": 1, "1B": 0, "1C": 1 };
