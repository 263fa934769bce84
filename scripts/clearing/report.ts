/** How our figure compares with the paper's. */
export type RowVerdict =
  /** Equal, or equal within sampling error. */
  | "reproduced"
  /** The paper's figure does not follow from its own definitions; the note says why. */
  | "paper differs"
  /** Ours should agree but does not. */
  | "NOT REPRODUCED";

export interface Row {
  readonly figure: string;
  readonly paper: string;
  /** Where there is one. */
  readonly closedForm?: string;
  readonly ours: string;
  readonly verdict: RowVerdict;
  readonly note?: string;
}

/** A command's output; `--json` prints it as data. */
export interface Report {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Remarks that do not belong to one row. */
  readonly notes: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** A row whose figures are texts and must be equal. */
export function same(figure: string, paper: string, ours: string): Row {
  return { figure, paper, ours, verdict: paper === ours ? "reproduced" : "NOT REPRODUCED" };
}

export function isReproduced({ rows }: Report): boolean {
  return rows.every(({ verdict }) => verdict !== "NOT REPRODUCED");
}

const HEAD = ["figure", "paper", "closed form", "ours", "verdict"] as const;

export function format({ title, rows, notes }: Report): string {
  const cells = rows.map(({ figure, paper, closedForm = "", ours, verdict }) => [figure, paper, closedForm, ours, verdict]);
  const widths = HEAD.map((head, column) => Math.max(...[[...HEAD], ...cells].map((line) => (line[column] ?? head).length)));
  const line = (texts: readonly string[]) =>
    `  ${texts
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()}`;
  const remarks = [...rows.flatMap(({ figure, note }) => (note === undefined ? [] : [`${figure}: ${note}`])), ...notes];
  return [title, line(HEAD), ...cells.map(line), ...remarks.map((remark) => `  · ${remark}`), ""].join("\n");
}
