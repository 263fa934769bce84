/** Moments of a sample. Skewness and kurtosis are of the population kind, as the Jarque–Bera statistic takes them. */
export interface Moments {
  readonly count: number;
  readonly mean: number;
  /** With n − 1. */
  readonly deviation: number;
  readonly skewness: number;
  /** 3 for a normal distribution. */
  readonly kurtosis: number;
}

export function momentsOf(sample: readonly number[]): Moments {
  const count = sample.length;
  const mean = sample.reduce((sum, value) => sum + value, 0) / count;
  const central = (power: number) => sample.reduce((sum, value) => sum + (value - mean) ** power, 0) / count;
  const variance = central(2);
  return {
    count,
    mean,
    deviation: count > 1 ? Math.sqrt((variance * count) / (count - 1)) : 0,
    skewness: variance === 0 ? 0 : central(3) / variance ** 1.5,
    kurtosis: variance === 0 ? 0 : central(4) / variance ** 2,
  };
}

/** Jarque & Bera 1987: n/6·(S² + (K − 3)²/4), χ² with two degrees of freedom in a large normal sample. */
export function jarqueBera(sample: readonly number[]): { readonly statistic: number; readonly p: number } {
  const { count, skewness, kurtosis } = momentsOf(sample);
  const statistic = (count / 6) * (skewness ** 2 + (kurtosis - 3) ** 2 / 4);
  return { statistic, p: Math.exp(-statistic / 2) };
}

/** Quantile by linear interpolation between order statistics (Hyndman & Fan 1996, type 7). */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** Pearson's correlation; 0 when one side does not vary. */
export function correlation(xs: readonly number[], ys: readonly number[]): number {
  const [mx, my] = [momentsOf(xs).mean, momentsOf(ys).mean];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [index, x] of xs.entries()) {
    const [dx, dy] = [x - mx, (ys[index] ?? my) - my];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx * yy);
}
