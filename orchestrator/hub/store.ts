import { z } from "zod";
import type { ContractName } from "../client/contracts.ts";
import { contractAbis } from "../client/contracts.ts";
import { addressSchema } from "../primitives/address.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";
import type { Row, Sql } from "../records/sql.ts";
import type { BlockMark } from "./chain-source.ts";
import type { Drafted } from "./drafts.ts";
import { HubTaken } from "./errors.ts";
import { EMPTY_STREAM, type HubEvent, hubEventSchema, place, type StreamHead } from "./event.ts";
import { conditionsOf, cursorAfter, type Followed, type HubQuery, IN_BLOCK, limitOf } from "./query.ts";
import { type AccountRow, accountRowSchema, type MissionRow, missionRowSchema } from "./registry.ts";

/** How far chain and log were read, and the end of the stream. */
export interface HubCursor extends StreamHead {
  /** −1 before block 0. */
  readonly block: number;
  readonly record: number;
}

export const BEGIN: HubCursor = { ...EMPTY_STREAM, block: -1, record: 0 };

/** An event and its current status. */
export interface Found {
  readonly event: HubEvent;
  /** A reorganization invalidated it. */
  readonly isCorrected: boolean;
  /** Its payload is a block, which SQL conditions cannot see. */
  readonly isInBlock: boolean;
}

export interface HubPage {
  readonly events: readonly Found[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

/** Rows that one step of the hub writes atomically. */
export interface Step {
  readonly drafts: readonly Drafted[];
  readonly missions: readonly MissionRow[];
  readonly accounts: readonly AccountRow[];
  readonly contracts: readonly { readonly address: Address; readonly contract: ContractName }[];
  readonly marks: readonly BlockMark[];
  /** Later blocks are forgotten first: they were replaced. */
  readonly keepTo: number | undefined;
  /** Earlier blocks can no longer be replaced. */
  readonly forgetBefore: number;
  readonly block: number;
  readonly record: number;
}

const COLUMNS = Object.keys(hubEventSchema.shape);
const SELECTED = COLUMNS.map((name) => `e."${name}"`).join(", ");
/** A scalar subquery per event: an EXISTS would be planned as one pass over the whole table. */
const CORRECTED = '(SELECT c.sequence FROM hub_events c WHERE c.corrects = e."eventId" LIMIT 1) IS NOT NULL AS corrected';
const FOUND = `${SELECTED}, ${CORRECTED}, ${IN_BLOCK} AS "inBlock"`;

const number = z.coerce.number().int();
const rowSchema = z.object({
  ...hubEventSchema.shape,
  epoch: number,
  blockNumber: number,
  timestamp: number,
  gasUsed: number,
  sequence: number,
  nodeId: number.nullable(),
  logIndex: number.nullable(),
  record: number.nullable(),
});
export const cursorSchema = z.object({ block: number, record: number, sequence: number, hash: hashSchema });
const payloadSchema = z.object({ payloadCid: z.string().transform(parseContentId), payload: z.string() });
const namedSchema = z.object({
  parties: z.array(addressSchema),
  principals: z.array(addressSchema),
});
const markSchema = z.object({ number, hash: hashSchema, time: number });
const contractSchema = z.object({
  address: addressSchema,
  contract: z.custom<ContractName>((name) => typeof name === "string" && Object.hasOwn(contractAbis, name)),
});

/** Read access to the hub's tables; only the writer uses transactions. */
export type Rows = Pick<Sql, "query">;

/** Reads the stream from the hub's tables. */
export class HubRows {
  readonly #sql: Rows;

  constructor(sql: Rows) {
    this.#sql = sql;
  }

  async query(query: HubQuery): Promise<HubPage> {
    const { from, tail, parameters } = conditionsOf(query);
    const rows = await this.#sql.query(`SELECT ${FOUND} FROM ${from} ${tail}`, parameters);
    const limit = limitOf(query);
    const events = rows.slice(0, limit).map(foundIn);
    const last = events.at(-1)?.event;
    const next = rows.length > limit && last !== undefined ? cursorAfter(query, last) : null;
    return { events, next };
  }

  /** Events after one position up to another, with the accounts they name. */
  async step(after: number, to: number): Promise<readonly (Found & Followed)[]> {
    const named = (table: string) => `ARRAY(SELECT p.address FROM ${table} p WHERE p.sequence = e.sequence)`;
    const rows = await this.#sql.query(
      `SELECT ${FOUND}, ${named("hub_parties")} AS parties, ${named("hub_principals")} AS principals
       FROM hub_events e WHERE e.sequence > $1 AND e.sequence <= $2 ORDER BY e.sequence`,
      [after, to],
    );
    return rows.map((row) => ({ ...foundIn(row), ...namedSchema.parse(row) }));
  }

  async event(id: Hash): Promise<Found | undefined> {
    const [row] = await this.#sql.query(`SELECT ${FOUND} FROM hub_events e WHERE e."eventId" = $1`, [id]);
    return row === undefined ? undefined : foundIn(row);
  }

  async eventsWithPayload(cid: ContentId): Promise<readonly Found[]> {
    const rows = await this.#sql.query(`SELECT ${FOUND} FROM hub_events e WHERE e."payloadCid" = $1 ORDER BY e.sequence LIMIT 20`, [cid]);
    return rows.map(foundIn);
  }

  /** Canonical JSON of those payloads that the hub itself holds. */
  async payloads(cids: readonly ContentId[]): Promise<ReadonlyMap<ContentId, string>> {
    if (cids.length === 0) return new Map();
    const rows = await this.#sql.query(
      'SELECT DISTINCT ON ("payloadCid") "payloadCid", payload FROM hub_events WHERE "payloadCid" = ANY($1::text[]) AND payload IS NOT NULL',
      [[...cids]],
    );
    return new Map(rows.map((row) => payloadSchema.parse(row)).map(({ payloadCid, payload }) => [payloadCid, payload]));
  }
}

