/** Instructions to clients' own payers: what an agreement that is over releases, posted to the address in its terms until that answers. */
import { randomBytes } from "node:crypto";
import { isAddressEqual, type LocalAccount } from "viem";
import { z } from "zod";
import { type Agreement, agreementHash, amountOf, type BreakerOutcome, DEFAULTS, unitsOf } from "../../agreements/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { messageOf } from "../../primitives/errors.ts";
import { sha256 } from "../../primitives/hash.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../../primitives/json.ts";
import { keepNewest } from "../../primitives/recent.ts";
import type { Sql } from "../../records/sql.ts";
import { Refused } from "../errors.ts";
import { signRequest } from "../http-signature.ts";
import type { Push, Pushed } from "../push.ts";
import { callbackBindingSchema } from "./bindings.ts";
import { nameOf, type Standing } from "./standing.ts";

/**
 * `waiting`: the agreement is not over. `due`: it is to be sent. `unknown`: it was sent, or was about to be, and no answer decided.
 * `settled`: the payer says it paid. `rejected`: it says it does not. `nothing`: there was nothing to pay.
 */
const STATES = ["waiting", "due", "unknown", "settled", "rejected", "nothing"] as const;
export const RELEASE_STATES = ["due", "unknown", "settled", "rejected", "nothing"] as const;

const integer = z.coerce.number().int();
const rowSchema = z.object({
  id: hashSchema,
  host: z.string(),
  url: z.string(),
  instruction: z.string().nullable(),
  state: z.enum(STATES),
  moves: integer,
  attempts: integer,
  due: integer.nullable(),
  reference: z.string().nullable(),
  problem: z.string().nullable(),
});
type Row = z.infer<typeof rowSchema>;
const refusedSchema = z.array(z.object({ client: z.string(), ended: integer }));
/** How it stands with a release. `due`: when it is tried next, unix milliseconds; null: not again. */
export type ReleaseState = Pick<Row, "state" | "attempts" | "due" | "reference" | "problem">;

const COLUMNS = "id, host, url, instruction, state, moves, attempts, due, reference, problem";
/** Milliseconds before the first further try; each is four times as long, up to an hour. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 3_600_000;
/** Tries, over two days: then only the client knows. */
const MOST_TRIES = 56;
/** One instruction a second and host, and so many hosts at once: strangers choose them. */
const BETWEEN = 1_000;
const AT_ONCE = 16;
const MAX_HOSTS = 4_096;
/** Characters kept of what a payer says. */
const MOST_SAID = 200;
/** Refusals by which nothing is decided yet: timeouts, an instruction still in progress (Idempotency-Key), too early, too many. */
const NOT_NOW: readonly number[] = [408, 409, 425, 429];

const settledSchema = z.looseObject({ reference: z.string().optional(), amount: z.string().optional() });

export interface ReleasesOptions {
  readonly sql: Sql;
  readonly push: Push;
  /** Signs every instruction; the terms name its account. */
  readonly operator: LocalAccount;
  readonly chainId: number;
  /** The machine's clock. */
  readonly millis: () => number;
  readonly desk: () => { get(id: Hash): Promise<Standing> };
}

export class Releases {
  readonly #of: ReleasesOptions;
  /** When each host was last sent something, unix milliseconds. */
  readonly #sent = new Map<string, number>();

  constructor(options: ReleasesOptions) {
    this.#of = options;
  }

  /** What the terms name as the one that instructs. */
  get operator() {
    return this.#of.operator.address;
  }

