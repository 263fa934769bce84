/** Records of cells, up to a misplaced quote if there is one. */
export interface CsvRecords {
  readonly records: readonly (readonly string[])[];
  /** Character at which a quote is misplaced. */
  readonly brokenAt: number | undefined;
}

/** Reads CSV (RFC 4180). Quoted cells may hold commas, line breaks and doubled quotes; empty lines are skipped. */
export function parseCsv(text: string): CsvRecords {
  const records: string[][] = [];
  let record: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) return { records, brokenAt: at };
    const [, raw = "", end = ""] = match;
    record.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end === ",") {
      if (cell.lastIndex === text.length) record.push("");
      else continue;
    }
    if (record.length > 1 || record[0] !== "") records.push(record);
    record = [];
  }
  return { records, brokenAt: undefined };
}

/** One CSV text. What a spreadsheet would run as a formula is made text by an apostrophe (CWE-1236). */
export function writeCsv(records: readonly (readonly string[])[]): string {
  return records.map((record) => `${record.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const safe = /^([=+@\t\r]|-(?![\d.]))/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
