/**
 * Measures which blocs the Regulator finds among honest voters, over many seeds, and prints rows as JSON. Started by
 * `node scripts/bench/blocs.ts`.
 *
 * usage: node test/bench/measure-blocs.ts <runs>
 */
import type { Likeness } from "../../orchestrator/clerks/blocs.ts";
import { BLOC_STRATEGIES, type BlocStrategy } from "../../orchestrator/minds/bloc-mind.ts";
import { type Election, type ElectionOptions, electionOf, findingsIn, THRESHOLDS } from "../support/bloc-study.ts";

const HONEST = 100;
const BLOC = 5;
const CANDIDATES = 8;
const MISJUDGEMENT = 0.1;
/** Thresholds of the power curve, hundredths: the constitution's, and weaker ones that it allows. */
const WEAKER: readonly Likeness[] = [THRESHOLDS, ...[80, 70, 60, 50].map((blocTau) => ({ blocTau, blocJaccard: 50 }))];

const runs = Number(process.argv[2]);
if (!Number.isInteger(runs) || runs < 1) throw new RangeError("usage: node test/bench/measure-blocs.ts <runs>");

interface Row extends Likeness, Omit<ElectionOptions, "seed" | "candidates"> {
  readonly strategy: BlocStrategy;
  readonly candidates: number;
  readonly runs: number;
  /** Runs in which every member was flagged; mean share of members flagged. */
  readonly caught: number;
  readonly members: number;
  /** Shares of pairs of honest voters: flagged, and above the thresholds; mean and worst run. */
  readonly pairs: number;
  readonly pairsWorst: number;
  readonly above: number;
  readonly aboveWorst: number;
  /** Honest voters flagged in a run, on average; runs with any. */
  readonly flagged: number;
  readonly runsFlagged: number;
}

async function elections(options: Omit<ElectionOptions, "seed">): Promise<Election[]> {
  console.error(
    `${options.honest} honest, ${options.bloc} in the bloc, ${options.candidates} candidates, misjudgement ${options.misjudgement} …`,
  );
  const held = [];
  for (let seed = 1; seed <= runs; seed += 1) held.push(await electionOf({ ...options, seed }));
  return held;
}

function rowOf(options: Omit<ElectionOptions, "seed">, held: readonly Election[], strategy: BlocStrategy, likeness = THRESHOLDS): Row {
  const found = held.map((election) => findingsIn(election, strategy, likeness));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const rounded = (value: number) => Number(value.toFixed(5));
  return {
    ...options,
    ...likeness,
    strategy,
    // Fewer drafts than asked for make a shorter ballot.
    candidates: Math.min(...held.map(({ m }) => m)),
    runs,
    caught: found.filter(({ caught }) => caught === options.bloc).length,
    members: rounded(mean(found.map(({ caught }) => caught / options.bloc))),
    pairs: rounded(mean(found.map(({ honestPairs }) => honestPairs))),
    pairsWorst: rounded(Math.max(...found.map(({ honestPairs }) => honestPairs))),
    above: rounded(mean(found.map(({ pairsAbove }) => pairsAbove))),
    aboveWorst: rounded(Math.max(...found.map(({ pairsAbove }) => pairsAbove))),
    flagged: rounded(mean(found.map(({ honestFlagged }) => honestFlagged))),
    runsFlagged: found.filter(({ honestFlagged }) => honestFlagged > 0).length,
  };
}

const common = { honest: HONEST, bloc: BLOC, candidates: CANDIDATES, misjudgement: MISJUDGEMENT } as const;
const detection: Row[] = [];
const power: Row[] = [];
const main = await elections(common);
for (const misjudgement of [0.2, MISJUDGEMENT, 0.05, 0, "impartial"] as const) {
  const options = { ...common, misjudgement };
  detection.push(rowOf(options, misjudgement === MISJUDGEMENT ? main : await elections(options), "identical"));
}
for (const candidates of [4, 6, 12, 16]) {
  const options = { ...common, candidates };
  detection.push(rowOf(options, await elections(options), "identical"));
}
for (const bloc of [BLOC, 10, 20]) {
  const options = { ...common, bloc };
  const held = bloc === BLOC ? main : await elections(options);
  for (const strategy of BLOC_STRATEGIES) for (const likeness of WEAKER) power.push(rowOf(options, held, strategy, likeness));
}
console.log(JSON.stringify({ detection, power }));
