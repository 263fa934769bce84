import { z } from "zod";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalJson, parseCanonicalJson } from "../primitives/json.ts";
import {
  type KeptAnswer,
  type KeptCall,
  keptAnswerSchema,
  keptCallSchema,
  type RecordedCall,
  type Silence,
  silenceSchema,
} from "../protocol/call-records.ts";
import type { Sql } from "./sql.ts";

/** Questions to external seats, and their answers. The first answer to a question is final. */
export interface CallRecords {
  /** This agent's answer to a question, if any. */
  answerTo(id: Hash, agent: string): Promise<KeptAnswer | undefined>;
  /** Stores an answer unless there is one. Returns the stored answer. */
  answered(call: KeptCall, scope: string | undefined, answer: KeptAnswer): Promise<KeptAnswer>;
  /** Records that a question went unanswered: the first time, and until an answer arrives. */
  silent(call: KeptCall, scope: string | undefined, silence: Silence): Promise<void>;
  /** Every question about one of these scopes, sorted by id. */
  about(scopes: readonly string[]): Promise<readonly RecordedCall[]>;
}

const text = z.string().nullable();
const rowSchema = z.object({ id: hashSchema, call: z.string(), answer: text, silence: text });

export function openCallRecords(sql: Sql): CallRecords {
  const read = <Value>(json: string | null, schema: z.ZodType<Value>) =>
    json === null ? undefined : schema.parse(parseCanonicalJson(json));

  async function answerTo(id: Hash, agent: string): Promise<KeptAnswer | undefined> {
    const [row] = await sql.query("SELECT answer FROM seat_calls WHERE id = $1 AND agent = $2", [id, agent]);
    return row === undefined ? undefined : read(text.parse(row["answer"]), keptAnswerSchema);
  }

  return {
    answerTo,

    async answered(call, scope, answer) {
      await sql.query(
        `INSERT INTO seat_calls (id, agent, scope, call, answer) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET answer = EXCLUDED.answer, call = EXCLUDED.call WHERE seat_calls.answer IS NULL`,
        [call.id, call.to, scope ?? null, canonicalJson(call), canonicalJson(answer)],
      );
      return (await answerTo(call.id, call.to)) ?? answer;
    },

    async silent(call, scope, silence) {
      await sql.query("INSERT INTO seat_calls (id, agent, scope, call, silence) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING", [
        call.id,
        call.to,
        scope ?? null,
        canonicalJson(call),
        canonicalJson(silence),
      ]);
    },

    async about(scopes) {
      const rows = await sql.query(
        "SELECT id, call, answer, silence FROM seat_calls WHERE scope = ANY($1::text[]) AND call IS NOT NULL ORDER BY id",
        [scopes],
      );
      return rows.map((row) => {
        const { call, answer, silence } = rowSchema.parse(row);
        const [answered, silent] = [read(answer, keptAnswerSchema), read(silence, silenceSchema)];
        return {
          ...keptCallSchema.parse(parseCanonicalJson(call)),
          ...(answered === undefined ? {} : { answered }),
          ...(silent === undefined ? {} : { silence: silent }),
        };
      });
    },
  };
}
