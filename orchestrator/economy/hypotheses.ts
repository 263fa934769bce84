/** The experiment's hypotheses, judged by the thresholds and tests of docs/economy.md. */
import { mean } from "simple-statistics";
import type { RandomStream } from "../primitives/random.ts";
import type { RunSummary } from "./metrics.ts";
import { BUILT, type BuiltConfiguration, type Configuration } from "./parameters.ts";
import { bootstrap, cohensD, type Interval } from "./statistics/description.ts";
import { akaikeWeights, fitCurve, type Point, SHAPES, type Shape } from "./statistics/fits.ts";
import { signedRank } from "./statistics/significance.ts";

export type Verdict = "supported" | "falsified" | "inconclusive" | "not measured";

export interface Finding {
  readonly id: string;
  readonly says: string;
  readonly verdict: Verdict;
  /** Mean over seeds, and where it lies with 95 %. */
  readonly mean?: number;
  readonly interval?: Interval;
  readonly p?: number;
  /** What it lacks, or what was found in words. */
  readonly because: string;
}

/** Planned comparisons of each experiment: the correction does not shrink while some cannot be made. */
export const COMPARISONS = { 1: 6, 2: 12 } as const;
export type Experiment = keyof typeof COMPARISONS;
export const ALPHA = 0.05;

/** A bound that a mean is beyond. */
type Bound = { readonly above: number } | { readonly below: number };

interface Hypothesis {
  readonly id: string;
  readonly says: string;
  readonly needs: readonly Configuration[];
}

const ROWS: readonly (readonly [id: string, says: string, needs: readonly Configuration[]])[] = [
  ["H1a", "SI(Full) < 0.5 at round 40", ["full"]],
  ["H1b", "CAU(Full) > 0.6", ["full"]],
  ["H1c", "PvR(Full) > 1.5", ["full"]],
  ["H1d", "SS(Full) < 40 rounds", ["full"]],
  ["H2a", "REC(Full) > 3", ["full"]],
  ["H2b", "ECP > 0: Structural over Emergent", ["structural"]],
  ["H2c", "GOR(Full) falls from above 8 % to below 3 %", ["full"]],
  ["H2d", "RQT(Full) > 0", ["full"]],
  ["H2e", "LPR(Full) > 0.5", ["full"]],
  ["H2f", "DSI(Full) > 0.1", ["full"]],
  ["H2g", "MSR(Full) > 0.3", ["full"]],
  ["H2h", "CDR(Full) ≥ 0.8", ["full"]],
  ["H2i", "OPA(Full) ≤ 2, influence halved", ["full"]],
  ["H3a", "PCR(Full) > 0.8", ["full"]],
  ["H3b", "PSR(Full) > 0.9", ["full"]],
  ["H3c", "PCR(Full) > PCR(Emergent)", ["full"]],
  ["H3d", "PCR(Baseline) < 0.4", ["baseline"]],
  ["H3e", "ICT(Full) does not decline", ["full"]],
  ["H3f", "SAR(Full) > 0 and declining", ["full"]],
  ["H4a", "G(n) grows with an exponent below 1", ["full"]],
  ["H4b", "B(n) grows with an exponent above 1", ["full"]],
  ["H4c", "break-even between 20 and 50 agents", ["full"]],
  ["H4d", "SI(Full) decreases with n", ["full"]],
  ["H5a", "FPD(Baseline) grows as √n", ["baseline"]],
  ["H5b", "FPD(Full) does not grow with n", ["full"]],
];
export const HYPOTHESES: readonly Hypothesis[] = ROWS.map(([id, says, needs]) => ({ id, says, needs }));

/** The variant that the constants of docs/economy.md are; others are named for what differs. */
export const AS_WRITTEN = "as written";
/** Tasks grow with the city. */
export const SCALED = "tasks scaled";

/** Runs of a configuration as written, by seed. */
export const runsOf = (
  runs: readonly RunSummary[],
  configuration: BuiltConfiguration,
  agents: number,
  variant = AS_WRITTEN,
): RunSummary[] =>
  runs
    .filter((run) => run.configuration === configuration && run.agents === agents && run.variant === variant)
    .sort((one, other) => one.seed - other.seed);

/** Every hypothesis over the runs of an experiment; those that need contracts, or other runs, are not measured. */
export function judge(runs: readonly RunSummary[], experiment: Experiment, agents: number, stream: RandomStream): Finding[] {
  const alpha = ALPHA / COMPARISONS[experiment];
  return HYPOTHESES.map(({ id, says, needs }): Finding => {
    const absent = needs.find((name) => !BUILT.some((built) => built === name));
    if (absent !== undefined) return { id, says, verdict: "not measured", because: `needs the ${absent} configuration` };
    if (id === "H3d")
      return {
        id,
        says,
        ...beyond(
          runsOf(runs, "baseline", agents).map(({ pcr }) => pcr),
          { below: 0.4 },
          { above: 0.6 },
          alpha,
          stream,
        ),
      };
    return { id, says, ...growth(runs) };
  });
}

