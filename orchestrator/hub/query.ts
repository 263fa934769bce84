import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { type Address, hashSchema } from "../primitives/hex.ts";
import { BadCursor } from "./errors.ts";
import type { HubEvent } from "./event.ts";
import { eventTypes, failureNames, failureTypes } from "./event-types.ts";

/** Maximum number of events per page. */
export const MAX_PAGE = 200;

const count = z.int().nonnegative();

/** The nine dimensions of AgentCity B.12, each indexed; they are combined with AND. */
const hubFilterSchema = z.strictObject({
  /** The paper's missionId. */
  missionId: hashSchema.optional(),
  /** Any account that the event names. */
  agent: addressSchema.optional(),
  /** The contract that emitted it. */
  contract: addressSchema.optional(),
  eventType: z.enum(eventTypes).optional(),
  /** "Contract.Event", or a record's kind: more specific than the type. */
  name: z.string().min(1).max(100).optional(),
  /** A node of the mission; requires `missionId`. */
  nodeId: count.max(255).optional(),
  epoch: count.optional(),
  /** Unix milliseconds, inclusive. */
  fromTime: count.optional(),
  toTime: count.optional(),
  /** Block numbers, inclusive; chain events only. */
  fromBlock: count.optional(),
  toBlock: count.optional(),
  /** The principal of any account that the event names. */
  principal: addressSchema.optional(),
  /** Only failures and stops. */
  failures: z.boolean().optional(),
  /** Case-insensitive text anywhere in a payload. Not indexed. */
  text: z.string().min(2).max(100).optional(),
});
export type HubFilter = z.infer<typeof hubFilterSchema>;

export interface HubQuery extends HubFilter {
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  /** Newest events first. */
  readonly newest?: boolean | undefined;
}

/** Sort key of a query's pages: the range that it asks for, otherwise the position in the stream. */
type Order = "sequence" | "timestamp" | "blockNumber";

export function orderOf(filter: HubFilter): Order {
  // Every other filter leaves few events, except the epoch, whose index is in stream order.
  const isNarrow = [filter.missionId, filter.agent, filter.contract, filter.eventType, filter.name, filter.principal];
  if (isNarrow.some((value) => value !== undefined)) return "sequence";
  if (filter.fromTime !== undefined || filter.toTime !== undefined) return "timestamp";
  if (filter.fromBlock !== undefined || filter.toBlock !== undefined) return "blockNumber";
  return "sequence";
}

const LETTERS: Readonly<Record<Order, string>> = { sequence: "s", timestamp: "t", blockNumber: "b" };

/** The cursor of the page after this event. */
export function cursorAfter(filter: HubFilter, event: Readonly<Record<Order, number>>): string {
  const order = orderOf(filter);
  return order === "sequence" ? `s${event.sequence}` : `${LETTERS[order]}${event[order]}.${event.sequence}`;
}

/** The position at which a page ended: sort key and stream position. */
function placeOf(cursor: string, order: Order): { readonly value: number; readonly sequence: number } {
  const [, letter, first, second] = /^([stb])(\d{1,15})(?:\.(\d{1,15}))?$/.exec(cursor) ?? [];
  if (letter !== LETTERS[order] || (second === undefined) !== (order === "sequence")) throw new BadCursor(cursor);
  return { value: Number(first), sequence: Number(second ?? first) };
}

/** A record whose payload is a block, which is not in the hub's rows. */
export const IN_BLOCK = "(e.record IS NOT NULL AND e.payload IS NULL)";

/** Number of events on the requested page. */
export const limitOf = ({ limit = 50 }: HubQuery): number => Math.min(Math.max(limit, 1), MAX_PAGE);

