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

/** Outputs that a window holds, and how many it needs before it says anything (AgentCity B.11.2). */
export const WINDOW = 20;
export const WINDOW_MIN = 5;

/** A score is never infinite: the window of a service that always answers the same has no spread. */
export const MAX_Z = 100;

/** Below this two cosine distances are the same number: sums over thousands of components round that far apart. */
const MIN_SPREAD = 1e-9;

/**
 * z-score of an output against a window of earlier ones. The window's own distances are measured as the output's is, each member
 * from the mean of the others: from a mean that holds the member itself it would look closer than any newcomer can be.
 */
export function deviationOf(output: Vector, window: readonly Vector[]): Deviation {
  if (window.length < WINDOW_MIN) throw new RangeError(`a window of ${window.length} says nothing; ${WINDOW_MIN} at least`);
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

/** One minus the cosine; something and nothing are orthogonal, nothing and nothing are the same. */
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
