/** The experiment's hypotheses, judged by the thresholds and tests of docs/economy.md. */
import { linearRegression, mean, sampleStandardDeviation } from "simple-statistics";
import type { RandomStream } from "../primitives/random.ts";
import { type GovernanceSummary, type RunSummary, TOKENS_A_GAS } from "./metrics.ts";
import type { Configuration } from "./parameters.ts";
import { bootstrap, cohensD, type Interval } from "./statistics/description.ts";
import { akaikeWeights, fitCurve, type Point, powerLaw, SHAPES, type Shape } from "./statistics/fits.ts";
import { binomialAtLeast, signedRank } from "./statistics/significance.ts";

export type Verdict = "supported" | "falsified" | "inconclusive" | "not measured";

export interface Finding {
  readonly id: string;
  readonly says: string;
  readonly verdict: Verdict;
  /** Mean over seeds, and its 95 % interval. */
  readonly mean?: number;
  readonly interval?: Interval;
  readonly p?: number;
  /** Effect size: distance of the mean beyond the threshold, in standard deviations over seeds; negative on the other side. */
  readonly effect?: number;
  /** Missing data, or the finding in words. */
  readonly because: string;
}

/** Planned comparisons of each experiment: the correction stays the same if some cannot be made. */
export const COMPARISONS = { 1: 6, 2: 12 } as const;
export type Experiment = keyof typeof COMPARISONS;
export const ALPHA = 0.05;

/** A bound for a mean. */
type Bound = { readonly above: number } | { readonly below: number } | { readonly atMost: number };
/** Statistic of the values, or of the number of values beyond the bound. */
type Test = "signed rank" | "binomial";

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
  ["H2b", "ECP > 0: Structural over Emergent", ["structural", "emergent"]],
  ["H2c", "GOR(Full) falls from above 8 % to below 3 %", ["full"]],
  ["H2d", "RQT(Full) > 0", ["full"]],
  ["H2e", "LPR(Full) > 0.5", ["full"]],
  ["H2f", "DSI(Full) > 0.1", ["full"]],
  ["H2g", "MSR(Full) > 0.3", ["full"]],
  ["H2h", "CDR(Full) ≥ 0.8", ["full"]],
  ["H2i", "OPA(Full) ≤ 2, influence halved", ["full"]],
  ["H3a", "PCR(Full) > 0.8", ["full"]],
  ["H3b", "PSR(Full) > 0.9", ["full"]],
  ["H3c", "PCR(Full) > PCR(Emergent)", ["full", "emergent"]],
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

/** The variant with the constants of docs/economy.md; others are named for their difference. */
export const AS_WRITTEN = "as written";
/** Tasks grow with the city. */
export const SCALED = "tasks scaled";

/** Runs of a configuration as written, by seed. */
export const runsOf = (runs: readonly RunSummary[], configuration: Configuration, agents: number, variant = AS_WRITTEN): RunSummary[] =>
  runs
    .filter((run) => run.configuration === configuration && run.agents === agents && run.variant === variant)
    .sort((one, other) => one.seed - other.seed);

/** Every hypothesis over the runs of an experiment; those that need contracts, or other runs, are not measured. */
export function judge(runs: readonly RunSummary[], experiment: Experiment, agents: number, stream: RandomStream): Finding[] {
  const ground: Ground = { runs, agents, alpha: ALPHA / COMPARISONS[experiment], stream };
  return HYPOTHESES.map(({ id, says, needs }): Finding => {
    const absent = needs.find((name) => !runs.some(({ configuration }) => configuration === name));
    if (absent !== undefined) return { id, says, verdict: "not measured", because: `no runs of ${absent}` };
    return { id, says, ...(RULES[id] ?? notMeasured)(ground) };
  });
}

/** Inputs of a verdict. */
interface Ground {
  readonly runs: readonly RunSummary[];
  readonly agents: number;
  readonly alpha: number;
  readonly stream: RandomStream;
}
const notMeasured = (): Judged => ({ verdict: "not measured", because: "has no rule" });

