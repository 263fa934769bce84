/** Invariant 28 as a table: who ends each kind of state, and by which call. */
import type { WayOut } from "./explore.ts";

export interface Ending {
  readonly kind: string;
  readonly states: number;
  /** `who: call`, whatever the node. */
  readonly next: readonly string[];
  /** Calls and waits to the end at most, along shortest ways. */
  readonly furthest: number;
}

const nameless = (move: string): string => move.replace(/ (?:of |for )?(?:node )?\d+(?:, attempt \d+,?)?/g, "");

/** The ways out of several missions, kind by kind. */
export function endings(ways: readonly WayOut[]): readonly Ending[] {
  const kinds = [...new Set(ways.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => {
    const same = ways.filter((way) => way.kind === kind);
    return {
      kind,
      states: same.reduce((sum, { states }) => sum + states, 0),
      next: [...new Set(same.flatMap(({ moves }) => moves.map(nameless)))].sort(),
      furthest: Math.max(...same.map(({ furthest }) => furthest)),
    };
  });
}

/** As it stands in docs/modelcheck.md. */
export function endingsTable(all: readonly Ending[]): string {
  const rows = all.map(({ kind, next, furthest, states }) => `| ${kind} | ${next.join("; ")} | ${furthest} | ${states} |\n`);
  return `| state of the mission | next step of a shortest way, and by whom | maximum steps to the end | states |\n|---|---|---|---|\n${rows.join("")}`;
}
