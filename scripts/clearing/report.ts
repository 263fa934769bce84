/** How our figure stands to the paper's. */
export type RowVerdict =
  /** The same, or the same within what chance allows. */
  | "reproduced"
  /** The paper's figure does not follow from its own definitions; the note says why. */
  | "paper differs"
  /** Ours should agree and does not. */
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

/** What a command prints, and with `--json` the same as data. */
export interface Report {
  readonly title: string;
  readonly rows: readonly Row[];
  /** What the rows leave out. */
  readonly notes: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** A row whose figures are texts that must be equal. */
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