const inFull = ({ runs, agents }: Ground): RunSummary[] => runsOf(runs, "full", agents);
const metric =
  (of: (run: RunSummary) => number | null | undefined, supported: Bound, falsified: Bound, test: Test = "signed rank") =>
  (ground: Ground): Judged => {
    const values = inFull(ground).flatMap((run) => of(run) ?? []);
    return beyond(values, supported, falsified, ground.alpha, ground.stream, test);
  };
const governed = (of: (figures: GovernanceSummary) => number | null, supported: Bound, falsified: Bound, test: Test = "signed rank") =>
  metric(({ governance }) => (governance === undefined ? null : of(governance)), supported, falsified, test);

/** Difference between two configurations, paired by seed. */
const paired =
  (from: Configuration, to: Configuration, of: (run: RunSummary) => number) =>
  ({ runs, agents, alpha, stream }: Ground): Judged => {
    const before = new Map(runsOf(runs, from, agents).map((run) => [run.seed, of(run)]));
    const differences = runsOf(runs, to, agents).flatMap((run) => {
      const other = before.get(run.seed);
      return other === undefined ? [] : [of(run) - other];
    });
    return beyond(differences, { above: 0 }, { atMost: 0 }, alpha, stream);
  };

/** A slope by seed: supported or falsified if it is significantly on the right or wrong side. */
function sloped(slopes: readonly number[], better: 1 | -1, { alpha, stream }: Ground): Judged {
  if (slopes.length === 0) return { verdict: "not measured", because: "no series" };
  const middle = mean([...slopes]);
  const interval = bootstrap(slopes, (sample) => mean([...sample]), stream);
  const { greater } = signedRank(slopes.map((slope) => better * slope));
  const { greater: worse } = signedRank(slopes.map((slope) => -better * slope));
  const verdict =
    better * middle < 0 && worse <= alpha ? "falsified" : better * middle > 0 && greater <= alpha ? "supported" : "inconclusive";
  return {
    verdict,
    mean: middle,
    interval,
    p: greater,
    ...effectOf(slopes.map((slope) => better * slope)),
    because: `slope of each of ${slopes.length} seeds, signed rank, α' = ${alpha.toFixed(4)}`,
  };
}

const MIN_SEEDS = 20;
/** Curves need this many scales. */
const MIN_SCALES = 6;

const RULES: Readonly<Record<string, (ground: Ground) => Judged>> = {
  H1a: metric(({ si40 }) => (Number.isFinite(si40) ? si40 : null), { below: 0.5 }, { above: 0.8 }),
  H1b: metric(({ cau }) => cau, { above: 0.6 }, { below: 0.3 }),
  H1c: metric(({ pvr }) => pvr, { above: 1.5 }, { below: 1.1 }),
  H1d: metric(({ ss }) => ss, { below: 40 }, { above: 80 }),
  H2a: rulesAreChanged,
  H2b: paired("emergent", "structural", ({ csr }) => csr),
  H2c: overheadFalls,
  H2d: governed(({ rqt }) => rqt, { above: 0 }, { below: 0 }),
  H2e: governed(({ lpr }) => lpr, { above: 0.5 }, { below: 0.2 }, "binomial"),
  H2f: governed(({ dsi }) => dsi, { above: 0.1 }, { atMost: 0.02 }, "binomial"),
  H2g: governed(({ msr }) => msr, { above: 0.3 }, { atMost: 0 }, "binomial"),
  H2h: blocsAreFound,
  H2i: blocsAreStopped,
  H3a: metric(({ pcr }) => pcr, { above: 0.8 }, { below: 0.5 }),
  H3b: metric(({ psr }) => psr, { above: 0.9 }, { below: 0.7 }),
  H3c: paired("emergent", "full", ({ pcr }) => pcr),
  H3d: ({ runs, agents, alpha, stream }) =>
    beyond(
      runsOf(runs, "baseline", agents).map(({ pcr }) => pcr),
      { below: 0.4 },
      { above: 0.6 },
      alpha,
      stream,
    ),
  H3e: confidenceHolds,
  H3f: sanctionsDecline,
  H4a: (ground) => exponent(ground, costPoints(ground.runs), { below: 1 }),
  H4b: (ground) => exponent(ground, benefitPoints(ground.runs), { above: 1 }),
  H4c: breakEven,
  H4d: (ground) =>
    slopeOverScales(
      ground,
      scalePoints(ground.runs, "full", AS_WRITTEN, ({ si }) => si),
      "falls",
    ),
  H5a: ({ runs }) => growth(runs),
  H5b: (ground) =>
    slopeOverScales(
      ground,
      scalePoints(ground.runs, "full", SCALED, ({ fpd }) => fpd),
      "flat",
    ),
};

