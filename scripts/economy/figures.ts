/** A campaign's pictures. Those that need contracts are listed by the report instead. */
import { mean } from "simple-statistics";
import { barChart, lineChart, type Series } from "../../orchestrator/economy/chart.ts";
import { AS_WRITTEN, SCALED, scalePoints } from "../../orchestrator/economy/hypotheses.ts";
import { overhead, type RunSummary } from "../../orchestrator/economy/metrics.ts";
import { type BuiltConfiguration, ECONOMY, PERSONA_NAMES } from "../../orchestrator/economy/parameters.ts";
import type { RoundFigures, RunFigures } from "../../orchestrator/economy/run.ts";
import { bootstrap } from "../../orchestrator/economy/statistics/description.ts";
import { fitCurve, SHAPES } from "../../orchestrator/economy/statistics/fits.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

/** A picture by its file's name, without ending. */
export type Figures = ReadonlyMap<string, string>;

/** Figures of the paper that need Structural or Full. */
export const NOT_DRAWN = [
  "G(n) against n, with fit and band",
  "B(n) against n",
  "B(n)/G(n) and the break-even",
  "gas by contract and function",
  "messages M(n) by number of candidates",
  "convergence time CT(n)",
  "comparison of the benefit's growth with MacNet's",
] as const;

const SHOCK = [{ x: ECONOMY.shock.round, text: "shock" }] as const;
const GOVSIM = 0.54;
const BAND_RESAMPLES = 400;
/** Longest window whose mean stands for a round, in the series that jump. */
const SMOOTHED = 10;

const average = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : mean([...values]));
const interval = (values: readonly number[], ...names: readonly (string | number)[]) =>
  bootstrap(values, average, randomStream(7, "economy", "figures", ...names), { resamples: BAND_RESAMPLES });

/** The mean over seeds at each round, with the interval it lies in. */
function trajectory(name: string, runs: readonly RunFigures[], of: (rounds: readonly RoundFigures[], at: number) => number): Series {
  const length = Math.min(...runs.map(({ rounds }) => rounds.length));
  const values = Array.from({ length }, (_, round) => runs.map(({ rounds }) => of(rounds, round)));
  const band = values.map((seeds, round) => interval(seeds, name, round));
  return { name, points: values.map((seeds, round) => [round, average(seeds)]), band: band.map(({ low, high }) => [low, high]) };
}

const windowOf = (rounds: readonly RoundFigures[], at: number) => rounds.slice(Math.max(0, at + 1 - SMOOTHED), at + 1);
const byConfiguration = (runs: readonly RunFigures[]) => [...Map.groupBy(runs, ({ configuration }) => configuration)];

/** Experiment 1's pictures, from the runs at one scale. */
export function figuresOfOne(runs: readonly RunFigures[]): Figures {
  const groups = byConfiguration(runs);
  const lines = (
    title: string,
    y: string,
    of: (rounds: readonly RoundFigures[], at: number) => number,
    within?: readonly [number, number],
  ) =>
    lineChart({
      title,
      x: "round",
      y,
      marks: SHOCK,
      series: groups.map(([name, its]) => trajectory(name, its, of)),
      ...(within === undefined ? {} : { within }),
    });
  const deception = groups.flatMap(([configuration, its]) =>
    PERSONA_NAMES.map((persona) =>
      trajectory(`${configuration}, ${persona}`, its, (rounds, round) => {
        const window = windowOf(rounds, round);
        const said = (place: 0 | 1) => window.reduce((sum, one) => sum + one.said[persona][place], 0);
        return said(1) === 0 ? 0 : said(0) / said(1);
      }),
    ),
  );
  return new Map([
    ["csr", lines("Cooperation sustainability rate", "CSR", (rounds, round) => rounds[round]?.csr ?? 0, [0, 1])],
    [
      "deception",
      lineChart({ title: "Deception by persona, ten rounds' mean", x: "round", y: "DR", marks: SHOCK, series: deception, within: [0, 1] }),
    ],
    ["overhead", lines("Governance overhead, ten rounds' mean", "GOR", (rounds, round) => overhead(windowOf(rounds, round)), [0, 1])],
    ["wealth", lines("Wealth Gini coefficient", "WGC", (rounds, round) => rounds[round]?.wgc ?? 0, [0, 1])],
    ["participation", lines("Economic participation rate", "EPR", (rounds, round) => rounds[round]?.epr ?? 0)],
    ["pool", lines("Level of the pool over its capacity", "R/K", (rounds, round) => rounds[round]?.pool ?? 0, [0, 1])],
    ["shock", shockChart(groups)],
  ]);
}

