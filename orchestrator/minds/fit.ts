import { matchOfLevels } from "../rules/bid-score.ts";

/** Minimum match for a bid, of 1000 (decision 12). */
export const MIN_MATCH = 600;

/** Whether an agent's capabilities (0–65,535 each) cover enough of the required levels (0–255 each) for a bid. */
export function fits(capabilities: readonly number[], required: readonly number[]): boolean {
  return matchOfLevels(capabilities, required) >= MIN_MATCH;
}