/** The paper says both "more than three" and "at least three": judged by the former, reported for both. */
function rulesAreChanged(ground: Ground): Judged {
  const judged = governed(({ rec }) => rec, { above: 3 }, { atMost: 0 })(ground);
  const changed = inFull(ground).flatMap(({ governance }) => governance?.rec ?? []);
  const of = (least: number) => `${changed.filter((rules) => rules >= least).length} of ${changed.length}`;
  return judged.verdict === "not measured"
    ? judged
    : { ...judged, because: `${of(4)} seeds above 3, ${of(3)} at least 3; ${judged.because}` };
}

function overheadFalls(ground: Ground): Judged {
  const runs = inFull(ground);
  if (runs.length === 0) return { verdict: "not measured", because: "no runs of full at this scale" };
  const first = mean(runs.map(({ gorFirst }) => gorFirst));
  const last = mean(runs.map(({ gorLast }) => gorLast));
  const { greater } = signedRank(runs.map(({ gorFirst, gorLast }) => gorFirst - gorLast));
  const verdict = last >= first ? "falsified" : first > 0.08 && last < 0.03 && greater <= ground.alpha ? "supported" : "inconclusive";
  return { verdict, mean: last, p: greater, because: `${(100 * first).toFixed(1)} % at first, ${(100 * last).toFixed(1)} % at last` };
}

function blocsAreFound(ground: Ground): Judged {
  const found = inFull(ground).flatMap(({ governance }) => governance?.cdr ?? []);
  if (found.length === 0) return { verdict: "not measured", because: "no bloc of five: needs 50 agents" };
  const hits = found.reduce((sum, one) => sum + one, 0);
  const share = hits / found.length;
  const p = binomialAtLeast(hits, found.length, 0.5);
  const verdict = share < 0.5 ? "falsified" : share >= 0.8 && p <= ground.alpha && found.length >= MIN_SEEDS ? "supported" : "inconclusive";
  return { verdict, mean: share, p, because: `${hits} of ${found.length} blocs; supported from ${MIN_SEEDS} seeds on` };
}

function blocsAreStopped(ground: Ground): Judged {
  const ruled = inFull(ground).flatMap(({ governance }) => (governance?.opa == null ? [] : [governance]));
  const reductions = ruled.flatMap(({ reduction }) => reduction ?? []);
  if (ruled.length === 0 || reductions.length === 0)
    return { verdict: "not measured", because: "no bloc was flagged that had any influence" };
  const waited = mean(ruled.map(({ opa }) => opa ?? 0));
  const reduced = mean(reductions);
  const quick = binomialAtLeast(ruled.filter(({ opa }) => (opa ?? 0) <= 2).length, ruled.length, 0.5);
  const { greater } = signedRank(reductions.map((reduction) => reduction - 0.5));
  const verdict =
    waited > 4 || reduced < 0.25
      ? "falsified"
      : waited <= 2 && reduced >= 0.5 && quick <= ground.alpha && greater <= ground.alpha
        ? "supported"
        : "inconclusive";
  const because = `OPA ${waited.toFixed(1)} (sign test ${quick.toFixed(4)}); influence of ${reductions.length} blocs, signed rank`;
  return { verdict, mean: reduced, p: greater, because };
}

function confidenceHolds(ground: Ground): Judged {
  const slopes = inFull(ground).flatMap(({ governance }) => governance?.ict ?? []);
  const judged = sloped(slopes, 1, ground);
  // The hypothesis only requires no decline, over enough seeds to detect one.
  const couldShow = 0.5 ** slopes.length <= ground.alpha;
  return judged.verdict === "inconclusive" && couldShow && (judged.mean ?? 0) >= 0 ? { ...judged, verdict: "supported" } : judged;
}

