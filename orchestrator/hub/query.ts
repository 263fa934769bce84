import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema } from "../primitives/hex.ts";
import { BadCursor } from "./errors.ts";
import { eventTypes } from "./event-types.ts";

/** Events on one page at most. */
export const MAX_PAGE = 200;

const count = z.int().nonnegative();

/** The nine dimensions of AgentCity B.12, each with its index; together they narrow each other. */
export const hubFilterSchema = z.strictObject({
  /** The paper's missionId. */
  missionId: hashSchema.optional(),
  /** Any account that the event names. */
  agent: addressSchema.optional(),
  /** The contract that emitted it. */
  contract: addressSchema.optional(),
  eventType: z.enum(eventTypes).optional(),
  /** "Contract.Event", or a record's kind: finer than the type. */
  name: z.string().min(1).max(100).optional(),
  /** A node of the mission: only together with it. */
  nodeId: count.max(255).optional(),
  epoch: count.optional(),
  /** Unix milliseconds, both included. */
  fromTime: count.optional(),
  toTime: count.optional(),
  /** Blocks, both included: chain events only. */
  fromBlock: count.optional(),
  toBlock: count.optional(),
  /** The person behind any account that the event names. */
  principal: addressSchema.optional(),
  /** Found anywhere in a chain event's payload, whatever its case; what records hold is not searched. It has no index. */
  text: z.string().min(2).max(100).optional(),
});
export type HubFilter = z.infer<typeof hubFilterSchema>;

export interface HubQuery extends HubFilter {
  /** What the page before ended with. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  /** The last events first. */
  readonly newest?: boolean | undefined;
}

/** By what a query's pages are ordered: by the range that it asks for, else by place in the stream. */
type Order = "sequence" | "timestamp" | "blockNumber";

export function orderOf(filter: HubFilter): Order {
  // What is narrowed otherwise is few, unless by epoch: its index gives the order of the stream.
  const isNarrow = [filter.missionId, filter.agent, filter.contract, filter.eventType, filter.name, filter.principal];
  if (isNarrow.some((value) => value !== undefined)) return "sequence";
  if (filter.fromTime !== undefined || filter.toTime !== undefined) return "timestamp";
  if (filter.fromBlock !== undefined || filter.toBlock !== undefined) return "blockNumber";
  return "sequence";
}

/** Where a page ended. */
interface Place {
  readonly order: Order;
  readonly value: number;
  readonly sequence: number;
}

const LETTERS: Readonly<Record<Order, string>> = { sequence: "s", timestamp: "t", blockNumber: "b" };

export function cursorAfter({ order, value, sequence }: Place): string {
  return order === "sequence" ? `s${sequence}` : `${LETTERS[order]}${value}.${sequence}`;
}

function placeOf(cursor: string, order: Order): Place {
  const [, letter, first, second] = /^([stb])(\d{1,15})(?:\.(\d{1,15}))?$/.exec(cursor) ?? [];
  if (letter !== LETTERS[order] || (second === undefined) !== (order === "sequence")) throw new BadCursor(cursor);
  return { order, value: Number(first), sequence: Number(second ?? first) };
}

/** SQL after FROM, and its parameters. */
export function conditionsOf(query: HubQuery): { readonly from: string; readonly tail: string; readonly parameters: readonly unknown[] } {
  const order = orderOf(query);
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const where: string[] = [];
  let from = "hub_events e";
  // Whose index orders the page comes first; an event that names somebody is found by that somebody's own list.
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
  // No pattern of SQL's: whatever is sought is sought as it is.
  if (query.text !== undefined) where.push(`strpos(lower(e.payload), lower(${bind(query.text)})) > 0`);
  const bound = (column: string, sign: string, value: unknown) => value !== undefined && where.push(`e."${column}" ${sign} ${bind(value)}`);
  bound("timestamp", ">=", query.fromTime);
  bound("timestamp", "<=", query.toTime);
  const isByBlock = query.fromBlock !== undefined || query.toBlock !== undefined;
  // Off chain there is no block.
  bound("blockNumber", ">=", isByBlock ? Math.max(1, query.fromBlock ?? 1) : undefined);
  bound("blockNumber", "<=", query.toBlock);
  const [sign, direction] = query.newest === true ? ["<", "DESC"] : [">", "ASC"];
  if (query.cursor !== undefined) {
    const { value, sequence: last } = placeOf(query.cursor, order);
    if (order === "sequence") where.push(`${sequence} ${sign} ${bind(last)}`);
    else where.push(`(e."${order}", e.sequence) ${sign} (${bind(value)}, ${bind(last)})`);
  }
  const by = order === "sequence" ? `${sequence} ${direction}` : `e."${order}" ${direction}, e.sequence ${direction}`;
  const limit = Math.min(Math.max(query.limit ?? 50, 1), MAX_PAGE);
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")} `;
  return { from, tail: `${condition}ORDER BY ${by} LIMIT ${bind(limit + 1)}`, parameters };
}
