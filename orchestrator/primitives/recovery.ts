import * as viem from "viem";
import type { Address, Hash, Hex } from "./hex.ts";
import { keepNewest } from "./recent.ts";

/** Signatures whose signer is remembered. */
const REMEMBERED = 4_096;
const remembered = new Map<string, Address>();

/**
 * The account that signed a hash, as viem recovers it, which takes two milliseconds. The last ones are remembered: every component that
 * handles a signature asks, and each part of an audit again. Rejects what is no signature.
 */
export async function recoverAddress({ hash, signature }: { readonly hash: Hash; readonly signature: Hex }): Promise<Address> {
  const name = `${hash}${signature}`;
  const signer = remembered.get(name) ?? (await viem.recoverAddress({ hash, signature }));
  keepNewest(remembered, name, signer, REMEMBERED);
  return signer;
}
