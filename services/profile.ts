import { mean, median, standardDeviation } from "simple-statistics";
import type { JsonObject } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import { isMissing, numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { compareText } from "./shared/items.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { columnsOf, columnType, ROWS_INPUT, rounded, rowsOf } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "profile",
  title: "Profiles the columns of a table",
  description:
    "Describes every column of a table or spreadsheet: what type it is, how many values are missing or blank, how many are different, the smallest, largest, mean and median number, and the most frequent values. Gives an overview of data that is not known yet.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: false,
  input: ROWS_INPUT,
  output: itemsOutput({
    label: { enum: ["number", "date", "boolean", "text", "missing"], description: "type of the column" },
    count: { type: "integer" },
    missing: { type: "integer" },
    distinct: { type: "integer" },
    frequent: { type: "array", items: { type: "object" } },
    value: { type: "integer", description: "missing values" },
  }),
  capabilities: capabilities({ numbers: 160, aggregation: 120 }),
  deterministic: true,
};

/** Most frequent values listed. */
const FREQUENT = 5;

/** One item per column, in the table's order. */
const profile: Service = (input) => {
  const rows = rowsOf(input);
  return {
    items: columnsOf(rows, input).map((column) =>
      described(
        column,
        rows.map(({ cells }) => cells.get(column) ?? ""),
      ),
    ),
  };
};
export default profile;

function described(column: string, cells: readonly string[]): Item {
  const present = cells.filter((cell) => !isMissing(cell));
  const counts = new Map<string, number>();
  for (const cell of present) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const frequent = [...counts].sort(([a, left], [b, right]) => right - left || compareText(a, b)).slice(0, FREQUENT);
  const label = columnType(cells);
  return {
    id: column,
    name: column,
    label,
    count: present.length,
    missing: cells.length - present.length,
    distinct: counts.size,
    frequent: frequent.map(([value, count]) => ({ value, count })),
    value: cells.length - present.length,
    ...(label === "number" ? numbersOf(present) : {}),
  };
}

function numbersOf(cells: readonly string[]): JsonObject {
  const numbers = cells.flatMap((cell) => numberOf(cell) ?? []).sort((a, b) => a - b);
  return {
    least: numbers[0] ?? 0,
    mean: rounded(mean(numbers)),
    median: rounded(median(numbers)),
    greatest: numbers.at(-1) ?? 0,
    deviation: rounded(standardDeviation(numbers)),
  };
}
