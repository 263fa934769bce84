/** The curve that a quantity follows as a city grows: least squares on the quantity itself, so that Akaike weights are comparable. */
import { linearRegression } from "simple-statistics";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const SHAPES = ["constant", "linear", "logarithmic", "square root", "power", "quadratic"] as const;
/** Includes MacNet's curve for the gain from cooperation: logistic over the logarithm of the number of agents. */
export const SHAPES_OF_BENEFIT = [...SHAPES, "logistic"] as const;
export type Shape = (typeof SHAPES_OF_BENEFIT)[number];

export interface Fit {
  readonly shape: Shape;
  /** Value at x. */
  readonly at: (x: number) => number;
  readonly coefficients: readonly number[];
  /** Sum of squared residuals. */
  readonly rss: number;
  readonly r2: number;
  /** Akaike's criterion, with its correction for few points. */
  readonly aic: number;
}

/** Smaller residuals are rounding errors. */
const EXACT = 1e-24;

/** The best-fitting curve of a shape; x above zero. */
export function fitCurve(shape: Shape, points: readonly Point[]): Fit {
  const { at, coefficients } = solved(shape, points);
  const rss = points.reduce((sum, { x, y }) => sum + (y - at(x)) ** 2, 0);
  const middle = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, { y }) => sum + (y - middle) ** 2, 0);
  const n = points.length;
  const free = coefficients.length + 1;
  const correction = n - free - 1 > 0 ? (2 * free * (free + 1)) / (n - free - 1) : Number.POSITIVE_INFINITY;
  return {
    shape,
    at,
    coefficients,
    rss,
    r2: spread === 0 ? 1 : 1 - rss / spread,
    aic: n * Math.log(Math.max(rss / n, EXACT)) + 2 * free + correction,
  };
}

/** Each shape's weight of evidence; they add up to one. */
export function akaikeWeights(criteria: readonly number[]): number[] {
  const least = Math.min(...criteria);
  const likelihoods = criteria.map((aic) => (aic === least ? 1 : Math.exp((least - aic) / 2)));
  const sum = likelihoods.reduce((whole, likelihood) => whole + likelihood, 0);
  return likelihoods.map((likelihood) => likelihood / sum);
}

/** y = a·x^b from a straight line through the logarithms; points with non-positive y are left out. */
export function powerLaw(points: readonly Point[]): { readonly factor: number; readonly exponent: number } {
  const { m, b } = linearRegression(points.filter(({ y }) => y > 0).map(({ x, y }) => [Math.log(x), Math.log(y)]));
  return { factor: Math.exp(b), exponent: m };
}

type Curve = Pick<Fit, "at" | "coefficients">;

function solved(shape: Shape, points: readonly Point[]): Curve {
  switch (shape) {
    case "constant":
      return combined(points, [() => 1]);
    case "linear":
      return combined(points, [() => 1, (x) => x]);
    case "logarithmic":
      return combined(points, [() => 1, Math.log]);
    case "square root":
      return combined(points, [() => 1, Math.sqrt]);
    case "quadratic":
      return combined(points, [() => 1, (x) => x, (x) => x * x]);
    case "power":
      return power(points);
    case "logistic":
      return logistic(points);
  }
}

/** Least squares over given functions of x, by the normal equations of their scaled columns. */
function combined(points: readonly Point[], terms: readonly ((x: number) => number)[]): Curve {
  const scales = terms.map((term) => Math.max(...points.map(({ x }) => Math.abs(term(x))), Number.MIN_VALUE));
  const rows = points.map(({ x }) => terms.map((term, at) => term(x) / (scales[at] ?? 1)));
  const product = (i: number, j: number) => rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0);
  const target = (i: number) => rows.reduce((sum, row, at) => sum + (row[i] ?? 0) * (points[at]?.y ?? 0), 0);
  const scaled = solve(terms.map((_, i) => [...terms.map((__, j) => product(i, j)), target(i)]));
  const coefficients = scaled.map((value, at) => value / (scales[at] ?? 1));
  return { coefficients, at: (x) => terms.reduce((sum, term, at) => sum + (coefficients[at] ?? 0) * term(x), 0) };
}

