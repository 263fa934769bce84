import type { Address, IntentKey } from "../primitives/hex.ts";
import type { Outbox, OutboxRow } from "../primitives/outbox.ts";
import { IntentTaken } from "../primitives/outbox.ts";

export type { Outbox, OutboxRow, RowStatus, SignedRow } from "../primitives/outbox.ts";
export { IntentTaken, intentKey } from "../primitives/outbox.ts";

/** An outbox in memory, for a chain that also ends with the process. */
export function memoryOutbox(): Outbox<never> {
  const rows = new Map<IntentKey, OutboxRow>();
  const nonces = new Map<Address, number>();
  return {
    find: async (intent) => rows.get(intent),
    async insert(added) {
      const taken = new Set<string>();
      for (const row of added) {
        if (rows.has(row.intent) || taken.has(row.intent) || row.nonce < (nonces.get(row.signer) ?? 0)) throw new IntentTaken(row.intent);
        taken.add(row.intent);
      }
      for (const row of added) {
        rows.set(row.intent, { ...row, status: "signed", block: undefined });
        nonces.set(row.signer, Math.max(nonces.get(row.signer) ?? 0, row.nonce + 1));
      }
    },
    async settle(intent, status, block) {
      const row = rows.get(intent);
      if (row !== undefined) rows.set(intent, { ...row, status, block });
    },
    unsettled: async (head) => [...rows.values()].filter(({ block }) => block === undefined || block > head),
    since: async (signer, nonce) => [...rows.values()].filter((row) => row.signer === signer && row.nonce >= nonce),
    async replace(intent, raw, hash) {
      const row = rows.get(intent);
      if (row?.status === "signed") rows.set(intent, { ...row, raw, hash });
    },
    newestSettled: async (head) =>
      [...rows.values()].reduce<OutboxRow | undefined>(
        (newest, row) => (row.block !== undefined && row.block <= head && row.block >= (newest?.block ?? 0n) ? row : newest),
        undefined,
      ),
    nextNonce: async (signer) => nonces.get(signer) ?? 0,
  };
}