/** Means before the shock (80 to 100) and after it (101 to 130). */
function shockChart(groups: readonly (readonly [BuiltConfiguration, readonly RunFigures[]])[]): string {
  const metrics = [
    ["CSR", (rounds: readonly RoundFigures[]) => average(rounds.map(({ csr }) => csr))],
    ["EPR", (rounds: readonly RoundFigures[]) => average(rounds.map(({ epr }) => epr))],
    ["DR", (rounds: readonly RoundFigures[]) => deceptionOf(rounds)],
  ] as const;
  const windows = [
    ["before", 80, 100],
    ["after", 101, 131],
  ] as const;
  return barChart({
    title: "Before and after the shock",
    y: "mean of rounds",
    groups: metrics.map(([name, of]) => ({
      name,
      bars: groups.flatMap(([configuration, runs]) =>
        windows.map(([when, from, to]) => {
          const values = runs.map(({ rounds }) => of(rounds.slice(from, to)));
          return { name: `${configuration}, ${when}`, value: average(values), ...interval(values, name, configuration, when) };
        }),
      ),
    })),
  });
}

function deceptionOf(rounds: readonly RoundFigures[]): number {
  const said = (place: 0 | 1) =>
    rounds.reduce((sum, round) => sum + PERSONA_NAMES.reduce((part, name) => part + round.said[name][place], 0), 0);
  return said(1) === 0 ? 0 : said(0) / said(1);
}

/** Compliance at each scale, with the line that GovSim's models stayed below. */
export function scaleChart(runs: readonly RunSummary[]): string {
  const scales = [...new Set(runs.map(({ agents }) => agents))].sort((one, other) => one - other);
  const configurations = [...new Set(runs.map(({ configuration }) => configuration))];
  return barChart({
    title: "Cooperation sustainability rate by agents",
    y: "CSR",
    marks: [{ y: GOVSIM, text: "GovSim: below 0.54 survive" }],
    groups: scales.map((agents) => ({
      name: String(agents),
      bars: configurations.map((configuration) => {
        const values = runs
          .filter((run) => run.agents === agents && run.configuration === configuration && run.variant === AS_WRITTEN)
          .map(({ csr }) => csr);
        return { name: configuration, value: average(values), ...interval(values, agents, configuration) };
      }),
    })),
  });
}

/** Experiment 2's pictures. */
export function figuresOfTwo(runs: readonly RunSummary[]): Figures {
  const configurations = [...new Set(runs.map(({ configuration }) => configuration))];
  const chart = (title: string, y: string, variant: string, of: (run: RunSummary) => number): string => {
    const clouds = configurations.map((name) => ({ name, points: scalePoints(runs, name, variant, of) }));
    const series = clouds.flatMap(({ name, points }): Series[] => {
      if (points.length === 0) return [];
      const xs = [...new Set(points.map(({ x }) => x))].sort((one, other) => one - other);
      const best = SHAPES.map((shape) => fitCurve(shape, points)).reduce((one, other) => (other.aic < one.aic ? other : one));
      return [
        { name, points: points.map(({ x, y: value }) => [x, value] as const), dots: true },
        { name: `${name}: ${best.shape}`, points: xs.map((x) => [x, best.at(x)] as const) },
      ];
    });
    return lineChart({ title, x: "agents", y, series, logarithmic: true });
  };
  return new Map([
    ["propagation", chart("Failure propagation, tasks scaled with agents", "FPD", SCALED, ({ fpd }) => fpd)],
    ["propagation-fixed", chart("Failure propagation, 25 tasks", "FPD", AS_WRITTEN, ({ fpd }) => fpd)],
    ["completion", chart("Milestones completed by agents", "PCR", AS_WRITTEN, ({ pcr }) => pcr)],
    ["specialisation", chart("Specialisation by agents (low is specialised)", "SI", AS_WRITTEN, ({ si }) => si)],
  ]);
}
