/** First line of a generated page. */
export const MADE = (source: string) => `<!-- Made by \`npm run docs\` from ${source}. Do not edit. -->\n`;

/** Lines of a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [line(head), `|${head.map(() => "---|").join("")}\n`, ...rows.map(line)].join("");
}
