import { normalized, type Vector } from "./embedder.ts";

/** How an output compares with the window before it. */
export interface Deviation {
  /** Cosine distance from the window's mean, 0–2. */
  readonly distance: number;
  /** Mean and sample standard deviation of the same distance over the window itself. */
  readonly mean: number;
  readonly spread: number;
  /** (distance − mean) / spread, at most MAX_Z either way. */
  readonly z: number;
}

/** Number of outputs in a window, and the minimum for a score (AgentCity B.11.2). */
export const WINDOW = 20;
export const WINDOW_MIN = 5;

/** A score is never infinite: the window of a service that always answers the same has no spread. */
export const MAX_Z = 100;

/** Cosine distances closer than this are equal: sums over thousands of components have such rounding errors. */
const MIN_SPREAD = 1e-9;

/**
 * z-score of an output against a window of earlier ones. The window's own distances are measured in the same way, each member from the mean
 * of the others: from a mean that includes the member itself it would seem closer than any newcomer can be.
 */
export function deviationOf(output: Vector, window: readonly Vector[]): Deviation {
  if (window.length < WINDOW_MIN)
    throw new RangeError(`a window of ${window.length} is too short; at least ${WINDOW_MIN} outputs are needed`);
  const sum = sumOf(window, output.length);
  const distance = cosineDistance(output, sum);
  const own = window.map((member) => cosineDistance(member, without(sum, member)));
  const mean = own.reduce((all, value) => all + value, 0) / own.length;
  const spread = Math.sqrt(own.reduce((all, value) => all + (value - mean) ** 2, 0) / (own.length - 1));
  return { distance, mean, spread, z: scoreOf(distance - mean, spread) };
}

function scoreOf(excess: number, spread: number): number {
  if (spread >= MIN_SPREAD) return Math.max(-MAX_Z, Math.min(MAX_Z, excess / spread));
  return Math.abs(excess) < MIN_SPREAD ? 0 : Math.sign(excess) * MAX_Z;
}

/** One minus the cosine; a zero vector is orthogonal to others and equal to itself. */
export function cosineDistance(a: Vector, b: Vector): number {
  const [left, right] = [normalized(Float64Array.from(a)), normalized(Float64Array.from(b))];
  let dot = 0;
  let squares = 0;
  for (let index = 0; index < left.length; index += 1) {
    const [x, y] = [left[index] ?? 0, right[index] ?? 0];
    dot += x * y;
    squares += x * x + y * y;
  }
  return squares === 0 ? 0 : 1 - dot;
}

function sumOf(vectors: readonly Vector[], dimensions: number): Vector {
  const sum = new Float64Array(dimensions);
  for (const vector of vectors) for (let index = 0; index < dimensions; index += 1) sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0);
  return sum;
}

function without(sum: Vector, member: Vector): Vector {
  return sum.map((value, index) => value - (member[index] ?? 0));
}