function sanctionsDecline(ground: Ground): Judged {
  const runs = inFull(ground).flatMap(({ governance }) => governance ?? []);
  if (runs.length === 0) return { verdict: "not measured", because: "no runs of full at this scale" };
  const judged = sloped(
    runs.map(({ sarSlope }) => sarSlope),
    -1,
    ground,
  );
  const share = mean(runs.map(({ sar }) => sar));
  const because = `SAR ${share.toFixed(3)}; ${judged.because}`;
  return share > 0 ? { ...judged, because } : { ...judged, verdict: "inconclusive", because: "no sanctions at all" };
}

/** G(n), tokens: one point per run of Full. */
export const costPoints = (runs: readonly RunSummary[], of: string = AS_WRITTEN): Point[] =>
  runs
    .filter(({ configuration, variant }) => configuration === "full" && variant === of)
    .flatMap(({ agents, governance }) => (governance === undefined ? [] : [{ x: agents, y: governance.gas * TOKENS_A_GAS }]));

/** B(n), tokens: value of Full's milestones beyond Baseline's, same seed. */
export function benefitPoints(runs: readonly RunSummary[], of: string = AS_WRITTEN): Point[] {
  const written = runs.filter(({ variant }) => variant === of);
  return written
    .filter(({ configuration }) => configuration === "full")
    .flatMap(({ agents, seed, failures, worth }) => {
      const without = written.find((run) => run.configuration === "baseline" && run.agents === agents && run.seed === seed);
      return without === undefined ? [] : [{ x: agents, y: (without.failures - failures) * worth }];
    });
}

/** Resamples within each scale. */
export const byScale = (points: readonly Point[]): Point[][] => [...Map.groupBy(points, ({ x }) => x).values()];

function exponent({ stream }: Ground, points: readonly Point[], supported: Bound): Judged {
  const groups = byScale(points);
  if (groups.length < MIN_SCALES) return tooFewScales(groups.length);
  if (points.some(({ y }) => y <= 0)) return { verdict: "inconclusive", because: "some values are not above 0: a power law has none" };
  const { exponent: found } = powerLaw(points);
  const interval = resampled(groups, (sample) => powerLaw(sample).exponent, stream);
  const isBelow = "below" in supported;
  const verdict = (isBelow ? interval.high < 1 : interval.low > 1)
    ? "supported"
    : (isBelow ? found >= 1 : found <= 1)
      ? "falsified"
      : "inconclusive";
  return { verdict, mean: found, interval, because: `exponent over ${groups.length} scales, bootstrap within scales` };
}

const tooFewScales = (count: number): Judged => ({
  verdict: "not measured",
  because: `needs experiment 2 at ${MIN_SCALES} scales or more; there are ${count}`,
});

const DRAWS = 10_000;

/** 95 % interval of a statistic when each scale's runs are resampled. */
export function resampled(
  groups: readonly (readonly Point[])[],
  statistic: (points: readonly Point[]) => number,
  stream: RandomStream,
): Interval {
  const values = Array.from({ length: DRAWS }, () => statistic(groups.flatMap((group) => group.map(() => stream.pick(group))))).sort(
    (one, other) => one - other,
  );
  return { low: values[Math.floor(0.025 * DRAWS)] ?? Number.NaN, high: values[Math.ceil(0.975 * DRAWS) - 1] ?? Number.NaN };
}

/** Smallest scale at which benefit exceeds cost; infinite if there is none. */
export function breakEvenOf(cost: readonly Point[], benefit: readonly Point[]): number {
  const at = (points: readonly Point[], scale: number) => mean(points.filter(({ x }) => x === scale).map(({ y }) => y));
  const scales = [...new Set(benefit.map(({ x }) => x))].sort((one, other) => one - other);
  return scales.find((scale) => at(benefit, scale) > at(cost, scale)) ?? Number.POSITIVE_INFINITY;
}

