import { max, mean, median, min, sum } from "simple-statistics";
import { capabilities } from "./shared/capabilities.ts";
import { numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout, ServiceInput } from "./shared/contract.ts";
import { isoDate, PERIODS, type Period, periodOf } from "./shared/dates.ts";
import { FIELD } from "./shared/fields.ts";
import { compareText } from "./shared/items.ts";
import { listOption, option, optionsSchema, textOption } from "./shared/options.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { ROWS_INPUT, type Row, rounded, rowsOf } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "aggregate-table",
  title: "Adds up a column of a table by group",
  description:
    "Groups the rows of a table by one column or several and calculates the total, mean (average), median, smallest or largest of another for each group, or of the whole table, such as sales per region and month or hours per person. Can multiply two columns first, such as price and quantity. Dates are grouped by day, month, quarter or year. Works like a pivot table or GROUP BY, for an overview of figures.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: false,
  input: ROWS_INPUT,
  output: itemsOutput({
    label: { type: "string", description: "the group" },
    value: { type: ["number", "null"], description: "the result; null when no row of the group has a number" },
    what: { type: "string", description: "what was calculated, such as sum of amount" },
    rows: { type: "integer" },
    missing: { type: "integer", description: "rows without a number" },
  }),
  options: optionsSchema(
    {
      by: {
        type: ["string", "array"],
        minLength: 1,
        maxLength: 200,
        items: FIELD,
        minItems: 1,
        maxItems: 3,
        "x-column": "group",
        description: "column that divides the rows into groups, or a list of up to three; without it all rows are one group",
      },
      of: { ...FIELD, "x-column": "number", description: "column of numbers; without it rows are counted" },
      times: { ...FIELD, "x-column": "factor", description: "column of numbers that each one of `of` is multiplied by" },
      what: { enum: ["sum", "mean", "median", "min", "max", "count"], default: "sum" },
      period: { enum: [...PERIODS], description: "dates in the columns of `by` are grouped by it; without it each date is a group" },
    },
    [],
  ),
  capabilities: capabilities({ aggregation: 200, numbers: 160 }),
  deterministic: true,
};

const RESULTS: Readonly<Record<string, (numbers: number[]) => number>> = { sum, mean, median, min, max };

/**
 * One item per group. Groups of one column come the greatest first; periods, and groups of several columns, in order of their names. Rows
 * without a number are counted in `missing`, never as 0.
 */
const aggregateTable: Service = (input) => {
  const by = columnsBy(input);
  const of = option(input, "of");
  const times = option(input, "times");
  const name = textOption(input, "what", "sum");
  const what = RESULTS[name];
  const period = PERIODS.find((known) => known === option(input, "period"));
  const groups = new Map<string, { readonly keys: readonly string[]; readonly rows: Row[] }>();
  for (const row of rowsOf(input)) {
    const keys = by.map((column) => keyOf(row.cells.get(column) ?? "", period));
    const known = groups.get(keys.join("\n"));
    if (known === undefined) groups.set(keys.join("\n"), { keys, rows: [row] });
    else known.rows.push(row);
  }
  const items = [...groups.values()].map(({ keys, rows }): Item => {
    const factors = [of, times].filter((column) => typeof column === "string");
    const numbers = typeof of === "string" ? rows.flatMap((row) => productOf(row, factors) ?? []) : [];
    const counted = typeof of !== "string" || what === undefined;
    const value = counted ? rows.length : numbers.length === 0 ? null : rounded(what(numbers));
    const label = by.length === 0 ? ALL : keys.map((key) => (key === "" ? BLANK : key)).join(" · ");
    return {
      id: by.length === 0 ? ALL : keys.join("") === "" ? BLANK : keys.map((key, place) => `${by[place]}=${key}`).join(", "),
      name: label,
      label,
      value,
      what: counted ? "number of rows" : `${name} of ${factors.join(" × ")}`,
      rows: rows.length,
      missing: counted ? 0 : rows.length - numbers.length,
    };
  });
  const isNamed = by.length > 1 || period !== undefined;
  return { items: items.sort((a, b) => (isNamed ? 0 : order(b) - order(a)) || compareText(a.id, b.id)) };
};
export default aggregateTable;

const BLANK = "(blank)";
const ALL = "all rows";

/** Of a row's numbers; undefined where it has not all of them. */
function productOf({ cells }: Row, columns: readonly string[]): number | undefined {
  return columns.reduce<number | undefined>((product, column) => {
    const number = numberOf(cells.get(column) ?? "");
    return product === undefined || number === undefined ? undefined : product * number;
  }, 1);
}

function columnsBy(input: ServiceInput): readonly string[] {
  const one = textOption(input, "by", "");
  return one === "" ? listOption(input, "by") : [one];
}

/** What a cell is grouped by: dates by their period. */
function keyOf(cell: string, period: Period | undefined): string {
  const text = cell.trim();
  const day = period === undefined ? undefined : isoDate(text.replace(/[T ]\d{2}:\d{2}.*$/, ""), false);
  return day === undefined || period === undefined ? text : periodOf(day, period);
}

function order(item: Item): number {
  const value = item["value"];
  return typeof value === "number" ? value : Number.NEGATIVE_INFINITY;
}
