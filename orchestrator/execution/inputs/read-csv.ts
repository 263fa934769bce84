import { statSync } from "node:fs";
import type { Item } from "../../../services/shared/contract.ts";
import { parseCsv } from "../../../services/shared/csv.ts";
import { readHead } from "./bounded-file.ts";
import { InputTooLarge, InputUnreadable } from "./errors.ts";

const CSV_BYTES = 33_554_432;

/** One item per record of a CSV file (RFC 4180, first record names the columns). */
export function readCsv(path: string): Item[] {
  if (!statSync(path).isFile()) throw new InputUnreadable(path, "`kind: csv` needs a file");
  const head = readHead(path, CSV_BYTES);
  if (head.bytes > CSV_BYTES) throw new InputTooLarge(path, `${head.bytes} bytes; at most ${CSV_BYTES}`);
  if (head.binary) throw new InputUnreadable(path, "it holds bytes that are no text");
  const { records: all, brokenAt } = parseCsv(head.text);
  if (brokenAt !== undefined) throw new InputUnreadable(path, `a quote is misplaced at character ${brokenAt}`);
  const [columns, ...records] = all;
  if (columns === undefined) return [];
  if (new Set(columns).size !== columns.length) throw new InputUnreadable(path, "two columns have the same name");
  return records.map((cells, index) => {
    const row = index + 1;
    if (cells.length !== columns.length) {
      throw new InputUnreadable(path, `record ${row} has ${cells.length} cells where the head has ${columns.length}`);
    }
    const fields = Object.fromEntries(columns.map((column, position) => [column, cells[position] ?? ""]));
    return { id: `row-${String(row).padStart(7, "0")}`, kind: "row", row, fields };
  });
}
