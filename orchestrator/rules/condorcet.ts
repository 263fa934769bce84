/** Twin of `contracts/libraries/Condorcet.sol`: Copeland, then Minimax, then a seed fixed before the ballot (AgentCity 3.4). */
import { encodeAbiParameters, type Hex, keccak256 } from "viem";
import { RuleError } from "./rule-error.ts";

const MAX_CANDIDATES = 16;
/** The chain counts each pair in 16 bits. */
const MAX_BALLOTS = 65_535;

export interface Tally {
  readonly winner: number;
  /** All candidates, best first. */
  readonly order: readonly number[];
  /** pairwise[i][j] = number of ballots that rank i above j. */
  readonly pairwise: readonly (readonly number[])[];
}

/** One ballot's word: nibble k is the candidate in place k. Throws unless the ranking is a permutation of 0…m−1. */
export function packRanking(order: readonly number[]): bigint {
  const ranking = order.reduce((word, candidate, k) => word | (BigInt(candidate) << BigInt(4 * k)), 0n);
  requireRanking(ranking, order.length);
  return ranking;
}

/** The candidates of a ballot, first place first. */
export function unpackRanking(ranking: bigint, m: number): number[] {
  requireRanking(ranking, m);
  return Array.from({ length: m }, (_, k) => Number((ranking >> BigInt(4 * k)) & 0xfn));
}

/** Throws for an incomplete, repeating or out-of-range ranking. */
export function requireRanking(ranking: bigint, m: number): void {
  if (!isRanking(ranking, m)) throw new RuleError("InvalidRanking", ranking, m);
}

function isRanking(ranking: bigint, m: number): boolean {
  if (m < 1 || m > MAX_CANDIDATES || ranking < 0n || ranking >> BigInt(4 * m) !== 0n) return false;
  const seen = new Set<bigint>();
  for (let k = 0; k < m; k += 1) seen.add((ranking >> BigInt(4 * k)) & 0xfn);
  return seen.size === m && [...seen].every((candidate) => candidate < BigInt(m));
}

/** Number of ballots that rank i above j, for all i and j. */
export function pairwise(rankings: readonly bigint[], m: number): number[][] {
  const n = Array.from({ length: m }, () => new Array<number>(m).fill(0));
  for (const ranking of rankings) {
    const order = unpackRanking(ranking, m);
    order.forEach((ahead, k) => {
      const row = n[ahead] ?? [];
      for (const behind of order.slice(k + 1)) row[behind] = (row[behind] ?? 0) + 1;
    });
  }
  return n;
}

/** A candidate's criteria in the order. */
export interface Standing {
  readonly candidate: number;
  /** Two per duel won, one per draw (Copeland). */
  readonly points: number;
  /** The most ballots that rank one rival above it (Minimax). */
  readonly worst: number;
  /** Tie-break: the higher wins. */
  readonly chance: bigint;
}

/** All candidates by their duels, best first; the Solidity twin explains the three criteria. */
export function standingsOf(pairwise: readonly (readonly number[])[], seed: Hex): Standing[] {
  const standings = pairwise.map((row, candidate) => {
    const rivals = row.flatMap((support, rival) => (rival === candidate ? [] : [{ support, against: pairwise[rival]?.[candidate] ?? 0 }]));
    return {
      candidate,
      points: rivals.reduce((sum, { support, against }) => sum + (support > against ? 2 : support === against ? 1 : 0), 0),
      worst: rivals.reduce((most, { against }) => Math.max(most, against), 0),
      chance: chanceOf(seed, candidate),
    };
  });
  return standings.sort((a, b) => b.points - a.points || a.worst - b.worst || (a.chance < b.chance ? 1 : -1));
}

/** Orders the candidates of complete strict rankings. */
export function tally(rankings: readonly bigint[], m: number, seed: Hex): Tally {
  if (m < 1 || m > MAX_CANDIDATES) throw new RuleError("InvalidRanking", 0, m);
  if (rankings.length > MAX_BALLOTS) throw new RuleError("TooManyBallots", rankings.length, MAX_BALLOTS);
  const n = pairwise(rankings, m);
  const order = standingsOf(n, seed).map(({ candidate }) => candidate);
  return { winner: order[0] ?? 0, order, pairwise: n };
}

/** The last tie-break of a candidate: 232 bits of keccak, higher wins. */
function chanceOf(seed: Hex, candidate: number): bigint {
  return BigInt(keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "uint256" }], [seed, BigInt(candidate)]))) >> 24n;
}
