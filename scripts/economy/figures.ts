/** A campaign's pictures. */
import { mean } from "simple-statistics";
import { barChart, type Chart, lineChart, type Series } from "../../orchestrator/economy/chart.ts";
import {
  AS_WRITTEN,
  benefitPoints,
  breakEvenOf,
  byScale,
  costPoints,
  resampled,
  SCALED,
  scalePoints,
} from "../../orchestrator/economy/hypotheses.ts";
import type { SessionFigures } from "../../orchestrator/economy/law/session.ts";
import { overhead, type RunSummary } from "../../orchestrator/economy/metrics.ts";
import { type Configuration, PERSONA_NAMES } from "../../orchestrator/economy/parameters.ts";
import type { RoundFigures, RunFigures } from "../../orchestrator/economy/run.ts";
import { bootstrap } from "../../orchestrator/economy/statistics/description.ts";
import { fitCurve, type Point, powerLaw, SHAPES, SHAPES_OF_BENEFIT } from "../../orchestrator/economy/statistics/fits.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

/** A picture by its file's name, without ending. */
export type Figures = ReadonlyMap<string, string>;

/** Which of the paper's pictures each is (AgentCity D.11, D.12). */
export const CAPTIONS: Readonly<Record<string, string>> = {
  csr: "AgentCity's Figure 7",
  "csr-by-agents": "AgentCity's Figure 8",
  deception: "AgentCity D.11, figure 4",
  overhead: "AgentCity D.11, figure 5",
  wealth: "AgentCity D.11, figure 6",
  participation: "AgentCity D.11, figure 7",
  shock: "AgentCity D.11, figure 8",
  cost: "AgentCity's Figure 9",
  benefit: "AgentCity's Figure 10",
  "break-even": "AgentCity's Figure 11",
  messages: "AgentCity D.12, figure 7",
  convergence: "AgentCity D.12, figure 8",
  propagation: "AgentCity D.12, figure 9",
  "benefit-shape": "AgentCity D.12, figure 10",
};

/** Half-way through every run, a short one too. */
const shockOf = (runs: readonly RunFigures[]): number => (runs[0]?.rounds.length ?? 0) / 2;
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

/** Experiment 1's pictures, from the runs at one scale; with rounds until each configuration was back after the shock, where any run was. */
export function figuresOfOne(runs: readonly RunFigures[], recovery: ReadonlyMap<Configuration, number>): Figures {
  const groups = byConfiguration(runs);
  const marks = [{ x: shockOf(runs), text: "shock" }];
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
      marks,
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
      lineChart({ title: "Deception by persona, ten rounds' mean", x: "round", y: "DR", marks, series: deception, within: [0, 1] }),
    ],
    ["overhead", lines("Governance overhead, ten rounds' mean", "GOR", (rounds, round) => overhead(windowOf(rounds, round)), [0, 1])],
    ["wealth", lines("Wealth Gini coefficient", "WGC", (rounds, round) => rounds[round]?.wgc ?? 0, [0, 1])],
    ["participation", lines("Economic participation rate", "EPR", (rounds, round) => rounds[round]?.epr ?? 0)],
    ["pool", lines("Level of the pool over its capacity", "R/K", (rounds, round) => rounds[round]?.pool ?? 0, [0, 1])],
    ["shock", shockChart(groups, shockOf(runs), recovery)],
    ...(runs.some(({ governance }) => governance !== undefined)
      ? [
          [
            "sanctions",
            lines("Rounds with a sanction, ten rounds' share", "SAR", (rounds, round) => sanctioned(windowOf(rounds, round)), [0, 1]),
          ] as const,
          ["reputation", lines("Gini coefficient of reputation", "Gini", (rounds, round) => rounds[round]?.reputation ?? 0)] as const,
          ["power", powerChart(runs)] as const,
        ]
      : []),
  ]);
}

