/** Agents of ERC-8004 registries as parties and evaluators: their terms pin a key, and the registry says whose account that is. */
import { hexSchema } from "../primitives/hex.ts";
import type { PublicKey } from "../primitives/signing.ts";
import type { KeyOf } from "./canonical.ts";
import { keyOfDid } from "./did.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, type PartyIdentity, sameIdentity } from "./schema.ts";

/** An agent's number at a registry, `eip155:<chain>:<registry>`. */
export interface AgentNumber {
  readonly registry: string;
  readonly agentId: bigint;
}

/** Port: what registries say of agents, and whose account a key is. Accounts are lower case. */
export interface AgentAccounts {
  /** By which an agent acts: its wallet and its owner; none for a number that nobody has, undefined for a registry that is not read here. */
  of(agent: AgentNumber): Promise<readonly string[] | undefined>;
  /** Undefined for a key that has none. */
  ofKey(key: PublicKey): string | undefined;
}

const NUMBERED = /^(eip155:[1-9]\d{0,17}:0x[0-9a-fA-F]{40})\/(0|[1-9]\d{0,76})$/;

function numberOf({ value }: PartyIdentity): AgentNumber | undefined {
  const [, registry, number] = NUMBERED.exec(value) ?? [];
  return registry === undefined || number === undefined ? undefined : { registry, agentId: BigInt(number) };
}

/** The key that an agent's identity states as `key`: secp256k1, compressed, as its account has it. */
export function pinnedIn(identity: PartyIdentity): PublicKey | undefined {
  const key = hexSchema.safeParse(identity["key"]).data;
  if (identity.scheme !== "erc8004" || key === undefined || !/^0x0[23][0-9a-f]{64}$/.test(key)) return undefined;
  return { algorithm: "secp256k1", key };
}

/** Everyone whom the terms name: the parties, then the evaluators, also those of a panel or a register. */
export function identitiesIn({ parties: { client, provider, evaluator } }: Agreement): readonly PartyIdentity[] {
  const { identity, backup, panel = [], selection } = evaluator;
  const evaluators = [identity, backup, ...panel, ...(selection?.register ?? []).map((each) => each.identity)];
  return [client.identity, provider.identity, ...evaluators].flatMap((each) => each ?? []);
}

/** Keys by the terms alone: of identities that are keys, and pinned ones. What an act says of its author's key counts for nothing. */
export function keysIn(agreement: Agreement): KeyOf {
  const named = identitiesIn(agreement);
  return (identity) => {
    const own = named.find((each) => sameIdentity(each, identity));
    return keyOfDid(identity) ?? (own === undefined ? undefined : pinnedIn(own));
  };
}

/**
 * Checks that everyone in the terms has a key, that agents' keys are of their accounts now, and that no two have a key or an account in
 * common, since one would then be the other's. Throws UnknownKey, NoRegistry, OneParty.
 */
export async function requireKeys(agreement: Agreement, accounts: AgentAccounts | undefined): Promise<void> {
  const keyOf = keysIn(agreement);
  const named = identitiesIn(agreement).map((identity) => ({ identity, key: requireKey(identity, keyOf) }));
  const held = await Promise.all(named.map(async ({ identity, key }) => [key.key, ...(await accountsHeld(identity, key, accounts))]));
  const holders = new Map<string, PartyIdentity>();
  for (const [index, { identity }] of named.entries()) {
    for (const each of held[index] ?? []) {
      const holder = holders.get(each);
      // A register may list a party too: the draw leaves it out.
      if (holder !== undefined && !sameIdentity(holder, identity))
        throw new AgreementRefused("OneParty", "Two of the identities have the same key or owner", identity.value);
      holders.set(each, identity);
    }
  }
}

function requireKey(identity: PartyIdentity, keyOf: KeyOf): PublicKey {
  const key = keyOf(identity);
  if (key !== undefined && (identity.scheme !== "erc8004" || numberOf(identity) !== undefined)) return key;
  throw new AgreementRefused(
    "UnknownKey",
    "Identities here must be keys (scheme w3c_did: did:key of Ed25519 or secp256k1), or agents with their account's `key` (erc8004)",
    identity.value,
  );
}

/** Accounts of an identity: of its key, or its agent's wallet and owner. Throws UnknownKey, NoRegistry. */
async function accountsHeld(identity: PartyIdentity, key: PublicKey, accounts: AgentAccounts | undefined): Promise<readonly string[]> {
  const account = accounts?.ofKey(key);
  const number = identity.scheme === "erc8004" ? numberOf(identity) : undefined;
  if (number === undefined) return account === undefined ? [] : [account];
  const held = await accounts?.of(number);
  if (held === undefined)
    throw new AgreementRefused("NoRegistry", "This registry of agents is not read here", number.registry, "name the party by a did:key");
  if (account === undefined || pinnedIn(identity)?.key !== key.key || !held.includes(account))
    throw new AgreementRefused("UnknownKey", "The key is not of the agent's wallet or owner at its registry", identity.value);
  return held;
}