/** Gaussian elimination with the largest pivot; a direction without information gets zero. */
function solve(matrix: readonly (readonly number[])[]): number[] {
  const rows = matrix.map((row) => [...row]);
  const n = rows.length;
  for (let column = 0; column < n; column++) {
    const pivot = rows
      .slice(column)
      .reduce((best, row, at) => (Math.abs(row[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0) ? column + at : best), column);
    const [one, other] = [rows[column] ?? [], rows[pivot] ?? []];
    [rows[column], rows[pivot]] = [other, one];
    const lead = other[column] ?? 0;
    if (Math.abs(lead) < 1e-14) continue;
    for (const [at, row] of rows.entries())
      if (at !== column) {
        const factor = (row[column] ?? 0) / lead;
        for (let k = column; k <= n; k++) row[k] = (row[k] ?? 0) - factor * (other[k] ?? 0);
      }
  }
  return rows.map((row, at) => (Math.abs(row[at] ?? 0) < 1e-14 ? 0 : (row[n] ?? 0) / (row[at] ?? 1)));
}

const EXPONENTS = { from: -4, to: 4, step: 0.05 } as const;

/** a·x^b by least squares: a grid for b, then golden section between its neighbours. */
function power(points: readonly Point[]): Curve {
  const largest = Math.max(...points.map(({ x }) => x));
  const factorAt = (b: number) => {
    const up = points.reduce((sum, { x, y }) => sum + y * (x / largest) ** b, 0);
    return up / points.reduce((sum, { x }) => sum + (x / largest) ** (2 * b), 0);
  };
  const rss = (b: number) => points.reduce((sum, { x, y }) => sum + (y - factorAt(b) * (x / largest) ** b) ** 2, 0);
  const steps = Math.round((EXPONENTS.to - EXPONENTS.from) / EXPONENTS.step);
  const grid = Array.from({ length: steps + 1 }, (_, at) => EXPONENTS.from + at * EXPONENTS.step);
  const best = grid.reduce((least, b) => (rss(b) < rss(least) ? b : least), 0);
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [best - EXPONENTS.step, best + EXPONENTS.step];
  for (let turn = 0; turn < 60; turn++) {
    const [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
    if (rss(left) < rss(right)) high = right;
    else low = left;
  }
  const exponent = (low + high) / 2;
  const factor = factorAt(exponent) / largest ** exponent;
  return { coefficients: [factor, exponent], at: (x) => factor * x ** exponent };
}

const STEEPNESS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12] as const;
const MIDDLES = 400;

/** a / (1 + e^(−b(ln x − c))) by least squares over a grid of b and c that extends beyond the points. */
function logistic(points: readonly Point[]): Curve {
  const logs = points.map(({ x }) => Math.log(x));
  const [least, most] = [Math.min(...logs) - 1, Math.max(...logs) + 1];
  const part = (x: number, b: number, c: number) => 1 / (1 + Math.exp(-b * (Math.log(x) - c)));
  const solutions = STEEPNESS.flatMap((b) =>
    Array.from({ length: MIDDLES + 1 }, (_, step) => {
      const c = least + ((most - least) * step) / MIDDLES;
      const squares = points.reduce((sum, { x }) => sum + part(x, b, c) ** 2, 0);
      const a = points.reduce((sum, { x, y }) => sum + y * part(x, b, c), 0) / squares;
      return { a, b, c, rss: points.reduce((sum, { x, y }) => sum + (y - a * part(x, b, c)) ** 2, 0) };
    }),
  );
  const { a, b, c } = solutions.reduce((best, one) => (one.rss < best.rss ? one : best));
  return { coefficients: [a, b, c], at: (x) => a * part(x, b, c) };
}
