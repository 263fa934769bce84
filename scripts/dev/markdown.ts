/** First line of a generated page. */
export const MADE = (source: string) => `<!-- Made by \`npm run docs\` from ${source}. Do not edit. -->\n`;

/** Lines of a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [line(head), `|${head.map(() => "---|").join("")}\n`, ...rows.map(line)].join("");
}

/** `page` with the block after the comment `<!-- mark -->` replaced: everything up to the next blank line outside a fence. */
export function withBlock(page: string, mark: string, text: string): string {
  const line = `<!-- ${mark} -->\n`;
  const [before, after, ...more] = page.split(line);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`exactly one ${line.trim()} is expected`);
  const end = after.startsWith("```") ? after.indexOf("\n```\n") + 5 : after.indexOf("\n\n") + 1;
  if (end < 6) throw new Error(`a fenced block or a table is expected after ${line.trim()}`);
  return `${before}${line}${text}${after.slice(end)}`;
}
