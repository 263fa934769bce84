import { readFileSync } from "node:fs";
import type { LocalAccount } from "viem";
import { decryptKeystore, KeyUnusable } from "../agent/keystore.ts";
import { DEVNET_CHAIN_ID, DEVNET_MNEMONIC } from "../chain/devnet.ts";
import { devnetSociety, type Member, membersOf } from "../city/founding/society.ts";
import { privateKeyToAccount } from "../primitives/accounts.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { isHash } from "../primitives/hex.ts";

/** The members' keys are unavailable. The message never contains the phrase. */
export class PhraseUnusable extends AgentCityError {
  constructor(problem: string) {
    super("PhraseUnusable", `The keys of this city's members are unavailable: ${problem}`, {
      action:
        "export AGENTCITY_MNEMONIC='twelve words …' (your own BIP-39 phrase): outside devnets this command derives every member's key from it",
    });
  }
}

/** The deployer from the environment: a key, or a keystore file with its password. */
export function deployerAccount(): LocalAccount {
  return signerAccount("AGENTCITY_DEPLOYER_KEY", "deployer");
}

/** A key from the environment: in the named variable, or in a keystore file with its password. */
export function signerAccount(variable: string, who: string): LocalAccount {
  const key = accountFrom(variable);
  if (key !== undefined) return key;
  const file = process.env["AGENTCITY_KEYSTORE"];
  if (file === undefined) throw new KeyUnusable(`There is no ${who} key`, variable);
  const password = process.env["AGENTCITY_KEYSTORE_PASSWORD"];
  if (password === undefined) throw new KeyUnusable("AGENTCITY_KEYSTORE_PASSWORD is not set");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new KeyUnusable(`The keystore ${file} cannot be read: ${messageOf(error)}`);
  }
  return privateKeyToAccount(decryptKeystore(text, password));
}

/** This adjudicator does not exist here. */
export class NoSuchSeat extends AgentCityError {
  constructor(name: string, problem: string) {
    super("NoSuchSeat", `Cannot sign as ${name}: ${problem}`, {
      action: "on a devnet --as adjudicator-1 … adjudicator-7; elsewhere AGENTCITY_ADJUDICATOR_KEY or AGENTCITY_KEYSTORE",
    });
  }
}

/** The adjudicator at this terminal: a key from the environment or a keystore, or on a devnet the named seat's. */
export function adjudicatorAccount(chainId: number, seat: string | undefined): LocalAccount {
  if (seat === undefined) return signerAccount("AGENTCITY_ADJUDICATOR_KEY", "adjudicator");
  if (chainId !== DEVNET_CHAIN_ID) {
    throw new NoSuchSeat(seat, `development keys sign on chain ${DEVNET_CHAIN_ID} only, this is ${chainId}`);
  }
  const member = membersOf(devnetSociety(), "adjudicator").find(({ name }) => name === seat);
  if (member === undefined) throw new NoSuchSeat(seat, "there is no such seat");
  return member.account;
}

/** Members of a city outside devnets: their keys come from one phrase, known to this machine only. */
export function ownSociety(): readonly Member[] {
  const phrase = process.env["AGENTCITY_MNEMONIC"]?.trim().replaceAll(/\s+/g, " ");
  const problem = (what: string) => new PhraseUnusable(what);
  if (phrase === undefined || phrase === "") throw problem("AGENTCITY_MNEMONIC is not set");
  if (![12, 15, 18, 21, 24].includes(phrase.split(" ").length)) throw problem("AGENTCITY_MNEMONIC is not 12 to 24 words");
  if (phrase === DEVNET_MNEMONIC) throw problem("AGENTCITY_MNEMONIC is the public development phrase");
  return devnetSociety(phrase);
}

/** The account of the key in an environment variable, if set. */
export function accountFrom(variable: string): LocalAccount | undefined {
  const key = process.env[variable];
  if (key === undefined || key === "") return undefined;
  if (!isHash(key)) throw new KeyUnusable(`${variable} is not 0x and 64 hex digits`);
  try {
    return privateKeyToAccount(key);
  } catch {
    throw new KeyUnusable(`${variable} is not a valid private key`);
  }
}