/** The hub's tables. */
export class HubStore extends HubRows {
  readonly #sql: Sql;
  readonly #random: () => Hash;

  /** @param random Generates the secret of a new stream. */
  constructor(sql: Sql, random: () => Hash) {
    super(sql);
    this.#sql = sql;
    this.#random = random;
  }

  cursor(): Promise<HubCursor> {
    return cursorIn(this.#sql);
  }

  async missions(): Promise<readonly MissionRow[]> {
    const rows = await this.#sql.query("SELECT id, legislature, session, epoch, mission FROM hub_missions");
    return rows.map((row) => missionRowSchema.parse(row));
  }

  async accounts(): Promise<readonly AccountRow[]> {
    return (await this.#sql.query("SELECT account, principal FROM hub_accounts")).map((row) => accountRowSchema.parse(row));
  }

  async contracts(): Promise<Step["contracts"]> {
    return (await this.#sql.query("SELECT address, contract FROM hub_contracts")).map((row) => contractSchema.parse(row));
  }

  /** Blocks that may still be replaced, newest first: all of them, or at most so many. */
  async marks(limit?: number): Promise<readonly BlockMark[]> {
    const rows = await this.#sql.query("SELECT number, hash, time FROM hub_blocks ORDER BY number DESC LIMIT $1", [limit ?? null]);
    return rows.map((row) => markSchema.parse(row));
  }

  /** Valid events of later blocks, with the accounts they name. */
  async eventsAfter(block: number): Promise<readonly { readonly event: HubEvent; readonly parties: readonly Address[] }[]> {
    const rows = await this.#sql.query(
      `SELECT ${SELECTED}, ARRAY(SELECT p.address FROM hub_parties p WHERE p.sequence = e.sequence) AS parties FROM hub_events e
       WHERE e."blockNumber" > $1 AND NOT EXISTS (SELECT 1 FROM hub_events c WHERE c.corrects = e."eventId") ORDER BY e.sequence`,
      [block],
    );
    return rows.map((row) => ({ event: eventOf(row), parties: z.array(addressSchema).parse(row["parties"]) }));
  }

  /** Writes a step and moves the cursor in one transaction; `written` runs just before the commit. Returns the new events. */
  write(from: HubCursor, step: Step, written: () => Promise<void> = async () => {}): Promise<readonly HubEvent[]> {
    return this.#sql.transaction(async (sql) => {
      await sql.query("LOCK TABLE hub_cursor IN EXCLUSIVE MODE");
      const { hash, block, record } = await cursorIn(sql);
      if (hash !== from.hash || block !== from.block || record !== from.record) throw new HubTaken();
      const secret = await secretIn(sql, this.#random);
      let head: StreamHead = from;
      const events = step.drafts.map(({ draft }) => {
        const event = place(head, draft, secret);
        head = event;
        return event;
      });
      await insert(
        sql,
        "hub_events",
        [...COLUMNS, "payload"],
        events.map((event, at) => ({ ...event, payload: step.drafts[at]?.payload ?? null })),
      );
      for (const [table, names] of [
        ["hub_parties", "parties"],
        ["hub_principals", "principals"],
      ] as const) {
        const rows = events.flatMap(({ sequence }, at) => (step.drafts[at]?.[names] ?? []).map((address) => ({ address, sequence })));
        await insert(sql, table, ["address", "sequence"], rows);
      }
      await insert(
        sql,
        "hub_missions",
        ["id", "legislature", "session", "epoch", "mission"],
        lastOf(step.missions, ({ id }) => id),
        "id",
      );
      await insert(
        sql,
        "hub_accounts",
        ["account", "principal"],
        lastOf(step.accounts, ({ account }) => account),
        "account",
      );
      await insert(
        sql,
        "hub_contracts",
        ["address", "contract"],
        lastOf(step.contracts, ({ address }) => address),
        "address",
      );
      if (step.keepTo !== undefined) await sql.query("DELETE FROM hub_blocks WHERE number > $1", [step.keepTo]);
      await sql.query("DELETE FROM hub_blocks WHERE number < $1", [step.forgetBefore]);
      await insert(sql, "hub_blocks", ["number", "hash", "time"], step.marks, "number");
      await sql.query(
        `INSERT INTO hub_cursor (block, record, sequence, hash) VALUES ($1, $2, $3, $4)
         ON CONFLICT (one) DO UPDATE SET block = $1, record = $2, sequence = $3, hash = $4`,
        [step.block, step.record, head.sequence, head.hash],
      );
      await written();
      return events;
    });
  }

  /** Deletes payloads of earlier events; hashes, ids and positions remain. Returns their number. */
  async forgetPayloads(before: number): Promise<number> {
    const rows = await this.#sql.query(
      "UPDATE hub_events SET payload = NULL WHERE timestamp < $1 AND payload IS NOT NULL RETURNING sequence",
      [before],
    );
    return rows.length;
  }
}

