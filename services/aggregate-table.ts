import { max, mean, median, min, sum } from "simple-statistics";
import { capabilities } from "./shared/capabilities.ts";
import { numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { FIELD } from "./shared/fields.ts";
import { compareText } from "./shared/items.ts";
import { option, optionsSchema, textOption } from "./shared/options.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { ROWS_INPUT, type Row, rounded, rowsOf } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "aggregate-table",
  title: "Adds up a column of a table by group",
  description:
    "Groups the rows of a table by a column and calculates the total, mean (average), median, smallest or largest of another for each group, such as sales per region or hours per person. Works like a pivot table or GROUP BY.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: false,
  input: ROWS_INPUT,
  output: itemsOutput({
    label: { type: "string", description: "the group" },
    value: { type: ["number", "null"], description: "the result; null when no row of the group has a number" },
    rows: { type: "integer" },
    missing: { type: "integer", description: "rows without a number" },
  }),
  options: optionsSchema(
    {
      by: { ...FIELD, "x-column": "group", description: "column that divides the rows into groups" },
      of: { ...FIELD, "x-column": "number", description: "column of numbers; without it rows are counted" },
      what: { enum: ["sum", "mean", "median", "min", "max", "count"], default: "sum" },
    },
    ["by"],
  ),
  capabilities: capabilities({ aggregation: 100, numbers: 80 }),
  deterministic: true,
};

const RESULTS: Readonly<Record<string, (numbers: number[]) => number>> = { sum, mean, median, min, max };

/** One item per group, the greatest first. Rows without a number are counted in `missing`, never as 0. */
const aggregateTable: Service = (input) => {
  const by = textOption(input, "by", "");
  const of = option(input, "of");
  const what = RESULTS[textOption(input, "what", "sum")];
  const groups = new Map<string, Row[]>();
  for (const row of rowsOf(input)) {
    const group = (row.cells.get(by) ?? "").trim();
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [row]);
    else known.push(row);
  }
  const items = [...groups].map(([group, rows]): Item => {
    const numbers = typeof of === "string" ? rows.flatMap(({ cells }) => numberOf(cells.get(of) ?? "") ?? []) : [];
    const counted = typeof of !== "string" || what === undefined;
    const value = counted ? rows.length : numbers.length === 0 ? null : rounded(what(numbers));
    const label = group === "" ? "(blank)" : group;
    return {
      id: group === "" ? "(blank)" : `${by}=${group}`,
      name: label,
      label,
      value,
      rows: rows.length,
      missing: counted ? 0 : rows.length - numbers.length,
    };
  });
  return { items: items.sort((a, b) => order(b) - order(a) || compareText(a.id, b.id)) };
};
export default aggregateTable;

function order(item: Item): number {
  const value = item["value"];
  return typeof value === "number" ? value : Number.NEGATIVE_INFINITY;
}
