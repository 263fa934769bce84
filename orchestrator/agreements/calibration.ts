import { MOST_WEIGHT } from "../rules/clearing.ts";
import { passesCanary } from "./canary.ts";
import { type EvaluatorRecord, LEAST_WEIGHT } from "./schema.ts";

/** An evaluator's score of a golden item, work whose score is known, in points; without `scored` it did not answer. */
export interface GoldenReading {
  readonly known: number;
  readonly scored?: number | undefined;
}

/** What golden items say about an evaluator. */
export interface Calibration {
  readonly items: number;
  readonly passed: number;
  /** Mean of scored − known over the answers, points: above zero it is generous. */
  readonly bias: number;
  /** Mean distance of the answers from the known scores, points. */
  readonly deviation: number;
  /** Its weight among several evaluators. */
  readonly weight: number;
}

/** At this distance from the known score, points, an answer says nothing. */
const FAR = 20;
/** As many half-right answers are assumed beforehand: a few lucky ones make no weight. */
const PRIOR = 8;

/**
 * An evaluator's calibration, independent of the order of its readings. Its weight is 100 + ⌊33 · max(0, 2W − 1)⌋, as a verifier's of the
 * city, where W is its mean closeness to the known scores: 1 if exact, 0 at 20 points and for silence.
 */
export function calibrationOf(readings: readonly GoldenReading[]): Calibration {
  let [answers, passed, drift, distance, closeness] = [0, 0, 0, 0, PRIOR / 2];
  for (const { known, scored } of readings) {
    if (scored === undefined) continue;
    const off = Math.abs(scored - known);
    answers += 1;
    passed += Number(passesCanary(known, scored));
    drift += scored - known;
    distance += off;
    closeness += Math.max(0, 1 - off / FAR);
  }
  const mean = (sum: number) => (answers === 0 ? 0 : sum / answers);
  const share = closeness / (PRIOR + readings.length);
  return {
    items: readings.length,
    passed,
    bias: mean(drift),
    deviation: mean(distance),
    weight: LEAST_WEIGHT + Math.floor((MOST_WEIGHT - LEAST_WEIGHT) * Math.max(0, 2 * share - 1)),
  };
}

/**
 * The record with its golden items: they count as canaries, and the larger of the two deviations qualifies or disqualifies, so that an
 * evaluator that follows a wrong crowd is seen.
 */
export function calibrated(record: EvaluatorRecord, readings: readonly GoldenReading[]): EvaluatorRecord {
  const { items, passed, deviation, weight } = calibrationOf(readings);
  return {
    ...record,
    canaries: record.canaries + items,
    canaries_passed: record.canaries_passed + passed,
    deviation: Math.max(record.deviation, deviation),
    weight,
  };
}
