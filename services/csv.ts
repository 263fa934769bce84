import type { JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { writeCsv } from "./shared/csv.ts";
import { allItems, compareText } from "./shared/items.ts";
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
  capabilities: capabilities({ aggregation: 80, ordering: 40, text: 20 }),
  deterministic: true,
};

/** A row per item in order of id, a column per field in order of name; lists and objects as JSON. */
const csv: Service = (input) => {
  const items = allItems(input).sort((a, b) => compareText(a.id, b.id));
  const columns = ["id", ...[...new Set(items.flatMap((item) => Object.keys(item)))].filter((key) => key !== "id").sort(compareText)];
  const rows = items.map((item) => columns.map((column) => cellOf(item[column])));
  return {
    items: items.map((item) => ({ id: item.id, label: "row" })),
    document: writeCsv([columns, ...rows]),
  };
};
export default csv;

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