/** SQL after FROM, and its parameters. */
export function conditionsOf(query: HubQuery): { readonly from: string; readonly tail: string; readonly parameters: readonly unknown[] } {
  const order = orderOf(query);
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const where: string[] = [];
  let from = "hub_events e";
  // The table whose index orders the page comes first; events that name an account are found through that account's list.
  let sequence = "e.sequence";
  for (const [table, address] of [
    ["hub_parties", query.agent],
    ["hub_principals", query.principal],
  ] as const) {
    if (address === undefined) continue;
    const name = table === "hub_parties" ? "a" : "p";
    from += ` JOIN ${table} ${name} ON ${name}.sequence = e.sequence`;
    where.push(`${name}.address = ${bind(address)}`);
    sequence = `${name}.sequence`;
  }
  const equal = (column: string, value: unknown) => value !== undefined && where.push(`e."${column}" = ${bind(value)}`);
  equal("missionId", query.missionId);
  equal("emitterContract", query.contract);
  equal("eventType", query.eventType);
  equal("name", query.name);
  equal("nodeId", query.nodeId);
  equal("epoch", query.epoch);
  if (query.failures === true)
    where.push(`(e."eventType" = ANY(${bind([...failureTypes])}::text[]) OR e.name = ANY(${bind([...failureNames])}::text[]))`);
  // `strpos`, since the text must not act as an SQL pattern. Payloads in blocks are searched afterwards.
  if (query.text !== undefined) where.push(`(strpos(lower(e.payload), lower(${bind(query.text)})) > 0 OR ${IN_BLOCK})`);
  const bound = (column: string, sign: string, value: unknown) => value !== undefined && where.push(`e."${column}" ${sign} ${bind(value)}`);
  bound("timestamp", ">=", query.fromTime);
  bound("timestamp", "<=", query.toTime);
  const isByBlock = query.fromBlock !== undefined || query.toBlock !== undefined;
  // Events off chain have no block.
  bound("blockNumber", ">=", isByBlock ? Math.max(1, query.fromBlock ?? 1) : undefined);
  bound("blockNumber", "<=", query.toBlock);
  const [sign, direction] = query.newest === true ? ["<", "DESC"] : [">", "ASC"];
  if (query.cursor !== undefined) {
    const { value, sequence: last } = placeOf(query.cursor, order);
    if (order === "sequence") where.push(`${sequence} ${sign} ${bind(last)}`);
    else where.push(`(e."${order}", e.sequence) ${sign} (${bind(value)}, ${bind(last)})`);
  }
  const by = order === "sequence" ? `${sequence} ${direction}` : `e."${order}" ${direction}, e.sequence ${direction}`;
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")} `;
  return { from, tail: `${condition}ORDER BY ${by} LIMIT ${bind(limitOf(query) + 1)}`, parameters };
}

/** An event with the accounts and principals that it names. */
export interface Followed {
  readonly event: HubEvent;
  readonly parties: readonly Address[];
  readonly principals: readonly Address[];
}

const FAILURES: ReadonlySet<string | null> = new Set([...failureTypes, ...failureNames]);

/**
 * Whether an event matches, as `conditionsOf` decides in SQL, for followers of the stream. Without `text`: payloads are in the database.
 */
export function passes(filter: Omit<HubFilter, "text">, { event, parties, principals }: Followed): boolean {
  const { fromTime = 0, toTime = Number.MAX_SAFE_INTEGER, fromBlock, toBlock = Number.MAX_SAFE_INTEGER } = filter;
  const is = <Value>(asked: Value | undefined, value: Value | null) => asked === undefined || asked === value;
  const isByBlock = fromBlock !== undefined || filter.toBlock !== undefined;
  return (
    is(filter.missionId, event.missionId) &&
    is(filter.contract, event.emitterContract) &&
    is(filter.eventType, event.eventType) &&
    is(filter.name, event.name) &&
    is(filter.nodeId, event.nodeId) &&
    is(filter.epoch, event.epoch) &&
    (filter.agent === undefined || parties.includes(filter.agent)) &&
    (filter.principal === undefined || principals.includes(filter.principal)) &&
    event.timestamp >= fromTime &&
    event.timestamp <= toTime &&
    (!isByBlock || (event.blockNumber >= Math.max(1, fromBlock ?? 1) && event.blockNumber <= toBlock)) &&
    (filter.failures !== true || FAILURES.has(event.eventType) || FAILURES.has(event.name))
  );
}
