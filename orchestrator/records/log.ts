import { zeroHash } from "viem";
import { z } from "zod";
import type { Clock } from "../primitives/clock.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { parseContentId, sha256 } from "../primitives/hash.ts";
import type { ContentId, Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../primitives/json.ts";
import { Mutex } from "../primitives/mutex.ts";
import { LogBroken } from "./errors.ts";
import { isTaken, type Row, type Sql } from "./sql.ts";

/** An entry to append. */
export interface LogInput {
  /** e.g. "legislature.ballot". */
  readonly kind: string;
  /** Ids that this entry is about: session, mission, agent, node … */
  readonly subjects: readonly string[];
  /** The block that holds the payload. */
  readonly content?: ContentId | undefined;
}

export interface LogEntry {
  /** 1, 2, 3 … without gaps. */
  readonly seq: number;
  /** Seconds of the city's clock. */
  readonly time: number;
  readonly kind: string;
  readonly subjects: readonly string[];
  readonly content: ContentId | null;
  /** Hash of the previous entry; zeros for the first. */
  readonly prev: Hash;
  /** SHA-256 of the RFC 8785 bytes of all the fields above. */
  readonly hash: Hash;
}

/** The end of the hash chain. */
export interface LogHead {
  readonly seq: number;
  readonly hash: Hash;
}

export interface LogFilter {
  readonly kind?: string;
  readonly subject?: string;
  /** Entries after this number. */
  readonly after?: number;
  readonly limit?: number;
  /** Newest entries first. */
  readonly newest?: boolean;
}

export const EMPTY_LOG: LogHead = { seq: 0, hash: zeroHash };

const PAGE = 1_000;

const entrySchema = z.strictObject({
  seq: z.coerce.number().int().positive(),
  time: z.coerce.number().int().nonnegative(),
  kind: z.string().min(1),
  subjects: z.array(z.string()),
  content: z.string().transform(parseContentId).nullable(),
  prev: hashSchema,
  hash: hashSchema,
});

/** The city's only log: append-only, each entry holding the hash of the previous one. */
export class RecordLog {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #turns = new Mutex();
  /** The last entry that this process appended, if known. */
  #last: LogHead | undefined;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  /** Appends in order. `within`: a transaction shared with other rows, so that they and the entries commit together. */
  append(inputs: readonly LogInput[], within?: Sql): Promise<readonly LogEntry[]> {
    if (within !== undefined) return this.#appendLocked(inputs, within);
    return this.#turns.run(async () => {
      const entries = (await this.#appendNext(inputs)) ?? (await this.#appendLocked(inputs, this.#sql));
      this.#last = entries.at(-1);
      return entries;
    });
  }

  /** One entry in one statement. Undefined if another process appended meanwhile, so that the number is taken. */
  async #appendNext(inputs: readonly LogInput[]): Promise<readonly LogEntry[] | undefined> {
    const [input, ...more] = inputs;
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined || input === undefined || more.length > 0) return undefined;
    const entry = follow(last, Number(this.#clock.now()), input);
    try {
      await insert(this.#sql, [entry]);
      return [entry];
    } catch (error) {
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  #appendLocked(inputs: readonly LogInput[], within: Sql): Promise<readonly LogEntry[]> {
    return within.transaction(async (sql) => {
      await sql.query("LOCK TABLE log IN EXCLUSIVE MODE");
      let head = await headOf(sql);
      const entries: LogEntry[] = [];
      for (const input of inputs) {
        const entry = follow(head, Number(this.#clock.now()), input);
        entries.push(entry);
        head = entry;
      }
      await insert(sql, entries);
      return entries;
    });
  }

  head(): Promise<LogHead> {
    return headOf(this.#sql);
  }

  /** A page of entries in order, or from the newest back; at most 1,000. */
  async read(filter: LogFilter = {}): Promise<readonly LogEntry[]> {
    const rows = await this.#sql.query(
      `SELECT seq, time, kind, subjects, content, prev, hash FROM log
       WHERE seq > $1 AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR subjects @> ARRAY[$3]) ORDER BY seq ${filter.newest === true ? "DESC" : "ASC"} LIMIT $4`,
      [filter.after ?? 0, filter.kind ?? null, filter.subject ?? null, Math.min(filter.limit ?? PAGE, PAGE)],
    );
    return rows.map(entryOf);
  }

  /** Every line of the log in order: the text of `log.ndjson`, and what `verifyLog` reads. */
  async *lines(): AsyncGenerator<string> {
    for (let after = 0; ; ) {
      const page = await this.read({ after });
      for (const entry of page) yield logLine(entry);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }

  /** Recomputes the whole chain. Throws LogBroken, or returns its head. */
  verify(): Promise<LogHead> {
    return verifyLog(this.lines());
  }
}

export function logLine(entry: LogEntry): string {
  return canonicalJson(entry);
}

/** Verifies lines of a log from any source: sequence, links and hashes. Returns the head. Throws LogBroken. */
export async function verifyLog(lines: AsyncIterable<string> | Iterable<string>): Promise<LogHead> {
  let head = EMPTY_LOG;
  for await (const line of lines) head = checkLine(line, head);
  return { seq: head.seq, hash: head.hash };
}

/** Parses and verifies a `log.ndjson`. Throws LogBroken, or LogTorn for an unfinished last line. */
export function parseLog(text: string): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  if (!text.endsWith("\n")) throw new AgentCityError("LogTorn", "The last line of the log is torn");
  for (const line of text.slice(0, -1).split("\n")) entries.push(checkLine(line, entries.at(-1) ?? EMPTY_LOG));
  return entries;
}

/** Parses one line and checks that it follows `head`. */
export function checkLine(line: string, head: LogHead): LogEntry {
  const expected = head.seq + 1;
  let entry: LogEntry;
  try {
    entry = entrySchema.parse(parseJson(line));
  } catch (error) {
    throw new LogBroken(expected, error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error));
  }
  if (logLine(entry) !== line) throw new LogBroken(expected, "it is not in canonical form");
  if (entry.seq !== expected) throw new LogBroken(expected, `found entry ${entry.seq} in its place`);
  if (entry.prev !== head.hash) throw new LogBroken(expected, "it does not name the entry before it");
  if (entry.hash !== hashOf(entry)) throw new LogBroken(expected, "its hash is not that of its fields");
  return entry;
}

/** The end of the log in these tables. */
export async function headOf(sql: Pick<Sql, "query">): Promise<LogHead> {
  const [row] = await sql.query("SELECT seq, hash FROM log ORDER BY seq DESC LIMIT 1");
  return row === undefined ? EMPTY_LOG : z.object({ seq: z.coerce.number(), hash: hashSchema }).parse(row);
}

async function insert(sql: Sql, entries: readonly LogEntry[]): Promise<void> {
  const columns = "seq, time, kind, subjects, content, prev, hash";
  const rows = JSON.stringify(entries);
  await sql.query(`INSERT INTO log (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::log, $1)`, [rows]);
}

function entryOf(row: Row): LogEntry {
  return entrySchema.parse(row);
}

function follow(head: LogHead, time: number, { kind, subjects, content }: LogInput): LogEntry {
  const entry = { seq: head.seq + 1, time, kind, subjects: [...subjects], content: content ?? null, prev: head.hash };
  return { ...entry, hash: hashOf(entry) };
}

function hashOf({ seq, time, kind, subjects, content, prev }: Omit<LogEntry, "hash">): Hash {
  return sha256(canonicalBytes({ seq, time, kind, subjects, content, prev }));
}