/** Means of the twenty rounds before the shock and of the thirty after it. */
function shockChart(
  groups: readonly (readonly [Configuration, readonly RunFigures[]])[],
  shock: number,
  recovery: ReadonlyMap<Configuration, number>,
): string {
  const metrics = [
    ["CSR", (rounds: readonly RoundFigures[]) => average(rounds.map(({ csr }) => csr))],
    ["EPR", (rounds: readonly RoundFigures[]) => average(rounds.map(({ epr }) => epr))],
    ["DR", (rounds: readonly RoundFigures[]) => deceptionOf(rounds)],
  ] as const;
  const windows = [
    ["before", Math.max(0, shock - 20), shock],
    ["after", shock + 1, shock + 31],
  ] as const;
  return barChart({
    title: "Before and after the shock",
    y: "mean of rounds",
    groups: metrics.map(([name, of]) => ({
      name,
      bars: groups.flatMap(([configuration, runs]) =>
        windows.map(([when, from, to]) => {
          const values = runs.map(({ rounds }) => of(rounds.slice(from, to)));
          const rounds = recovery.get(configuration);
          const srt = when === "before" ? "" : `, SRT ${rounds === undefined ? "–" : rounds.toFixed(0)}`;
          return { name: `${configuration}, ${when}${srt}`, value: average(values), ...interval(values, name, configuration, when) };
        }),
      ),
    })),
  });
}

const sanctioned = (rounds: readonly RoundFigures[]): number =>
  rounds.length === 0 ? 0 : rounds.filter(({ sanctions = 0 }) => sanctions > 0).length / rounds.length;

/** How often the detector finds the shock's bloc whole, by how much it agrees on. */
function powerChart(runs: readonly RunFigures[]): string {
  const met = runs.flatMap(({ governance }) => governance?.sessions.flatMap(({ caught }) => caught ?? []) ?? []);
  const strategies = [
    ["identical", ({ identical }: Caught) => identical],
    ["top three", ({ top3 }: Caught) => top3],
    ["single pivot", ({ pivot }: Caught) => pivot],
  ] as const;
  return barChart({
    title: "Blocs of five found whole",
    y: "share of sessions",
    groups: strategies.map(([name, of]) => {
      const values = met.map((caught) => (of(caught) ? 1 : 0));
      const value = values.length === 0 ? 0 : average(values);
      return { name, bars: [{ name: "found", value, ...(values.length === 0 ? { low: 0, high: 0 } : interval(values, "power", name)) }] };
    }),
  });
}
type Caught = NonNullable<SessionFigures["caught"]>;

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
    ...governed(runs, chart),
  ]);
}

/** A session's statements with a line and a parabola through them, and its time ± one standard deviation, each by drafts. */
export function ballotFigures(rows: readonly Ballot[]): Figures {
  const groups = [...Map.groupBy(rows, ({ drafts }) => drafts)];
  const statements = groups.flatMap(([drafts, its]): Series[] => {
    const points = its.map(({ agents, messages }) => ({ x: agents, y: messages.mean }));
    const curves = points.length < 3 ? [] : (["linear", "quadratic"] as const).map((shape) => fitCurve(shape, points));
    return [
      { name: `${drafts} drafts`, points: points.map(({ x, y }) => [x, y] as const), dots: true },
      ...curves.map(({ shape, at }) => ({ name: `${drafts} drafts: ${shape}`, points: points.map(({ x }) => [x, at(x)] as const) })),
    ];
  });
  const times = groups.map(
    ([drafts, its]): Series => ({
      name: `${drafts} drafts`,
      points: its.map(({ agents, seconds }) => [agents, seconds.mean] as const),
      band: its.map(({ seconds: { mean: middle, sd } }) => [middle - sd, middle + sd] as const),
    }),
  );
  return new Map([
    ["messages", lineChart({ title: "Signed statements of a session", x: "agents", y: "M(n)", series: statements })],
    ["convergence", lineChart({ title: "A session's time ± one standard deviation", x: "agents", y: "CT(n), s", series: times })],
  ]);
}

/** Sessions of so many agents over so many drafts. */
export interface Ballot {
  readonly agents: number;
  readonly drafts: number;
  readonly seeds: number;
  readonly messages: Spread;
  readonly seconds: Spread;
}

