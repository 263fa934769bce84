import type { JsonObject } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import { numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout, ServiceInput } from "./shared/contract.ts";
import { parseCsv } from "./shared/csv.ts";
import { FIELD, fieldOf, textIn } from "./shared/fields.ts";
import { compareText, textField } from "./shared/items.ts";
import { optionsSchema, textOption } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { cellsOf } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "join",
  title: "Joins two tables by a column they share",
  description:
    "Combines two tables, CSV files or the results of two tasks into one by a column or field that both have, such as a customer number. Rows that match are merged; the others are kept or left out. Works like VLOOKUP or an SQL join.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: false,
  input: itemsInput(),
  output: itemsOutput({
    fields: { type: "object" },
    values: { type: "object", additionalProperties: { type: "number" } },
    label: { enum: ["matched", "unmatched"] },
  }),
  options: optionsSchema(
    {
      on: { ...FIELD, "x-column": "key", description: "column or field by which rows match" },
      keep: { enum: ["all", "matched"], default: "all", description: "all keeps rows of the first table that match nothing" },
    },
    ["on"],
  ),
  capabilities: capabilities({ aggregation: 160, parsing: 120 }),
  deterministic: true,
};

interface Table {
  readonly name: string;
  readonly rows: readonly Item[];
}

/** The first two tables: results of the tasks before it, in their order, or CSV files by name. Rows of the first, once for each match. */
const join: Service = (input) => {
  const on = textOption(input, "on", "");
  const [left, right] = tablesOf(input);
  if (left === undefined || right === undefined) throw new Error("a join needs two tables: two tasks before it, or two CSV files");
  const matches = new Map<string, Item[]>();
  for (const row of right.rows) {
    const key = keyOf(row, on);
    const known = matches.get(key);
    if (known !== undefined) known.push(row);
    else if (key !== "") matches.set(key, [row]);
  }
  const items = left.rows.flatMap((row): Item[] => {
    const found = matches.get(keyOf(row, on)) ?? [];
    if (found.length > 0) return found.map((other, index) => merged(row, other, on, index));
    return textOption(input, "keep", "all") === "all" ? [{ ...merged(row, undefined, on, 0), label: "unmatched" }] : [];
  });
  return { items };
};
export default join;

function tablesOf(input: ServiceInput): Table[] {
  const tasks = new Map<string, Item[]>();
  for (const { task, items } of input.upstream) tasks.set(task, [...(tasks.get(task) ?? []), ...items]);
  const files = [...input.items].sort((a, b) => compareText(a.id, b.id)).filter(({ id }) => /\.(csv|tsv|txt)$/i.test(id));
  return [...[...tasks].map(([name, rows]) => ({ name, rows })), ...files.map((file) => ({ name: file.id, rows: rowsIn(file) }))];
}

function rowsIn(file: Item): Item[] {
  const { records, brokenAt } = parseCsv(textField(file, "text"));
  if (brokenAt !== undefined) throw new Error(`${file.id}: a quote is misplaced at character ${brokenAt}`);
  const [columns = [], ...rows] = records;
  return rows.map((cells, index) => ({
    id: `${file.id}:${index + 1}`,
    fields: Object.fromEntries(columns.map((column, place) => [column.trim(), cells[place] ?? ""])),
  }));
}

/** Keys match without regard to case and surrounding spaces; a blank matches nothing. */
function keyOf(row: Item, on: string): string {
  return textIn(cellsOf(row).get(on) ?? fieldOf(row, on))
    .trim()
    .toLowerCase();
}

/** Cells of both; a column that both have is called `name (2)` the second time. */
function merged(row: Item, other: Item | undefined, on: string, index: number): Item {
  const fields = new Map(plainCells(row));
  for (const [column, cell] of other === undefined ? [] : plainCells(other)) {
    if (column !== on) fields.set(fields.has(column) ? `${column} (2)` : column, cell);
  }
  const values = [...fields].flatMap(([column, cell]): [string, number][] => {
    const value = numberOf(cell);
    return value === undefined ? [] : [[column, value]];
  });
  const plain: JsonObject = { fields: Object.fromEntries(fields), values: Object.fromEntries(values), label: "matched" };
  return { ...plain, id: index === 0 ? row.id : `${row.id}+${index + 1}`, name: textField(row, "name") || row.id };
}

/** Cells of a row; of another task's item, its plain fields. */
function plainCells(row: Item): ReadonlyMap<string, string> {
  const cells = cellsOf(row);
  if (cells.size > 0) return cells;
  const plain = Object.entries(row).filter(
    ([key, value]) => key !== "id" && key !== "name" && (typeof value === "string" || typeof value === "number"),
  );
  return new Map(plain.map(([key, value]) => [key, String(value)]));
}
