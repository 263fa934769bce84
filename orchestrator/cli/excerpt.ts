import { columns } from "./screen-parts.ts";

/** Lines of the executors' document shown on the screen. */
const MAX_LINES = 16;

export interface Excerpt {
  readonly lines: readonly string[];
  /** Number of lines not shown. */
  readonly more: number;
}

/**
 * The beginning of the executors' document for a terminal, taken from its quotation in the report: Markdown of a known form
 * (`city/report/quote-document.ts`), without control characters.
 */
export function excerptOf(report: string): Excerpt {
  const quoted = report.split("\n").flatMap((line) => /^> ?(.*)$/.exec(line)?.[1] ?? []);
  const shown = quoted.slice(0, MAX_LINES);
  const lines: string[] = [];
  let rows: string[][] = [];
  const endTable = () => {
    lines.push(...columns(rows));
    rows = [];
  };
  for (const line of shown) {
    if (/^\|(?: --- \|)+$/.test(line)) continue;
    if (line.startsWith("| ")) rows.push(cellsOf(line));
    else {
      endTable();
      if (!/^`{3,}$/.test(line)) lines.push(plain(line.replace(/^#+ /, "")));
    }
  }
  endTable();
  while (lines.at(-1) === "") lines.pop();
  return { lines, more: quoted.length - shown.length };
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim()));
}

/** Inline Markdown as plain text. */
function plain(markdown: string): string {
  return markdown.replaceAll("**", "").replace(/\\([!-/:-@[-`{-~])|`/g, "$1");
}