async function secretIn(sql: Sql, random: () => Hash): Promise<Hash> {
  const [row] = await sql.query("SELECT secret FROM hub_secret");
  if (row !== undefined) return hashSchema.parse(row["secret"]);
  const secret = random();
  await sql.query("INSERT INTO hub_secret (secret) VALUES ($1)", [secret]);
  return secret;
}

async function cursorIn(sql: Sql): Promise<HubCursor> {
  const [row] = await sql.query("SELECT block, record, sequence, hash FROM hub_cursor");
  return row === undefined ? BEGIN : cursorSchema.parse(row);
}

function eventOf(row: Row): HubEvent {
  return rowSchema.parse(Object.fromEntries(COLUMNS.map((name) => [name, row[name]])));
}

function foundIn(row: Row): Found {
  return { event: eventOf(row), isCorrected: row["corrected"] === true, isInBlock: row["inBlock"] === true };
}

/** Inserts all rows with one statement. `key`: replaces rows with the same key. */
async function insert(sql: Sql, table: string, columns: readonly string[], rows: readonly object[], key?: string): Promise<void> {
  if (rows.length === 0) return;
  const names = columns.map((name) => `"${name}"`).join(", ");
  const replaced = columns.filter((name) => name !== key).map((name) => `"${name}" = excluded."${name}"`);
  const conflict = key === undefined ? "" : ` ON CONFLICT ("${key}") DO UPDATE SET ${replaced.join(", ")}`;
  await sql.query(`INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1::json)${conflict}`, [
    JSON.stringify(rows),
  ]);
}

/** The last row of each key: one statement must not write a row twice. */
function lastOf<Item>(rows: readonly Item[], keyOf: (row: Item) => string): readonly Item[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
