import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { packRanking, tally } from "../../orchestrator/rules/condorcet.ts";

/** Seeds of the last tie-break: the outcome does not print the session's, so a tie may fall to any of these winners. */
const TIE_SEEDS = Array.from({ length: 64 }, (_, index) => `0x${index.toString(16).padStart(64, "0")}` as const);

/** The printed ballots counted again: pairwise numbers, and every entry that some tie-break lets win (one when there is no tie). */
export function missionBallot({ ballots, law }: Outcome): {
  readonly pairwise: readonly (readonly number[])[];
  readonly unbeaten: number[];
} {
  const rankings = ballots.map(({ ranking }) => packRanking(ranking));
  const counts = TIE_SEEDS.map((seed) => tally(rankings, law.candidates.length, seed));
  return { pairwise: counts[0]?.pairwise ?? [], unbeaten: [...new Set(counts.map(({ winner }) => winner))] };
}
