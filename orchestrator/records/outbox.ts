import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema, intentKeySchema } from "../primitives/hex.ts";
import type { Outbox, OutboxRow } from "../primitives/outbox.ts";
import { IntentTaken } from "../primitives/outbox.ts";
import type { LogInput, RecordLog } from "./log.ts";
import { isTaken, type Row, type Sql } from "./sql.ts";

const COLUMNS = "intent, signer, nonce, target, raw, hash, status, block";

const rowSchema = z.object({
  intent: intentKeySchema,
  signer: addressSchema,
  nonce: z.coerce.number().int(),
  target: addressSchema.nullable(),
  raw: hexSchema,
  hash: hashSchema,
  status: z.enum(["signed", "success", "reverted"]),
  block: z.coerce.bigint().nullable(),
});

/**
 * The sender's outbox in SQL. A note becomes a log entry in the same transaction as the row (decision 39). `sync` flushes commits to disk:
 * nothing is sent that a power cut could remove from the records.
 */
export function openOutbox(sql: Sql, log: RecordLog, sync = async (): Promise<void> => {}): Outbox<LogInput> {
  return {
    async find(intent) {
      const [row] = await sql.query(`SELECT ${COLUMNS} FROM outbox WHERE intent = $1`, [intent]);
      return row === undefined ? undefined : rowOf(row);
    },

    async insert(rows, notes) {
      await sql.transaction(async (within) => {
        for (const { intent, signer, nonce, to, raw, hash } of rows) {
          try {
            await within.query("INSERT INTO outbox (intent, signer, nonce, target, raw, hash) VALUES ($1, $2, $3, $4, $5, $6)", [
              intent,
              signer,
              nonce,
              to ?? null,
              raw,
              hash,
            ]);
          } catch (error) {
            if (isTaken(error)) throw new IntentTaken(intent, error);
            throw error;
          }
        }
        if (notes.length > 0) await log.append(notes, within);
      });
      await sync();
    },

    async settle(intent, status, block) {
      await sql.query("UPDATE outbox SET status = $2, block = $3 WHERE intent = $1", [intent, status, block.toString()]);
    },

    async unsettled(head) {
      const rows = await sql.query(`SELECT ${COLUMNS} FROM outbox WHERE status = 'signed' OR block > $1 ORDER BY seq`, [head.toString()]);
      return rows.map(rowOf);
    },

    async since(signer, nonce) {
      const rows = await sql.query(`SELECT ${COLUMNS} FROM outbox WHERE signer = $1 AND nonce >= $2 ORDER BY seq`, [signer, nonce]);
      return rows.map(rowOf);
    },

    async replace(intent, raw, hash) {
      await sql.query("UPDATE outbox SET raw = $2, hash = $3 WHERE intent = $1 AND status = 'signed'", [intent, raw, hash]);
    },

    async newestSettled(head) {
      const [row] = await sql.query(`SELECT ${COLUMNS} FROM outbox WHERE block <= $1 ORDER BY block DESC, seq DESC LIMIT 1`, [
        head.toString(),
      ]);
      return row === undefined ? undefined : rowOf(row);
    },

    async nextNonce(signer) {
      const [row] = await sql.query("SELECT max(nonce) + 1 AS next FROM outbox WHERE signer = $1", [signer]);
      return z.coerce.number().parse(row?.["next"] ?? 0);
    },
  };
}

function rowOf(row: Row): OutboxRow {
  const { target, block, ...rest } = rowSchema.parse(row);
  return { ...rest, to: target ?? undefined, block: block ?? undefined };
}
