import { AgentCityError } from "./errors.ts";
import { keccak256 } from "./hash.ts";
import type { Address, Hash, Hex, IntentKey } from "./hex.ts";
import { canonicalBytes } from "./json.ts";

/** A transaction as signed, before anybody saw it. */
export interface SignedRow {
  readonly intent: IntentKey;
  readonly signer: Address;
  readonly nonce: number;
  /** Undefined when a contract is created. */
  readonly to: Address | undefined;
  readonly raw: Hex;
  readonly hash: Hash;
}

export type RowStatus = "signed" | "success" | "reverted";

export interface OutboxRow extends SignedRow {
  readonly status: RowStatus;
  /** The block it was mined in, once it was. */
  readonly block: bigint | undefined;
}

/**
 * Where the sender remembers what it signed (decision 37). `records/` keeps it in SQL, beside the log. `Note` is whatever
 * the store can write in the same transaction as the rows, such as a log entry.
 */
export interface Outbox<Note = never> {
  find(intent: IntentKey): Promise<OutboxRow | undefined>;
  /** All rows and notes, or none. Throws IntentTaken when an intent, or a signer's nonce, is there already. */
  insert(rows: readonly SignedRow[], notes: readonly Note[]): Promise<void>;
  settle(intent: IntentKey, status: "success" | "reverted", block: bigint): Promise<void>;
  /**
   * What the chain may not have, in the order of insertion: signed with unknown fate, or settled in a block after `head`, which
   * a chain that lost its last moments does not have any more.
   */
  unsettled(head: bigint): Promise<readonly OutboxRow[]>;
  /** This signer's rows from a nonce on, in order: what a chain that took back its last blocks does not have any more. */
  since(signer: Address, nonce: number): Promise<readonly OutboxRow[]>;
  /** The same step and nonce in other bytes, because nobody takes the old ones: a fee was too low. Only while it is not settled. */
  replace(intent: IntentKey, raw: Hex, hash: Hash): Promise<void>;
  /** The row settled last in a block up to `head`: a chain that does not know it is another chain. */
  newestSettled(head: bigint): Promise<OutboxRow | undefined>;
  /** One more than the highest nonce ever recorded for this signer. */
  nextNonce(signer: Address): Promise<number>;
}

/** The intent, or the nonce, has a transaction already. */
export class IntentTaken extends AgentCityError {
  constructor(intent: IntentKey, cause?: unknown) {
    super("IntentTaken", "This step, or its nonce, has a signed transaction already", { details: intent, cause });
  }
}

/** The one name of an on-chain step: (session or mission, node, step, subject). */
export function intentKey(...parts: readonly (string | number | bigint)[]): IntentKey {
  return keccak256(canonicalBytes(["agentcity/intent/1", ...parts.map(String)])) as IntentKey;
}