function breakEven({ runs, stream }: Ground): Judged {
  const [cost, benefit] = [costPoints(runs), benefitPoints(runs)];
  const scales = new Set(benefit.map(({ x }) => x));
  if (scales.size < MIN_SCALES) return tooFewScales(scales.size);
  const found = breakEvenOf(cost, benefit);
  const interval = resampled(byScale(benefit), (sample) => breakEvenOf(cost, sample), stream);
  const isWithin = (scale: number) => scale >= 20 && scale <= 50;
  const verdict = isWithin(interval.low) && isWithin(interval.high) ? "supported" : found > 80 ? "falsified" : "inconclusive";
  const words = Number.isFinite(found)
    ? `the smallest of ${scales.size} scales at which B > G, bootstrap within scales`
    : "B does not exceed G at any scale";
  return {
    verdict,
    ...(Number.isFinite(found) ? { mean: found } : {}),
    ...(Number.isFinite(interval.high) ? { interval } : {}),
    because: words,
  };
}

/** Slope of a metric over the logarithm of n. */
function slopeOverScales({ stream }: Ground, points: readonly Point[], wanted: "falls" | "flat"): Judged {
  const groups = byScale(points);
  if (groups.length < MIN_SCALES) return tooFewScales(groups.length);
  const slope = (sample: readonly Point[]) => linearRegression(sample.map(({ x, y }) => [Math.log(x), y])).m;
  const interval = resampled(groups, slope, stream);
  const supported = wanted === "falls" ? interval.high < 0 : interval.low <= 0;
  const verdict = supported ? "supported" : interval.low > 0 ? "falsified" : "inconclusive";
  return { verdict, mean: slope(points), interval, because: `slope over ln n at ${groups.length} scales, bootstrap within scales` };
}

type Judged = Omit<Finding, "id" | "says">;

/** Tolerance for sums of equal values. */
const NO_SPREAD = 1e-9;

/** A mean in standard deviations; undefined for one seed, or without spread. */
function effectOf(margins: readonly number[]): { readonly effect?: number } {
  const spread = margins.length < 2 ? 0 : sampleStandardDeviation([...margins]);
  return spread < NO_SPREAD ? {} : { effect: mean([...margins]) / spread };
}

/** Whether a mean is beyond a bound, and the test rejects the other side. */
export function beyond(
  values: readonly number[],
  supported: Bound,
  falsified: Bound,
  alpha: number,
  stream: RandomStream,
  test: Test = "signed rank",
): Judged {
  if (values.length === 0) return { verdict: "not measured", because: "no runs that could show it" };
  const middle = mean([...values]);
  const margin = (value: number) => ("above" in supported ? value - supported.above : "below" in supported ? supported.below - value : 0);
  const margins = values.map(margin);
  const p =
    test === "binomial" ? binomialAtLeast(margins.filter((one) => one > 0).length, values.length, 0.5) : signedRank(margins).greater;
  const interval = bootstrap(values, (sample) => mean([...sample]), stream);
  const isBeyond = (bound: Bound) =>
    "above" in bound ? middle > bound.above : "below" in bound ? middle < bound.below : middle <= bound.atMost;
  const verdict = isBeyond(falsified) ? "falsified" : isBeyond(supported) && p <= alpha ? "supported" : "inconclusive";
  return {
    verdict,
    mean: middle,
    interval,
    p,
    ...effectOf(margins),
    because: `${test} of ${values.length} seeds, α' = ${alpha.toFixed(4)}`,
  };
}

