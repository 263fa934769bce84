import type { ExecutionMetrics, Metrics, Share } from "../protocol/metrics.ts";
import { textWidth, wrapped } from "./text-width.ts";

/** Width of the heading column. */
export const INDENT = 8;
/** Maximum line width, except for unbreakable paths and commands. */
export const SCREEN_WIDTH = 80;
const BETWEEN = 3;
const NARROWEST = 4;

/** A heading in the left column, and its wrapped lines in the right one. */
export function block(heading: string, lines: readonly string[]): string[] {
  return lines
    .flatMap((line) => wrapped(line, SCREEN_WIDTH - INDENT))
    .map((line, index) => `${(index === 0 ? heading : "").padEnd(INDENT)}${line}`.trimEnd());
}

/** The same for one line that must not be wrapped: a path, a command. */
export function whole(heading: string, line: string): string[] {
  return [`${heading.padEnd(INDENT)}${line}`];
}

/** First column left-aligned, the others right-aligned; if too wide, the widest columns are truncated. */
export function table(heading: string, rows: readonly (readonly string[])[]): string[] {
  const lines = columns(rows, (cell, width, column) => (column === 0 ? padEnd(cell, width) : padStart(cell, width)));
  return heading.length < INDENT || lines.length === 0 ? block(heading, lines) : [heading, ...block("", lines)];
}

/** Aligned columns in the width right of the headings. */
export function columns(
  rows: readonly (readonly string[])[],
  pad: (cell: string, width: number, column: number) => string = padEnd,
): string[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ""))));
  const room = SCREEN_WIDTH - INDENT - BETWEEN * (count - 1);
  for (let spare = widths.reduce((sum, width) => sum + width, 0) - room; spare > 0; spare -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return rows.map((row) =>
    widths
      .map((width, column) => pad(cut(row[column] ?? "", width), width, column))
      .join(" ".repeat(BETWEEN))
      .trimEnd(),
  );
}

function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const [first = ""] = wrapped(text.replaceAll(" ", "\u00a0"), Math.max(1, width - 1));
  return `${first.replaceAll("\u00a0", " ")}…`;
}

function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - textWidth(text))) + text;
}

/** How many voters prefer each entry over each other. */
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

/** Lines for the session's metrics; those without data are left out. */
export function metricLines({ turnout, lpr, dsi, msr, pvrr, cfr, dvr }: Metrics): string[] {
  const stated = (share: Share, words: string) => (share.whole === 0 ? [] : [words]);
  const people = [
    ...stated(lpr, `${percent(lpr)} of the producers took part (LPR), ${percent(turnout)} voted`),
    ...stated(dsi, `the debate moved ${percent(dsi)} of all preferences (DSI)`),
    ...stated(msr, `${msr.part} of ${msr.whole} dissenting proposals kept a tenth of the first places (MSR)`),
  ];
  const law = [
    ...stated(pvrr, `constitution refused ${pvrr.part} of ${pvrr.whole} (PVRR)`),
    ...stated(cfr, `codified as voted ${cfr.part} of ${cfr.whole} (CFR)`),
    ...stated(dvr, `deployed as codified ${dvr.part} of ${dvr.whole} (DVR)`),
  ];
  return [people, law].flatMap((parts) => (parts.length === 0 ? [] : [parts.join(" · ")]));
}

/** Lines for the secondary metrics of execution; those without data are left out. */
export function stageLines({ ccr, gar, grr, aru }: ExecutionMetrics): string[] {
  const stated = ({ part, whole }: Share, words: string) => (whole === 0 ? [] : [`${part} of ${whole} ${words}`]);
  const parts = [
    ...stated(ccr, "executors committed (CCR)"),
    ...stated(gar, "attempts deviated (GAR)"),
    ...stated(grr, "outputs were rejected by the gate (GRR)"),
    ...stated(aru, "failed tasks were recovered (ARU)"),
  ];
  return parts.length === 0 ? [] : [parts.join(" · ")];
}

function percent({ part, whole }: Share): string {
  const tenths = Math.round((1000 * part) / whole);
  return `${tenths % 10 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)} %`;
}
