import { AgentCityError } from "./errors.ts";
import { keccak256 } from "./hash.ts";
import type { Address, Hash, Hex, IntentKey } from "./hex.ts";
import { canonicalBytes } from "./json.ts";

/** A signed transaction, before it is sent. */
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
  /** The block that it was mined in; undefined before. */
  readonly block: bigint | undefined;
}

/**
 * Stores what the sender signed (decision 37). `records/` keeps it in SQL, next to the log. `Note` is anything that the store can write in
 * the same transaction as the rows, such as a log entry.
 */
export interface Outbox<Note = never> {
  find(intent: IntentKey): Promise<OutboxRow | undefined>;
  /** Inserts all rows and notes, or none. Throws IntentTaken for an intent or a signer's nonce that exists already. */
  insert(rows: readonly SignedRow[], notes: readonly Note[]): Promise<void>;
  settle(intent: IntentKey, status: "success" | "reverted", block: bigint): Promise<void>;
  /**
   * Transactions that the chain may not have, in order of insertion: signed with unknown fate, or mined after `head`, which a chain that
   * was restored to an earlier state no longer has.
   */
  unsettled(head: bigint): Promise<readonly OutboxRow[]>;
  /** This signer's rows from a nonce on, in order, for a chain that lost its last blocks. */
  since(signer: Address, nonce: number): Promise<readonly OutboxRow[]>;
  /** Replaces the signed bytes of a step, keeping its nonce, after its fee proved too low. Only while it is unsettled. */
  replace(intent: IntentKey, raw: Hex, hash: Hash): Promise<void>;
  /** The last row settled in a block up to `head`: a chain that does not know it is a different chain. */
  newestSettled(head: bigint): Promise<OutboxRow | undefined>;
  /** One more than the highest nonce recorded for this signer. */
  nextNonce(signer: Address): Promise<number>;
}

/** The intent or the nonce already has a transaction. */
export class IntentTaken extends AgentCityError {
  constructor(intent: IntentKey, cause?: unknown) {
    super("IntentTaken", "This step, or its nonce, has a signed transaction already", { details: intent, cause });
  }
}

/** The unique name of an on-chain step: (session or mission, node, step, subject). */
export function intentKey(...parts: readonly (string | number | bigint)[]): IntentKey {
  return keccak256(canonicalBytes(["agentcity/intent/1", ...parts.map(String)])) as IntentKey;
}