/** The curve that failures follow as a city without rules grows, in the arm whose tasks grow with it. */
function growth(runs: readonly RunSummary[]): Judged {
  const points = scalePoints(runs, "baseline", SCALED, ({ fpd }) => fpd);
  const scales = new Set(points.map(({ x }) => x)).size;
  if (scales < MIN_SCALES) return tooFewScales(scales);
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

/** A metric by scale: one point per run. */
export const scalePoints = (
  runs: readonly RunSummary[],
  configuration: Configuration,
  variant: string,
  of: (run: RunSummary) => number,
): Point[] =>
  runs.filter((run) => run.configuration === configuration && run.variant === variant).map((run) => ({ x: run.agents, y: of(run) }));

/** Akaike weight of each shape, highest first. */
export function weightsOf(
  points: readonly Point[],
  shapes: readonly Shape[] = SHAPES,
): { readonly shape: Shape; readonly weight: number; readonly r2: number }[] {
  const fits = shapes.map((shape) => fitCurve(shape, points));
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

type Pair = readonly [from: Configuration, to: Configuration];
const ADJACENT: readonly Pair[] = [
  ["baseline", "emergent"],
  ["emergent", "structural"],
  ["structural", "full"],
];
const OTHERS: readonly Pair[] = [
  ["baseline", "structural"],
  ["baseline", "full"],
  ["emergent", "full"],
];

/** The three adjacent pairs by the two primary metrics. */
export const compare = (runs: readonly RunSummary[], agents: number): Comparison[] => comparisonsOf(ADJACENT, runs, agents);

/** Non-adjacent pairs, at the same threshold, in addition to the planned ones. */
export const compareOthers = (runs: readonly RunSummary[], agents: number): Comparison[] => comparisonsOf(OTHERS, runs, agents);

function comparisonsOf(pairsOf: readonly Pair[], runs: readonly RunSummary[], agents: number): Comparison[] {
  return pairsOf.flatMap(([from, to]) =>
    (["CSR", "DR"] as const).map((metric): Comparison => {
      const of = (run: RunSummary) => (metric === "CSR" ? run.csr : run.dr);
      const found = pairs(runsOf(runs, from, agents), runsOf(runs, to, agents), of, COMPARISONS[1]);
      return { metric, from, to, ...found, ...(found.corrected === undefined ? {} : { significant: found.corrected <= ALPHA }) };
    }),
  );
}

/** One planned comparison of two scales in experiment 2. */
export interface Contrast {
  readonly metric: "G" | "MSR";
  readonly from: number;
  readonly to: number;
  readonly measured: boolean;
  readonly seeds?: number;
  readonly w?: number;
  readonly p?: number;
  readonly corrected?: number;
  readonly d?: number;
}

const SCALE_PAIRS = [
  [50, 100],
  [100, 200],
  [200, 500],
  [500, 750],
  [750, 1000],
  [50, 1000],
] as const;

/** Six pairs of scales by cost and by success of milestones, in Full. */
export function contrast(runs: readonly RunSummary[]): Contrast[] {
  return SCALE_PAIRS.flatMap(([from, to]) =>
    (["G", "MSR"] as const).map((metric): Contrast => {
      const of = (run: RunSummary) => (metric === "G" ? (run.governance?.gas ?? 0) * TOKENS_A_GAS : run.pcr);
      return { metric, from, to, ...pairs(runsOf(runs, "full", from), runsOf(runs, "full", to), of, COMPARISONS[2]) };
    }),
  );
}

/** Signed ranks of the same seeds before and after, corrected for this number of comparisons. */
function pairs(before: readonly RunSummary[], after: readonly RunSummary[], of: (run: RunSummary) => number, comparisons: number) {
  const both = before.flatMap((run) => {
    const other = after.find(({ seed }) => seed === run.seed);
    return other === undefined ? [] : [[of(run), of(other)] as const];
  });
  if (both.length === 0) return { measured: false };
  const { positive, negative, twoSided } = signedRank(both.map(([one, other]) => other - one));
  return {
    measured: true,
    seeds: both.length,
    w: Math.min(positive, negative),
    p: twoSided,
    corrected: Math.min(1, twoSided * comparisons),
    d: cohensD(
      both.map(([one]) => one),
      both.map(([, other]) => other),
    ),
  };
}

/** Comparability with GovSim, from compliance without rules. */
export function comparability(csr: number): string {
  if (csr > 0.6) return "above 0.60: comparisons hold inside this repository only";
  return csr >= 0.4
    ? "between 0.40 and 0.60: comparable to GovSim's"
    : "below 0.40, which the paper does not cover: not comparable to GovSim's";
}
