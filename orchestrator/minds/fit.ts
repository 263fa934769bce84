import { matchOf as packedMatch } from "../rules/bid-score.ts";

/** A bid needs this match, of 1000 (decision 12). */
export const LEAST_MATCH = 600;

/** How much of the required levels (0–255 each) an agent's capabilities (0–65,535 each) cover, 0–1000. */
export function matchOf(capabilities: readonly number[], required: readonly number[]): number {
  return Number(packedMatch(pack(capabilities, 16), pack(required, 8)));
}

export function fits(capabilities: readonly number[], required: readonly number[]): boolean {
  return matchOf(capabilities, required) >= LEAST_MATCH;
}

/** Dimension 0 lowest. */
function pack(levels: readonly number[], bits: number): bigint {
  return levels.reduce((word, level, dimension) => word | (BigInt(level) << BigInt(bits * dimension)), 0n);
}
