import { quantileSorted } from "simple-statistics";
import { capabilities } from "./shared/capabilities.ts";
import { numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { compareText, textField } from "./shared/items.ts";
import { listOption, numberOption, optionsSchema } from "./shared/options.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { columnsOf, columnType, ROWS_INPUT, type Row, rounded, rowsOf } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "outliers",
  title: "Finds rows with unusual numbers",
  description:
    "Finds outliers and anomalies in a table: rows whose number is far larger or smaller than usual for its column, such as suspicious invoices, typing errors or extreme measurements. Says in which column and how far off.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: false,
  input: ROWS_INPUT,
  output: itemsOutput({
    label: { enum: ["outlier", "usual", "no number"] },
    value: { type: "number", description: "distance from the usual range, in heights of that range" },
    reasons: { type: "array", items: { type: "string" } },
  }),
  options: optionsSchema({
    columns: {
      type: "array",
      "x-column": "number",
      items: { type: "string" },
      minItems: 1,
      description: "columns to look at; all columns of numbers without it",
    },
    beyond: { type: "number", exclusiveMinimum: 0, default: 1.5, description: "interquartile ranges beyond which a number is an outlier" },
  }),
  capabilities: capabilities({ numbers: 200, classification: 40 }),
  deterministic: true,
};

/** The middle half of a column's numbers. */
interface Usual {
  readonly column: string;
  readonly low: number;
  readonly high: number;
}

/** Numbers that a column must have before any can be unusual. */
const LEAST = 5;

/** Tukey's fences. Every row, those that are furthest off first. */
const outliers: Service = (input) => {
  const rows = rowsOf(input);
  const beyond = numberOption(input, "beyond", 1.5);
  const asked = listOption(input, "columns");
  const numeric = columnsOf(rows).filter((column) => columnType(rows.map(({ cells }) => cells.get(column) ?? "")) === "number");
  const usual = (asked.length > 0 ? asked : numeric).flatMap((column) => usualOf(column, rows));
  const items = rows.map((row) => judged(row, usual, beyond));
  return { items: items.sort((a, b) => Number(b["value"]) - Number(a["value"]) || compareText(a.id, b.id)) };
};
export default outliers;

function usualOf(column: string, rows: readonly Row[]): Usual[] {
  const numbers = rows.flatMap(({ cells }) => numberOf(cells.get(column) ?? "") ?? []).sort((a, b) => a - b);
  if (numbers.length < LEAST) return [];
  return [{ column, low: quantileSorted(numbers, 0.25), high: quantileSorted(numbers, 0.75) }];
}

function judged({ item, cells }: Row, usual: readonly Usual[], beyond: number): Item {
  const found = usual.flatMap(({ column, low, high }) => {
    const number = numberOf(cells.get(column) ?? "");
    if (number === undefined) return [];
    // Where the middle half is one number, any other is compared with that.
    const height = high - low || Math.abs(high) || 1;
    const off = number > high ? (number - high) / height : number < low ? (low - number) / height : 0;
    return [{ off, reason: `${column} is ${number}, usually ${rounded(low)} to ${rounded(high)}` }];
  });
  const far = found.filter(({ off }) => off > beyond).sort((a, b) => b.off - a.off);
  return {
    id: item.id,
    name: textField(item, "name") || item.id,
    label: far.length > 0 ? "outlier" : found.length > 0 ? "usual" : "no number",
    value: rounded(Math.max(0, ...found.map(({ off }) => off))),
    reasons: far.map(({ reason }) => reason),
  };
}
