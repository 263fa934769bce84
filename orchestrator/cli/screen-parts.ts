/** Width of the column of headings. */
export const INDENT = 8;

/** A heading in the left column, its lines beside it. */
export function block(heading: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? heading : "").padEnd(INDENT)} ${line}`);
}

/** First column left, the others right. */
export function table(heading: string, rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[column] ?? 0) + 3))).join(""),
  );
  return heading.length < INDENT || lines.length === 0 ? block(heading, lines) : [heading, ...block("", lines)];
}

/** Who is preferred over whom, by how many. */
export function pairwiseTable(
  candidates: readonly { readonly entry: number; readonly letter: string; readonly title: string }[],
  pairwise: readonly (readonly number[])[],
): string[][] {
  if (pairwise.length === 0) return [];
  const head = ["prefer ↓ over →", ...candidates.map(({ letter }) => letter)];
  const rows = candidates.map(({ entry, letter, title }) => [
    entry === 0 ? letter : `${letter} ${title}`,
    ...candidates.map((other) => (other.entry === entry ? "·" : String(pairwise[entry]?.[other.entry] ?? 0))),
  ]);
  return [head, ...rows];
}

/** 1234567 → 1,234,567. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
