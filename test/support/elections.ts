/** Elections that textbooks count, and what they say; for both halves of the tally. */
import { packRanking } from "../../orchestrator/rules/condorcet.ts";

export interface Election {
  readonly name: string;
  readonly candidates: string;
  readonly rankings: readonly bigint[];
  /** n_ij by candidate, where the source prints it. */
  readonly pairwise?: readonly (readonly number[])[];
  /** Best first, whatever the seed. */
  readonly order: string;
}

/** `5 ACBED` → five ballots. */
export function ballots(lines: string, candidates: string): bigint[] {
  return lines
    .trim()
    .split(/\s*\n\s*/)
    .flatMap((line) => {
      const [times, order] = line.split(" ");
      return new Array<bigint>(Number(times)).fill(packRanking([...(order ?? "")].map((name) => candidates.indexOf(name))));
    });
}

export const TEXTBOOK: readonly Election[] = [
  {
    name: "Tennessee: Nashville beats every other city",
    candidates: "MNCK",
    rankings: ballots("42 MNCK\n26 NCKM\n15 CKNM\n17 KCNM", "MNCK"),
    pairwise: [
      [0, 42, 42, 42],
      [58, 0, 68, 68],
      [58, 32, 0, 83],
      [58, 32, 17, 0],
    ],
    order: "NCKM",
  },
  {
    // Schulze's own method elects E here as well.
    name: "Schulze's 45 voters: E by Copeland, A, C, B tied and parted by Minimax",
    candidates: "ABCDE",
    rankings: ballots("5 ACBED\n5 ADECB\n8 BEDAC\n3 CABED\n7 CAEBD\n2 CBADE\n7 DCEBA\n8 EBADC", "ABCDE"),
    pairwise: [
      [0, 20, 26, 30, 22],
      [25, 0, 16, 33, 18],
      [19, 29, 0, 17, 24],
      [15, 12, 28, 0, 14],
      [23, 27, 21, 31, 0],
    ],
    order: "EACBD",
  },
  {
    // Schulze 2011, example 1; his method elects D too.
    name: "Schulze's 21 voters: C and D tied at two wins, A and B at one, each pair parted by Minimax",
    candidates: "ABCD",
    rankings: ballots("8 ACDB\n2 BADC\n4 CDBA\n4 DBAC\n3 DCBA", "ABCD"),
    pairwise: [
      [0, 8, 14, 10],
      [13, 0, 6, 2],
      [7, 15, 0, 12],
      [11, 19, 9, 0],
    ],
    order: "DCAB",
  },
  {
    name: "a Condorcet winner whom plurality and the run-off pass over",
    candidates: "LCR",
    rankings: ballots("10 LCR\n9 RCL\n6 CLR", "LCR"),
    order: "CLR",
  },
  {
    name: "a cycle of unequal defeats: the smallest worst defeat wins",
    candidates: "ABC",
    rankings: ballots("4 ABC\n3 BCA\n2 CAB", "ABC"),
    order: "ABC",
  },
  {
    name: "the same cycle the other way round",
    candidates: "ABC",
    rankings: ballots("4 CBA\n3 BAC\n2 ACB", "ABC"),
    order: "CBA",
  },
  {
    name: "a cycle of three at the top, a loser below it",
    candidates: "ABCD",
    rankings: ballots("7 ABCD\n6 BCAD\n5 CABD", "ABCD"),
    order: "ABCD",
  },
];

/** The same election with other ballot numbers: `names[c]` is what candidate c is called now. */
export function relabelled({ rankings, candidates }: Election, names: readonly number[]): bigint[] {
  return rankings.map((ranking) => {
    const order = candidates.split("").map((_, k) => Number((ranking >> BigInt(4 * k)) & 0xfn));
    return packRanking(order.map((candidate) => names[candidate] ?? candidate));
  });
}

/** Every order of 0…m−1. */
export function permutations(m: number): number[][] {
  if (m === 0) return [[]];
  return permutations(m - 1).flatMap((rest) => Array.from({ length: m }, (_, at) => [...rest.slice(0, at), m - 1, ...rest.slice(at)]));
}
