import { z } from "zod";
import type { JsonObject } from "../../primitives/json.ts";
import { randomStream, type Seed } from "../../primitives/random.ts";
import { textOf } from "./assess.ts";
import { deviationOf, WINDOW, WINDOW_MIN } from "./deviation.ts";
import type { Vector } from "./embedder.ts";
import { MANIPULATIONS } from "./manipulations.ts";
import type { ScorerPair } from "./scorers.ts";
import { correlation, jarqueBera, momentsOf, quantile } from "./statistics.ts";

/** Honest work of one agent with one service, in chronological order. */
export interface HonestTrace {
  readonly name: string;
  readonly outputs: readonly JsonObject[];
}

/** Share below two standard deviations in a normal distribution (AgentCity B.11.2). */
const TWO_SIGMA_SHARE = 0.9772;

const spreadSchema = z.strictObject({
  scorer: z.string(),
  mean: z.number(),
  deviation: z.number(),
  skewness: z.number(),
  kurtosis: z.number(),
  jarqueBera: z.number(),
  p: z.number(),
  /** The empirical 97.72nd percentile of honest scores. */
  percentile: z.number(),
  /** Share of honest outputs above the threshold by this scorer alone. */
  falsePositives: z.number(),
});

const byScorer = <Value extends z.ZodType>(value: Value) => z.strictObject({ first: value, second: value });
const rateSchema = z.strictObject({ count: z.int(), missed: byScorer(z.number()), missedByBoth: z.number() });

/** Performance of a pair of scorers at one threshold. */
export const calibrationSchema = z.strictObject({
  scorers: byScorer(z.string()),
  seed: z.string(),
  /** σ × 100. */
  threshold: z.int(),
  honest: z.int(),
  spread: z.array(spreadSchema),
  /** Pearson's correlation of the two scorers' honest scores: blind spots that they share are not covered by either. */
  correlation: z.number(),
  /** Both above the threshold, which freezes. */
  falsePositives: z.number(),
  /** The 97.72nd percentile of the lower score: the threshold at which 2.28 % of this honest work would freeze. */
  percentile: z.number(),
  manipulated: z.array(rateSchema.extend({ name: z.string(), what: z.string(), missedAtPercentile: z.number() })),
  traces: z.array(z.strictObject({ name: z.string(), honest: z.int(), falsePositives: z.number(), missedByBoth: z.number() })),
});
export type Calibration = z.infer<typeof calibrationSchema>;

interface Scored {
  readonly trace: string;
  /** null for honest work. */
  readonly manipulation: string | null;
  readonly scores: readonly [number, number];
}

/** Scores every honest output, and every manipulated form of it, against the honest work before it, with the Guardian's own window. */
export async function calibrate(
  traces: readonly HonestTrace[],
  pair: ScorerPair,
  { threshold, seed }: { readonly threshold: number; readonly seed: Seed },
): Promise<Calibration> {
  const scored: Scored[] = [];
  for (const [index, trace] of traces.entries()) {
    const foreign = traces[(index + 1) % traces.length] ?? trace;
    scored.push(...(await scoresOf(trace, foreign, pair, seed)));
  }
  const honest = scored.filter(({ manipulation }) => manipulation === null);
  const [first, second] = [honest.map(({ scores }) => scores[0]), honest.map(({ scores }) => scores[1])];
  const sigma = threshold / 100;
  const percentile = quantile(honest.map(lower), TWO_SIGMA_SHARE);
  const bent = (name: string) => scored.filter(({ manipulation }) => manipulation === name);
  const of = (trace: string) => (each: Scored) => each.trace === trace;
  return {
    scorers: { first: pair[0].id, second: pair[1].id },
    seed: String(seed),
    threshold,
    honest: honest.length,
    spread: [first, second].map((zs, index) => spreadOf(pair[index]?.id ?? "", zs, sigma)),
    correlation: rounded(correlation(first, second)),
    falsePositives: share(honest, (each) => lower(each) > sigma),
    percentile: rounded(percentile),
    manipulated: MANIPULATIONS.map(({ name, what }) => ({
      name,
      what,
      count: bent(name).length,
      missed: {
        first: share(bent(name), ({ scores }) => scores[0] <= sigma),
        second: share(bent(name), ({ scores }) => scores[1] <= sigma),
      },
      missedByBoth: share(bent(name), (each) => lower(each) <= sigma),
      missedAtPercentile: share(bent(name), (each) => lower(each) <= percentile),
    })),
    traces: traces.map(({ name }) => ({
      name,
      honest: honest.filter(of(name)).length,
      falsePositives: share(honest.filter(of(name)), (each) => lower(each) > sigma),
      missedByBoth: share(
        scored.filter((each) => of(name)(each) && each.manipulation !== null),
        (each) => lower(each) <= sigma,
      ),
    })),
  };
}

async function scoresOf(trace: HonestTrace, foreign: HonestTrace, pair: ScorerPair, seed: Seed): Promise<readonly Scored[]> {
  const [left, right] = await Promise.all(pair.map((scorer) => scorer.embed(trace.outputs.map(textOf))));
  const random = randomStream(seed, "calibration", trace.name);
  const scored: Scored[] = [];
  for (const [index, output] of trace.outputs.entries()) {
    if (index < WINDOW_MIN) continue;
    const windows = [left, right].map((vectors) => (vectors ?? []).slice(Math.max(0, index - WINDOW), index));
    const stranger = foreign.outputs[index % foreign.outputs.length] ?? output;
    const forms = [
      { manipulation: null, output },
      ...MANIPULATIONS.flatMap(({ name, bend }) => {
        const bent = bend(output, { random: random.fork(name, index), foreign: stranger });
        return bent === undefined ? [] : [{ manipulation: name, output: bent }];
      }),
    ];
    const texts = forms.map((form) => textOf(form.output));
    const [one, two] = await Promise.all(pair.map((scorer) => scorer.embed(texts)));
    for (const [place, { manipulation }] of forms.entries()) {
      const scores = [scoreOf(one, place, windows[0]), scoreOf(two, place, windows[1])] as const;
      scored.push({ trace: trace.name, manipulation, scores });
    }
  }
  return scored;
}

function scoreOf(vectors: readonly Vector[] | undefined, place: number, window: readonly Vector[] | undefined): number {
  const vector = vectors?.[place];
  if (vector === undefined || window === undefined) throw new RangeError("a scorer left out a text");
  return deviationOf(vector, window).z;
}

function spreadOf(scorer: string, zs: readonly number[], sigma: number): Calibration["spread"][number] {
  const { mean, deviation, skewness, kurtosis } = momentsOf(zs);
  const { statistic, p } = jarqueBera(zs);
  return {
    scorer,
    mean: rounded(mean),
    deviation: rounded(deviation),
    skewness: rounded(skewness),
    kurtosis: rounded(kurtosis),
    jarqueBera: rounded(statistic),
    p: Number(p.toPrecision(3)),
    percentile: rounded(quantile(zs, TWO_SIGMA_SHARE)),
    falsePositives: share(zs, (z) => z > sigma),
  };
}

function lower({ scores }: Scored): number {
  return Math.min(...scores);
}

/** Share of a list that satisfies a predicate, in ten-thousandths; 0 for an empty one. */
function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 0 : Math.round((10_000 * items.filter(holds).length) / items.length) / 10_000;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