  /** Called before a signature is kept, so that no agreement is in force unwatched. */
  async watch(id: Hash, { escrow, parties: { client } }: Agreement): Promise<void> {
    const { url } = callbackBindingSchema.parse(escrow?.binding);
    await this.#of.sql.query(
      `INSERT INTO gateway_releases (id, client, host, url, state, moves, attempts, due) VALUES ($1, $2, $3, $4, 'waiting', 0, 0, 0)
       ON CONFLICT (id) DO NOTHING`,
      [id, nameOf(client.identity), new URL(url).host, url],
    );
  }

  /** Called after an act: it may be over. */
  async moved(id: Hash): Promise<void> {
    await this.#of.sql.query("UPDATE gateway_releases SET moves = moves + 1, due = 0 WHERE id = $1 AND state = 'waiting'", [id]);
  }

  async of(id: Hash): Promise<ReleaseState | undefined> {
    const [row] = await this.#of.sql.query(`SELECT ${COLUMNS} FROM gateway_releases WHERE id = $1`, [id]);
    return row === undefined ? undefined : rowSchema.parse(row);
  }

  /** Refusals to pay, as disputes of the client that named the payer: open as long as a dispute may be. */
  async refused(): Promise<readonly BreakerOutcome[]> {
    const since = Math.floor(this.#of.millis() / 1_000) - DEFAULTS.disputeSeconds;
    const rows = await this.#of.sql.query("SELECT client, ended FROM gateway_releases WHERE state = 'rejected' AND ended > $1", [since]);
    return refusedSchema.parse(rows).map(({ client, ended }) => ({ what: "disputed", at: ended, by: client, isOpen: true }));
  }

  /** Looks at the agreements that may be over, and instructs the payers whose time has come: each host's longest waiting one. */
  async step(): Promise<void> {
    const { sql, millis } = this.#of;
    const now = Math.floor(millis());
    const waiting = await sql.query(
      `SELECT ${COLUMNS} FROM gateway_releases WHERE state = 'waiting' AND due <= $1 ORDER BY due, id LIMIT ${MAX_HOSTS}`,
      [now],
    );
    for (const row of waiting) await this.#look(rowSchema.parse(row));
    const due = await sql.query(
      `SELECT DISTINCT ON (host) ${COLUMNS} FROM gateway_releases WHERE state IN ('due', 'unknown') AND due <= $1 ORDER BY host, due, id`,
      [now],
    );
    const rows = due.map((row) => rowSchema.parse(row)).filter(({ host }) => (this.#sent.get(host) ?? 0) + BETWEEN <= now);
    rows.sort((one, other) => (one.due ?? 0) - (other.due ?? 0));
    await Promise.all(rows.slice(0, AT_ONCE).map((row) => this.#instruct(row)));
  }

  /** Fixes the instruction of an agreement that is over. */
  async #look({ id, moves }: Row): Promise<void> {
    const { sql, desk, millis } = this.#of;
    const standing = await desk()
      .get(id)
      .catch((error: unknown) => {
        if (error instanceof Refused && error.code === "NotFound") return undefined;
        throw error;
      });
    if (standing === undefined) {
      await sql.query("DELETE FROM gateway_releases WHERE id = $1 AND state = 'waiting'", [id]);
      return;
    }
    const { release, due } = standing;
    if (release === undefined) {
      const next = due === undefined ? Math.floor(millis()) + LONGEST_PAUSE : (due + 1) * 1_000;
      await sql.query("UPDATE gateway_releases SET due = $3 WHERE id = $1 AND state = 'waiting' AND moves = $2", [id, moves, next]);
      return;
    }
    await sql.query("UPDATE gateway_releases SET state = $2, instruction = $3, due = 0 WHERE id = $1 AND state = 'waiting'", [
      id,
      release.amount === 0n ? "nothing" : "due",
      instructionOf(standing, release.amount),
    ]);
  }

  async #instruct({ id, host, url, instruction, attempts }: Row): Promise<void> {
    const { sql, millis } = this.#of;
    const now = Math.floor(millis());
    const isLast = attempts + 1 >= MOST_TRIES;
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 4 ** Math.min(attempts, 10));
    // Before anything is sent: whatever ends this process now, it is known that it may have been.
    const claimed = await sql.query(
      `UPDATE gateway_releases SET attempts = attempts + 1, state = 'unknown', due = $3
       WHERE id = $1 AND attempts = $2 AND state IN ('due', 'unknown') RETURNING id`,
      [id, attempts, isLast ? null : now + pause],
    );
    if (claimed.length === 0 || instruction === null) return;
    keepNewest(this.#sent, host, now, MAX_HOSTS);
    const { state, reference, problem } = await this.#post(new URL(url), id, instruction).then(
      (answer) => decided(answer, instruction),
      (error: unknown) => ({ state: "unknown" as const, reference: null, problem: messageOf(error) }),
    );
    await sql.query(
      `UPDATE gateway_releases SET state = $2, reference = $3, problem = $4, ended = $5, due = CASE WHEN $2 = 'unknown' THEN due END
       WHERE id = $1 AND state = 'unknown'`,
      [id, state, kept(reference), kept(problem), Math.floor(now / 1_000)],
    );
  }

  /** Posts an instruction, signed as requests to this gateway are. */
  async #post(url: URL, id: Hash, instruction: string): Promise<Pushed> {
    const { push, operator, chainId, millis } = this.#of;
    const { operator: agreed } = instructedSchema.parse(parseJson(instruction));
    // The payer would refuse it, and so decide what it does not know.
    if (!isAddressEqual(agreed, operator.address)) throw new RangeError("this city's operator has another account by now");
    const body = new TextEncoder().encode(instruction);
    const headers = { "content-type": "application/json", "idempotency-key": `"${keyOfRelease(id)}"` };
    const facts = { chainId, key: operator.address, nonce: randomBytes(16).toString("base64url"), now: Math.floor(millis() / 1_000) };
    const request = { method: "POST", url, headers: new Headers(headers), body };
    return push(url, {
      body,
      headers: { ...headers, ...(await signRequest(request, facts, (message) => operator.signMessage({ message }))) },
    });
  }
}

