import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, type Hex, type LocalAccount, parseEther } from "viem";
import { HDKey } from "viem/accounts";
import { privateKeyToAccount } from "../primitives/accounts.ts";
import { keepNewest } from "../primitives/recent.ts";
import { type ByteSigner, signerOf } from "../primitives/signing.ts";
import type { Genesis } from "./transcript.ts";

/** The chain id of every devnet; features allowed only there (simulated humans, time travel, known keys) check it. */
export const DEVNET_CHAIN_ID = 31337;

/** The development mnemonic known to every Ethereum tool. Worthless by design. */
export const DEVNET_MNEMONIC = "test test test test test test test test test test test junk";

/** Default block 0 of the embedded chain: date and money never change (decision 35). */
export const DEVNET_GENESIS: Genesis = {
  chainId: DEVNET_CHAIN_ID,
  timestamp: Date.UTC(2026, 0, 1) / 1000,
  hardfork: "isthmus",
  mnemonic: DEVNET_MNEMONIC,
  accounts: 10,
  balance: parseEther("10000").toString(),
  coinbase: "0x00000000000000000000000000000000000000c0",
  baseFee: 1_000_000_000,
  gasLimit: 60_000_000,
};

/** HD nodes of devnet accounts, by mnemonic: stretching the words takes longer than deriving a hundred keys. */
const branches = new Map<string, HDKey>();
/** By mnemonic and index: a city asks for fifty, and each is derived by two multiplications on the curve. */
const accounts = new Map<string, LocalAccount>();
const MAX_ACCOUNTS = 1_024;

/** Account `index` of a devnet, m/44'/60'/0'/0/index; the first ten have gas money, here and on Anvil. */
export function devnetAccount(index: number, mnemonic: string = DEVNET_MNEMONIC): LocalAccount {
  const name = `${mnemonic}/${index}`;
  const account = accounts.get(name) ?? privateKeyToAccount(devnetSecret(index, mnemonic));
  keepNewest(accounts, name, account, MAX_ACCOUNTS);
  return account;
}

/** Its private key, which is public knowledge. */
export function devnetSecret(index: number, mnemonic?: string): Hex {
  return bytesToHex(devnetKey(index, mnemonic));
}

/** The same key, for signatures that stay off chain. */
export function devnetSigner(index: number, mnemonic?: string): ByteSigner {
  return signerOf("secp256k1", devnetKey(index, mnemonic));
}

function devnetKey(index: number, mnemonic: string = DEVNET_MNEMONIC): Uint8Array {
  const branch = branches.get(mnemonic) ?? branchOf(mnemonic);
  branches.set(mnemonic, branch);
  const { privateKey } = branch.deriveChild(index);
  if (privateKey === null) throw new RangeError(`no key at index ${index}`);
  return privateKey;
}

/** Looked up at run time: browsers have none. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto");

/** BIP-39 and BIP-44. Node stretches the words in a millisecond, JavaScript in two hundred. */
function branchOf(mnemonic: string): HDKey {
  const words = mnemonic.normalize("NFKD");
  const seed =
    native === undefined
      ? pbkdf2(sha512, words, "mnemonic", { c: 2_048, dkLen: 64 })
      : native.pbkdf2Sync(words, "mnemonic", 2_048, 64, "sha512");
  return HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");
}
