/** Distributions of the experiment, from a seeded stream. */
import type { RandomStream } from "../primitives/random.ts";

/** Beta(2, 5): the second smallest of six uniform numbers. */
export function capability(stream: RandomStream): number {
  const [, second = 0] = Array.from({ length: 6 }, () => stream.next()).sort((one, other) => one - other);
  return second;
}

/** Standard normal, by Box and Muller. */
export function normal(stream: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());
}

export const logNormal = (stream: RandomStream, mean: number, deviation: number): number => Math.exp(mean + deviation * normal(stream));
