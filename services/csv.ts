import type { JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { writeCsv } from "./shared/csv.ts";
import { allItems, compareText } from "./shared/items.ts";
import { isObject } from "./shared/manifest.ts";
import { DOCUMENT_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "csv",
  title: "Writes the items as one CSV table",
  description:
    "Exports all items as one CSV table for a spreadsheet, a row for each item and a column for each field. Use it when the result should be opened in Excel or read by another program.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "document",
  writes: "csv",
  perItem: false,
  input: SERVICE_INPUT,
  output: DOCUMENT_OUTPUT,
  capabilities: capabilities({ aggregation: 160, ordering: 80, text: 40 }),
  deterministic: true,
};

/** A row per item in order of id, a column per field: a table's cells in its order, then fields in order of name; lists and objects as JSON. */
const csv: Service = (input) => {
  const items = allItems(input).sort((a, b) => compareText(a.id, b.id));
  const flat = items.map(flattened);
  const found = new Set(flat.flatMap((item) => Object.keys(item)));
  found.delete("id");
  const known = (input.columns ?? []).filter((column) => found.delete(column));
  const columns = ["id", ...known, ...[...found].sort(compareText)];
  const rows = flat.map((item) => columns.map((column) => cellOf(item[column])));
  return {
    items: items.map((item) => ({ id: item.id, label: "row" })),
    document: writeCsv([columns, ...rows]),
  };
};
export default csv;

/** The cells of a table's row as fields of its own: as written, and the numbers among them are the same. */
function flattened({ fields, values, ...item }: Item): Readonly<Record<string, JsonValue>> {
  return isObject(fields)
    ? { ...fields, ...item }
    : { ...item, ...(fields === undefined ? {} : { fields }), ...(values === undefined ? {} : { values }) };
}

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
