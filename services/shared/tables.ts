import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import { isMissing, numberOf } from "./cells.ts";
import type { Item, ServiceInput } from "./contract.ts";
import { allItems, compareText } from "./items.ts";
import { itemsInput } from "./schemas.ts";

/** The input of a service that works on the rows of a table. */
export const ROWS_INPUT: JsonObject = itemsInput({ fields: { type: "object", description: "cells of the row, by column" } });

/** A row as services on tables see it. */
export interface Row {
  readonly item: Item;
  /** Cells as written, by column. */
  readonly cells: ReadonlyMap<string, string>;
}

/** The rows of the input in order of id. */
export function rowsOf(input: ServiceInput): Row[] {
  return allItems(input)
    .sort((a, b) => compareText(a.id, b.id))
    .map((item) => ({ item, cells: cellsOf(item) }));
}

export function cellsOf(item: Item): ReadonlyMap<string, string> {
  const fields = item["fields"];
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return new Map();
  return new Map(Object.entries(fields).map(([column, cell]) => [column, typeof cell === "string" ? cell : JSON.stringify(cell)]));
}

/** Columns of the rows: those of the mission's table in its order, then what tasks added. */
export function columnsOf(rows: readonly Row[], { columns = [] }: Pick<ServiceInput, "columns"> = {}): string[] {
  const found = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  const known = columns.filter((column) => found.delete(column));
  return [...known, ...found];
}

export type CellType = "number" | "date" | "boolean" | "text" | "missing";

/** What a cell is. */
export function typeOf(cell: string): CellType {
  if (isMissing(cell)) return "missing";
  if (numberOf(cell) !== undefined) return "number";
  if (/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?$/.test(cell.trim())) return "date";
  return /^(?:true|false|yes|no)$/i.test(cell.trim()) ? "boolean" : "text";
}

/** Share of a column's values that must be of one type for the column to be of it. */
const MOSTLY = 0.9;

/** The type of a column: that of nearly all its values, else text; `missing` without values. */
export function columnType(cells: readonly string[]): CellType {
  const counts = new Map<CellType, number>();
  for (const cell of cells) counts.set(typeOf(cell), (counts.get(typeOf(cell)) ?? 0) + 1);
  const present = cells.length - (counts.get("missing") ?? 0);
  if (present === 0) return "missing";
  const [most] = [...counts].filter(([type]) => type !== "missing").sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] >= MOSTLY * present ? most[0] : "text";
}

/** A number for people: at most six decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
