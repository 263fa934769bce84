import type { ExecutionMetrics, Metrics, Share } from "../protocol/metrics.ts";

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

/** The session's metrics in words; what there was nothing of is left out. */
export function metricLines({ turnout, lpr, dsi, msr, pvrr, cfr, dvr }: Metrics): string[] {
  const told = (share: Share, words: string) => (share.whole === 0 ? [] : [words]);
  const people = [
    ...told(lpr, `${percent(lpr)} of the producers took part (LPR), ${percent(turnout)} voted`),
    ...told(dsi, `the debate moved ${percent(dsi)} of all preferences (DSI)`),
    ...told(msr, `${msr.part} of ${msr.whole} dissenting proposals kept a tenth of the first places (MSR)`),
  ];
  const law = [
    ...told(pvrr, `constitution refused ${pvrr.part} of ${pvrr.whole} (PVRR)`),
    ...told(cfr, `codified as voted ${cfr.part} of ${cfr.whole} (CFR)`),
    ...told(dvr, `deployed as codified ${dvr.part} of ${dvr.whole} (DVR)`),
  ];
  return [people, law].flatMap((parts) => (parts.length === 0 ? [] : [parts.join(" · ")]));
}

/** The secondary metrics of execution; what could not be measured is left out. */
export function stageLines({ ccr, gar, grr, aru }: ExecutionMetrics): string[] {
  const told = ({ part, whole }: Share, words: string) => (whole === 0 ? [] : [`${part} of ${whole} ${words}`]);
  const parts = [
    ...told(ccr, "executors committed (CCR)"),
    ...told(gar, "attempts deviated (GAR)"),
    ...told(grr, "outputs were kept back by the gate (GRR)"),
    ...told(aru, "failed tasks came back (ARU)"),
  ];
  return parts.length === 0 ? [] : [parts.join(" · ")];
}

function percent({ part, whole }: Share): string {
  const tenths = Math.round((1000 * part) / whole);
  return `${tenths % 10 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)} %`;
}
