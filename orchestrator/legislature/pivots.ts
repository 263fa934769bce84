import type { Hash } from "../primitives/hex.ts";
import { packRanking, pairwise, standingsOf } from "../rules/condorcet.ts";
import type { CastBallot } from "./result.ts";

/** How close the outcome was, from the ballots alone. */
export interface Pivots {
  /** Voters each of whom decided alone: without its ballot another entry wins. */
  readonly alone: readonly CastBallot["agent"][];
  /** The smallest number of voters who could have changed the winner by ranking one rival above it; null if none could. */
  readonly swing: Swing | null;
}

export interface Swing {
  readonly rival: number;
  readonly voters: number;
  /** Voters who rank the rival right behind the winner: swapping the two changes nothing else in their ranking. */
  readonly adjacent: number;
}

/** Exact: every case is recounted. */
export function pivotsOf(ballots: readonly CastBallot[], entries: number, tieSeed: Hash): Pivots {
  const counted = pairwise(
    ballots.map(({ ranking }) => packRanking(ranking)),
    entries,
  );
  const winnerOf = (duels: readonly (readonly number[])[]) => standingsOf(duels, tieSeed)[0]?.candidate ?? 0;
  const winner = winnerOf(counted);
  return { alone: aloneOf(ballots, counted, winner, winnerOf), swing: swingOf(ballots, counted, winner, winnerOf) };
}

/** The winner if only these ballots are counted; null without any. */
export function winnerAmong(ballots: readonly CastBallot[], entries: number, tieSeed: Hash): number | null {
  if (ballots.length === 0) return null;
  const rankings = ballots.map(({ ranking }) => packRanking(ranking));
  return standingsOf(pairwise(rankings, entries), tieSeed)[0]?.candidate ?? null;
}

type WinnerOf = (duels: readonly (readonly number[])[]) => number;

function aloneOf(ballots: readonly CastBallot[], counted: readonly (readonly number[])[], winner: number, winnerOf: WinnerOf) {
  const decides = new Map<string, boolean>();
  return ballots.flatMap(({ agent, ranking }) => {
    const key = ranking.join();
    const known = decides.get(key) ?? winnerOf(without(counted, ranking)) !== winner;
    decides.set(key, known);
    return known ? [agent] : [];
  });
}

function without(counted: readonly (readonly number[])[], ranking: readonly number[]): number[][] {
  const rest = counted.map((row) => [...row]);
  for (const [place, ahead] of ranking.entries()) {
    const row = rest[ahead] ?? [];
    for (const behind of ranking.slice(place + 1)) row[behind] = (row[behind] ?? 0) - 1;
  }
  return rest;
}

function swingOf(
  ballots: readonly CastBallot[],
  counted: readonly (readonly number[])[],
  winner: number,
  winnerOf: WinnerOf,
): Swing | null {
  const swings = counted.flatMap((_, rival): Swing[] => {
    if (rival === winner) return [];
    const support = counted[winner]?.[rival] ?? 0;
    for (let voters = 1; voters <= support; voters += 1) {
      if (winnerOf(exchanged(counted, winner, rival, voters)) === winner) continue;
      const adjacent = ballots.filter(({ ranking }) => ranking[ranking.indexOf(winner) + 1] === rival).length;
      return [{ rival, voters, adjacent }];
    }
    return [];
  });
  return swings.sort((a, b) => a.voters - b.voters || a.rival - b.rival)[0] ?? null;
}

/** The duels if this many voters ranked the rival above the winner instead. */
function exchanged(counted: readonly (readonly number[])[], winner: number, rival: number, voters: number): number[][] {
  return counted.map((row, i) =>
    row.map((count, j) => {
      if (i === winner && j === rival) return count - voters;
      return i === rival && j === winner ? count + voters : count;
    }),
  );
}
