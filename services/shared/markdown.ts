/** Rows of one table or list; further ones are only counted. */
export const MAX_ROWS = 50;

/** A table, or "" without rows. Cells cannot break out of it; what is more than `most` rows is counted in the last one. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], most = MAX_ROWS): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${head.map((_, at) => cell(cells[at] ?? "")).join(" | ")} |`;
  const shown = rows.slice(0, most);
  const rest = rows.length > most ? [line([`… ${rows.length - most} more`])] : [];
  return [line(head), line(head.map(() => "---")), ...shown.map(line), ...rest].join("\n");
}

/** A list, or "" when empty. */
export function bullets(lines: readonly string[], most = MAX_ROWS): string {
  const rest = lines.length > most ? [`* … ${lines.length - most} more`] : [];
  return [...lines.slice(0, most).map((line) => `* ${line.replace(/\s+/g, " ")}`), ...rest].join("\n");
}

/** A name as code: it is quoted data from outside, never mark-up. */
export function code(text: string): string {
  return `\`${text.replace(/[`\s]+/g, " ").trim()}\``;
}

/** Text from outside in one line: nothing in it is mark-up, and no control character comes through. */
export function words(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .replace(/[\\`*[\]<>&|~#]/g, "\\$&");
}

/** Part of a whole in percent, one decimal. */
export function share(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${Math.round((1_000 * part) / whole) / 10} %`;
}

/** A bar that is not escaped yet ends a cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\\\||\|/g, "\\|");
}
