import { statSync } from "node:fs";
import Papa from "papaparse";
import { numberOf } from "../../../services/shared/cells.ts";
import type { Item } from "../../../services/shared/contract.ts";
import { readHead } from "./bounded-file.ts";
import { InputTooLarge, InputUnreadable } from "./errors.ts";
import type { ReadItems } from "./read-input.ts";

const CSV_BYTES = 33_554_432;
/** Faults listed in an error; further ones are counted. */
const NAMED = 5;

/**
 * One item per record of a delimited file (RFC 4180; commas, semicolons, tabs or bars; the first record names the columns). `fields` holds
 * the cells as written, `values` the numeric ones, without blanks. A record with too few or too many cells is an item with `problem`.
 * Columns without a unique name are given one.
 */
export function readCsv(path: string): ReadItems {
  if (!statSync(path).isFile()) throw new InputUnreadable(path, "`kind: csv` needs a file");
  const head = readHead(path, CSV_BYTES);
  if (head.bytes > CSV_BYTES) throw new InputTooLarge(path, `${head.bytes} bytes; at most ${CSV_BYTES}`);
  if (head.binary) throw new InputUnreadable(path, "it contains bytes that are not text");
  const { data, errors } = Papa.parse<string[]>(head.text, { delimiter: delimiterOf(head.text) });
  const quotes = errors.filter(({ type }) => type === "Quotes");
  if (quotes.length > 0) {
    const named = quotes.slice(0, NAMED).map(({ row, message }) => `record ${row ?? 0}: ${message.toLowerCase()}`);
    throw new InputUnreadable(path, `${named.join("; ")}${quotes.length > NAMED ? `; and ${quotes.length - NAMED} more` : ""}`);
  }
  const [names = [], ...records] = data;
  const columns = columnsOf(names);
  const remarks = head.encoding === "utf-8" ? [] : [`read as ${head.encoding}`];
  const renamed = columns.filter((column, index) => column !== names[index]?.trim());
  if (renamed.length > 0) remarks.push(`columns without a unique name were named ${renamed.join(", ")}`);
  const blank = records.filter(isBlank).length;
  // The line break at the end of a file is not a record.
  const last = isBlank(records.at(-1) ?? ["x"]) ? 1 : 0;
  if (blank > last) remarks.push(`${blank - last} blank rows left out`);
  const items = records.flatMap((cells, index) => (isBlank(cells) ? [] : [rowItem(columns, cells, index + 1)]));
  return { items, skipped: [], remarks };
}

/** The delimiter that splits the first line into the most columns; a comma if none does. */
function delimiterOf(text: string): string {
  const [first = ""] = text.replace(/^[\r\n]+/, "").split(/\r|\n/, 1);
  const bare = first.replace(/"[^"]*"/g, "");
  const counted = [",", ";", "\t", "|"].map((mark) => ({ mark, count: bare.split(mark).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).mark;
}

function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** Unique names of the columns: `column 3` for a missing one, `total (2)` for a duplicate. */
function columnsOf(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((written, index) => {
    const name = written.trim() || `column ${index + 1}`;
    let free = name;
    for (let again = 2; taken.has(free); again += 1) free = `${name} (${again})`;
    taken.add(free);
    return free;
  });
}

function rowItem(columns: readonly string[], cells: readonly string[], row: number): Item {
  const fields = columns.map((column, position) => [column, cells[position] ?? ""] as const);
  const values = fields.flatMap(([column, cell]) => {
    const value = numberOf(cell);
    return value === undefined ? [] : [[column, value] as const];
  });
  const extra = cells.slice(columns.length).some((cell) => cell.trim() !== "");
  const odd = cells.length < columns.length || extra;
  return {
    id: `row-${String(row).padStart(7, "0")}`,
    kind: "row",
    row,
    fields: Object.fromEntries(fields),
    values: Object.fromEntries(values),
    ...(odd ? { problem: `record ${row} has ${cells.length} cells but the header has ${columns.length}` } : {}),
  };
}
