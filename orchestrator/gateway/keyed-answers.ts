import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import { canonicalJson } from "../primitives/json.ts";
import type { Sql } from "../records/sql.ts";
import { Refused } from "./errors.ts";

/** A request's answer; `receipt`: for its payment. */
export interface Answered {
  readonly answer: string;
  readonly receipt?: string | undefined;
}

/** A request with an idempotency key chosen by its caller. */
export interface KeyedRequest {
  /** The caller's party (`partyOf`), so that no caller can use up another's keys. */
  readonly from: string;
  readonly key: string;
  readonly command: string;
  readonly input: unknown;
}

/** Lifetime of an answer, seconds; maximum number per party, and in all. */
const KEPT = 86_400;
const MAX_EACH = 256;
const MOST = 4_096;

const rowSchema = z.object({ request: z.string(), answer: z.string().nullable(), receipt: z.string().nullable() });
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

/** Parses an `Idempotency-Key` header: a structured-field string, or bare as most clients send it. Throws BadRequest. */
export function keyIn(header: string): string {
  const [, quoted, bare] = KEY.exec(header.trim()) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) throw new Refused("BadRequest", "Idempotency-Key is 1 to 255 visible characters, in quotes or bare");
  return key;
}

/**
 * First answers to requests with an `Idempotency-Key`, in the city's records. Refusals are not stored: they changed nothing, and a retry
 * may succeed. Commands must be idempotent themselves: after a power cut between command and answer they run again.
 */
export class KeyedAnswers {
  readonly #sql: Pick<Sql, "query">;
  /** Requests in progress: concurrent duplicates share one. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(sql: Pick<Sql, "query">) {
    this.#sql = sql;
  }

  /** The first answer under the key, or the result of `work`. Throws KeyReused for a different request. `now`: unix seconds. */
  async answer(asked: KeyedRequest, now: number, work: () => Promise<Answered>): Promise<Answered> {
    const place = `${asked.from} ${asked.key}`;
    const before = this.#busy.get(place) ?? Promise.resolve();
    const answered = before.then(() => this.#answer(asked, now, work));
    const ended = answered.catch(() => {});
    this.#busy.set(place, ended);
    try {
      return await answered;
    } finally {
      if (this.#busy.get(place) === ended) this.#busy.delete(place);
    }
  }

  async #answer({ from, key, command, input }: KeyedRequest, now: number, work: () => Promise<Answered>): Promise<Answered> {
    const request = sha256(canonicalJson({ command, input }));
    const mine = [from, key];
    const [known] = await this.#taken(mine, request, now);
    if (known !== undefined && known.request !== request)
      throw new Refused("KeyReused", "This Idempotency-Key was for another request", { action: "send a new key with a new request" });
    if (known !== undefined && known.answer !== null) return { answer: known.answer, receipt: known.receipt ?? undefined };
    try {
      const { answer, receipt } = await work();
      await this.#sql.query("UPDATE gateway_keyed SET answer = $3, receipt = $4 WHERE party = $1 AND key = $2", [
        ...mine,
        answer,
        receipt ?? null,
      ]);
      return { answer, receipt };
    } catch (error) {
      await this.#sql.query("DELETE FROM gateway_keyed WHERE party = $1 AND key = $2 AND answer IS NULL", mine);
      throw error;
    }
  }

  /** Reserves the key for this request; returns its earlier use, if any. */
  async #taken(mine: readonly string[], request: string, now: number): Promise<readonly z.infer<typeof rowSchema>[]> {
    await this.#sql.query("DELETE FROM gateway_keyed WHERE expires < $1", [now]);
    const fresh = await this.#sql.query(
      "INSERT INTO gateway_keyed (party, key, request, expires) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING key",
      [...mine, request, now + KEPT],
    );
    if (fresh.length === 0) {
      const rows = await this.#sql.query("SELECT request, answer, receipt FROM gateway_keyed WHERE party = $1 AND key = $2", [...mine]);
      return z.array(rowSchema).parse(rows);
    }
    // A party makes room among its own keys; overall, the party with the most does.
    await this.#sql.query(
      `DELETE FROM gateway_keyed WHERE party = $1 AND key IN
         (SELECT key FROM gateway_keyed WHERE party = $1 ORDER BY (key = $2) DESC, expires DESC, key OFFSET ${MAX_EACH})`,
      [...mine],
    );
    await this.#sql.query(
      `DELETE FROM gateway_keyed WHERE (SELECT count(*) FROM gateway_keyed) > ${MOST} AND (party, key) IN
         (SELECT party, key FROM gateway_keyed WHERE (party, key) <> ($1, $2) AND party =
           (SELECT party FROM gateway_keyed GROUP BY party ORDER BY count(*) DESC, min(expires) LIMIT 1) ORDER BY expires, key LIMIT 1)`,
      [...mine],
    );
    return [];
  }
}