/** One for each agreement, whoever sends it and how often. */
export const keyOfRelease = (id: Hash): Hash => sha256(canonicalBytes(["asa/1 release", id]));

/** The same bytes at every try. */
function instructionOf({ id, life: { agreement, results, timed } }: Standing, amount: bigint): string {
  const { currency } = agreement.escrow?.payment ?? { currency: "" };
  const { payee, operator } = callbackBindingSchema.parse(agreement.escrow?.binding);
  return canonicalJson({
    ...{ release: 1, key: keyOfRelease(id), agreement: id, agreement_hash: agreementHash(agreement), agreement_id: agreement.agreement_id },
    ...{ operator, payee, currency, amount: amountOf(amount, currency) },
    ...{ division: timed.state.division ?? null, result_hash: results.at(-1)?.hash ?? null },
  });
}

const instructedSchema = z.looseObject({ amount: z.string(), currency: z.string(), operator: addressSchema });

/** What an answer decides. */
function decided({ status, text }: Pushed, instruction: string): { state: Row["state"]; reference: string | null; problem: string | null } {
  if (status >= 200 && status < 300) {
    const { reference = null, amount } = settledSchema.safeParse(jsonIn(text)).data ?? {};
    const asked = instructedSchema.parse(parseJson(instruction));
    if (amount === undefined || isSame(amount, asked)) return { state: "settled", reference, problem: null };
    return { state: "rejected", reference, problem: `it says that it paid ${amount}, not ${asked.amount}` };
  }
  const isRefusal = status >= 400 && status < 500 && !NOT_NOW.includes(status);
  return { state: isRefusal ? "rejected" : "unknown", reference: null, problem: `it answered ${status}: ${text}` };
}

function isSame(said: string, { amount, currency }: z.infer<typeof instructedSchema>): boolean {
  try {
    return unitsOf(said, currency) === unitsOf(amount, currency);
  } catch {
    return false;
  }
}

/** What a payer says, as a database and strict JSON can hold it. */
function kept(said: string | null): string | null {
  return said === null ? null : said.replaceAll("\0", "").slice(0, MOST_SAID).toWellFormed();
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
