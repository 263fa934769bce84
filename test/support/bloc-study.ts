/** Elections of heuristic minds with a bloc among them, without a chain, and what the Regulator makes of them. */
import { blocsAmong, type Likeness } from "../../orchestrator/clerks/blocs.ts";
import { endorse } from "../../orchestrator/legislature/endorse.ts";
import { BlocMind, type BlocStrategy } from "../../orchestrator/minds/bloc-mind.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { Mind, RankRequest } from "../../orchestrator/minds/mind.ts";
import { populationOf } from "../../orchestrator/minds/personas.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address, Hash } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import type { LawShape } from "../../orchestrator/protocol/law-shape.ts";
import { DEVNET } from "../../orchestrator/protocol/parameters.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { areAlike, ranked } from "../../orchestrator/rules/rank-correlation.ts";
import { cityFacts, defaultGoal } from "./goals.ts";

/** Thresholds of the constitution as it is founded. */
export const THRESHOLDS: Likeness = {
  blocTau: Number(DEVNET.BLOC_TAU_THRESHOLD),
  blocJaccard: Number(DEVNET.BLOC_JACCARD_THRESHOLD),
};

export interface ElectionOptions {
  readonly seed: number;
  /** Honest voters. */
  readonly honest: number;
  readonly bloc: number;
  /** Entries on the ballot, "no law" among them. */
  readonly candidates: number;
  /** Of every voter; "impartial" voters rank at random, each independently of all others. */
  readonly misjudgement: number | "impartial";
}

export interface Election {
  readonly m: number;
  readonly honest: readonly bigint[];
  /** The bloc's rankings by its strategy. */
  readonly bloc: Readonly<Record<BlocStrategy, readonly bigint[]>>;
}

/** Drafts, endorsements and rankings as in a session; the first honest voter's interests are also those of the bloc's leader. */
export async function electionOf({ seed, honest, bloc, candidates, misjudgement }: ElectionOptions): Promise<Election> {
  const voters = honest + bloc;
  const facts = cityFacts(seed, voters, Math.ceil(voters / 4));
  const personas = populationOf(voters, seed);
  const selves = facts.producers.map(({ agent }) => agent);
  const leader = selves[honest] ?? selves[0]!;
  const minds = personas.map((persona) =>
    misjudgement === "impartial" ? impartial(seed) : new HeuristicMind({ persona, seed, misjudgement }),
  );
  const told = (strategy: BlocStrategy, index: number): Mind =>
    new BlocMind({ strategy, leader, instructions: minds[honest] ?? minds[0]!, own: minds[index]!, seed });
  const mindAt = (index: number, strategy: BlocStrategy) => (index < honest ? minds[index]! : told(strategy, index));
  const requestOf = (self: Address) => ({ self, goal: defaultGoal, facts });

  const laws = new Map<Hash, LawShape>();
  const drafts: Hash[] = [];
  for (const [index, self] of selves.entries()) {
    const shape = await mindAt(index, "identical").draft(requestOf(self));
    const hash = keccak256(canonicalBytes(shape));
    laws.set(hash, shape);
    drafts.push(hash);
  }
  const known = [...laws.keys()].sort();
  const view = (hashes: readonly (Hash | null)[]): RankRequest["candidates"] =>
    hashes.map((hash, number) => ({ number, shape: hash === null ? null : laws.get(hash)! }));
  const table = view(known);
  const opinions = [];
  for (const [index, agent] of selves.entries()) {
    const order = await mindAt(index, "identical").rank({ ...requestOf(agent), candidates: table });
    opinions.push({ agent, draft: drafts[index]!, ranking: order.map((number) => known[number]!) });
  }
  const { proposals } = endorse(opinions, facts.producers, Number(DEVNET.MIN_SPONSORS), candidates - 1);
  const ballot = view([null, ...proposals.map(({ specHash }) => specHash)]);
  const rank = async (index: number, strategy: BlocStrategy) =>
    packRanking(await mindAt(index, strategy).rank({ ...requestOf(selves[index]!), candidates: ballot }));
  const members = async (strategy: BlocStrategy) => {
    const rankings = [];
    for (let index = honest; index < voters; index += 1) rankings.push(await rank(index, strategy));
    return rankings;
  };
  const rankings = [];
  for (let index = 0; index < honest; index += 1) rankings.push(await rank(index, "identical"));
  const [identical, top3, pivot] = [await members("identical"), await members("correlated-top-3"), await members("single-pivot")];
  return { m: ballot.length, honest: rankings, bloc: { identical, "correlated-top-3": top3, "single-pivot": pivot } };
}

/** Drafts like anybody, ranks by lot. */
function impartial(seed: number): Mind {
  const own = new HeuristicMind({ persona: "cooperative", seed, misjudgement: 0.2 });
  return {
    plan: (request) => own.plan(request),
    draft: (request) => own.draft(request),
    speak: (request) => own.speak(request),
    bid: (request) => own.bid(request),
    rank: ({ self, candidates }) =>
      Promise.resolve(randomStream(seed, self, "impartial", candidates.length).shuffle(candidates.map(({ number }) => number))),
  };
}

export interface Findings {
  /** Members of the bloc that were flagged. */
  readonly caught: number;
  readonly honestFlagged: number;
  /** Pairs of honest voters who were flagged as alike, and all pairs above the thresholds, as shares of all pairs of honest voters. */
  readonly honestPairs: number;
  readonly pairsAbove: number;
}

/** What the Regulator flags in one election. */
export function findingsIn({ m, honest, bloc }: Election, strategy: BlocStrategy, likeness: Likeness = THRESHOLDS): Findings {
  const rankings = [...honest, ...bloc[strategy]];
  const voterOf = (agent: Address) => Number(BigInt(agent)) - 1;
  const ballots = rankings.map((ranking, index): { agent: Address; ranking: bigint } => ({
    agent: `0x${(index + 1).toString(16).padStart(40, "0")}`,
    ranking,
  }));
  const blocs = blocsAmong(ballots, m, likeness).map(({ leader, members }) => [leader, ...members].map(voterOf));
  const honestIn = blocs.map((voters) => voters.filter((voter) => voter < honest.length).length);
  const pairs = (honest.length * (honest.length - 1)) / 2;
  return {
    caught: blocs.flat().filter((voter) => voter >= honest.length).length,
    honestFlagged: honestIn.reduce((sum, count) => sum + count, 0),
    honestPairs: honestIn.reduce((sum, count) => sum + (count * (count - 1)) / 2, 0) / pairs,
    pairsAbove: pairsAbove(honest, m, likeness) / pairs,
  };
}

function pairsAbove(rankings: readonly bigint[], m: number, { blocTau, blocJaccard }: Likeness): number {
  const unpacked = rankings.map((ranking) => ranked(ranking, m));
  return unpacked.reduce((sum, a, index) => sum + unpacked.slice(index + 1).filter((b) => areAlike(a, b, blocTau, blocJaccard)).length, 0);
}