/** Standard deviation over seeds; 0 of one. */
export interface Spread {
  readonly mean: number;
  readonly sd: number;
}

type Draw = (title: string, y: string, variant: string, of: (run: RunSummary) => number) => string;

/** The power law through points above 0, and where it lies with 95 %; logarithms, as the pictures of it have. */
function fitted(points: readonly Point[]): Series[] {
  const above = points.filter(({ y }) => y > 0);
  const groups = byScale(above);
  if (groups.length < 2) return [];
  const scales = groups.map(([first]) => first?.x ?? 1).sort((one, other) => one - other);
  const { exponent } = powerLaw(above);
  const at = (x: number) => (sample: readonly Point[]) => {
    const law = powerLaw(sample);
    return Math.log10(law.factor * x ** law.exponent);
  };
  const band = scales.map((x) => resampled(groups, at(x), randomStream(7, "economy", "figures", "law", x)));
  return [
    {
      name: `n^${exponent.toFixed(2)}`,
      points: scales.map((x) => [x, at(x)(above)] as const),
      band: band.map(({ low, high }) => [low, high]),
    },
  ];
}

/** What governance costs and brings, where there are governed runs. */
function governed(runs: readonly RunSummary[], chart: Draw): [string, string][] {
  const cost = costPoints(runs);
  if (cost.length === 0) return [];
  const benefit = benefitPoints(runs);
  const scales = [...new Set(cost.map(({ x }) => x))].sort((one, other) => one - other);
  const at = (points: readonly Point[], scale: number) => average(points.filter(({ x }) => x === scale).map(({ y }) => y));
  const full = runs.filter(({ governance }) => governance !== undefined);
  const lines = (title: string, y: string, series: Series[], marks: NonNullable<Chart["marks"]> = []) =>
    lineChart({ title, x: "agents", y, series, logarithmic: true, marks });
  const dots = (name: string, points: readonly Point[]): Series => ({
    name,
    points: points.map(({ x, y }) => [x, y] as const),
    dots: true,
  });
  const logged = (points: readonly Point[]) => points.filter(({ y }) => y > 0).map(({ x, y }) => ({ x, y: Math.log10(y) }));
  const gains = logged(benefit);
  const evenAt = breakEvenOf(cost, benefit);
  const even: NonNullable<Chart["marks"]> = [
    { y: 1, text: "B = G" },
    ...(Number.isFinite(evenAt) ? [{ x: evenAt, text: `n* = ${evenAt}` }] : []),
  ];
  const shapes = SHAPES_OF_BENEFIT.map((shape) => fitCurve(shape, benefit)).sort((one, other) => one.aic - other.aic);
  const compared = shapes.filter(({ shape }, place) => place === 0 || shape === "logistic");
  return [
    ["cost", lines("Cost of governance G(n)", "log10 of tokens", [dots("full", logged(cost)), ...fitted(cost)])],
    ...(gains.length === 0
      ? []
      : [
          ["benefit", lines("Benefit of governance B(n), where above 0", "log10 of tokens", [dots("full", gains), ...fitted(benefit)])] as [
            string,
            string,
          ],
        ]),
    [
      "benefit-shape",
      lines("Benefit of governance: a logistic curve, and the best", "B(n), tokens", [
        dots("full", benefit),
        ...compared.map(({ shape, at: value }) => ({ name: shape, points: scales.map((x) => [x, value(x)] as const) })),
      ]),
    ],
    [
      "break-even",
      lines("Benefit over cost", "B/G", [{ name: "full", points: scales.map((x) => [x, at(benefit, x) / at(cost, x)] as const) }], even),
    ],
    ["messages", chart("Signed statements of a session", "M(n)", AS_WRITTEN, ({ governance }) => governance?.messages ?? 0)],
    ["convergence", chart("Chain time of a session, seconds", "CT(n)", AS_WRITTEN, ({ governance }) => governance?.seconds ?? 0)],
  ].filter(() => full.length > 0) as [string, string][];
}