type Judged = Omit<Finding, "id" | "says">;

/** Whether a mean lies beyond a bound, and the test rejects that it lies on the other side. */
export function beyond(values: readonly number[], supported: Bound, falsified: Bound, alpha: number, stream: RandomStream): Judged {
  if (values.length === 0) return { verdict: "not measured", because: "no runs of that configuration" };
  const middle = mean([...values]);
  const margin = (value: number) => ("above" in supported ? value - supported.above : supported.below - value);
  const { greater } = signedRank(values.map(margin));
  const interval = bootstrap(values, (sample) => mean([...sample]), stream);
  const isBeyond = (bound: Bound) => ("above" in bound ? middle > bound.above : middle < bound.below);
  const verdict = isBeyond(falsified) ? "falsified" : isBeyond(supported) && greater <= alpha ? "supported" : "inconclusive";
  return { verdict, mean: middle, interval, p: greater, because: `signed rank of ${values.length} seeds, α' = ${alpha.toFixed(4)}` };
}

/** Which curve failures follow as a city without rules grows, in the arm whose tasks grow with it. */
function growth(runs: readonly RunSummary[]): Judged {
  const points = scalePoints(runs, "baseline", SCALED, ({ fpd }) => fpd);
  const least = 6;
  const scales = new Set(points.map(({ x }) => x)).size;
  if (scales < least) return { verdict: "not measured", because: `needs experiment 2 at ${least} scales or more; there are ${scales}` };
  const weights = weightsOf(points);
  const [best] = weights;
  const root = weights.find(({ shape }) => shape === "square root")?.weight ?? 0;
  const verdict = best?.shape === "square root" ? (best.weight > 0.5 ? "supported" : "inconclusive") : "falsified";
  return {
    verdict,
    mean: root,
    because: `weight of √n ${root.toFixed(2)}; the best is ${best?.shape ?? "none"} with ${(best?.weight ?? 0).toFixed(2)}`,
  };
}

/** A metric by scale: one point for each run. */
export const scalePoints = (
  runs: readonly RunSummary[],
  configuration: BuiltConfiguration,
  variant: string,
  of: (run: RunSummary) => number,
): Point[] =>
  runs.filter((run) => run.configuration === configuration && run.variant === variant).map((run) => ({ x: run.agents, y: of(run) }));

/** Akaike's weight of each shape, the best first. */
export function weightsOf(points: readonly Point[]): { readonly shape: Shape; readonly weight: number; readonly r2: number }[] {
  const fits = SHAPES.map((shape) => fitCurve(shape, points));
  const weights = akaikeWeights(fits.map(({ aic }) => aic));
  return fits.map(({ shape, r2 }, at) => ({ shape, r2, weight: weights[at] ?? 0 })).sort((one, other) => other.weight - one.weight);
}

/** One planned comparison of two configurations. */
export interface Comparison {
  readonly metric: "CSR" | "DR";
  readonly from: Configuration;
  readonly to: Configuration;
  readonly measured: boolean;
  readonly seeds?: number;
  readonly w?: number;
  readonly p?: number;
  readonly corrected?: number;
  readonly d?: number;
  readonly significant?: boolean;
}

const PAIRS = [
  ["baseline", "emergent"],
  ["emergent", "structural"],
  ["structural", "full"],
] as const satisfies readonly (readonly [Configuration, Configuration])[];

/** The three adjacent pairs by the two primary metrics. */
export function compare(runs: readonly RunSummary[], agents: number): Comparison[] {
  return PAIRS.flatMap(([from, to]) =>
    (["CSR", "DR"] as const).map((metric): Comparison => {
      if (from !== "baseline" || to !== "emergent") return { metric, from, to, measured: false };
      const of = (run: RunSummary) => (metric === "CSR" ? run.csr : run.dr);
      const before = runsOf(runs, from, agents);
      const after = runsOf(runs, to, agents);
      const pairs = before.flatMap((run) => {
        const other = after.find(({ seed }) => seed === run.seed);
        return other === undefined ? [] : [[of(run), of(other)] as const];
      });
      if (pairs.length === 0) return { metric, from, to, measured: false };
      const { positive, negative, twoSided } = signedRank(pairs.map(([one, other]) => other - one));
      const corrected = Math.min(1, twoSided * COMPARISONS[1]);
      const d = cohensD(
        pairs.map(([one]) => one),
        pairs.map(([, other]) => other),
      );
      return {
        metric,
        from,
        to,
        measured: true,
        seeds: pairs.length,
        w: Math.min(positive, negative),
        p: twoSided,
        corrected,
        d,
        significant: corrected <= ALPHA,
      };
    }),
  );
}

/** What a compliance without rules says about comparisons with GovSim. */
export function comparability(csr: number): string {
  if (csr > 0.6) return "above 0.60: comparisons hold inside this repository only";
  return csr >= 0.4
    ? "between 0.40 and 0.60: comparable to GovSim's"
    : "below 0.40, which the paper does not cover: not comparable to GovSim's";
}
