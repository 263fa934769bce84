/** A table, or "" without rows. Cells cannot break out of it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A list, or "" when empty. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `* ${line.replace(/\s+/g, " ")}`).join("\n");
}

/** A name as code: it is quoted data from outside, never mark-up. */
export function code(text: string): string {
  return `\`${text.replace(/[`\s]+/g, " ").trim()}\``;
}

/** Part of a whole in percent, one decimal. */
export function share(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${Math.round((1_000 * part) / whole) / 10} %`;
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}
