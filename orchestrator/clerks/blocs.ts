import type { RecordedBallot } from "../client/recorded-ballots.ts";
import type { Address } from "../primitives/hex.ts";
import { areAlike, opposed, type Ranked, ranked } from "../rules/rank-correlation.ts";

/** Similarity of two rankings from which the contract considers them alike, hundredths; fixed when the session opens. */
export interface Likeness {
  readonly blocTau: number;
  readonly blocJaccard: number;
}

/** Voters whose rankings are pairwise alike. */
export interface FoundBloc {
  readonly leader: Address;
  /** Without the leader, in the order of the ballots. */
  readonly members: readonly Address[];
}

/**
 * Fewer voters who rank alike are no bloc (AgentCity H2h: blocs of five and more). Among a hundred honest voters two or three always agree:
 * flagging every pair above the thresholds would affect one honest voter in six (docs/blocs.md).
 */
export const MIN_BLOC = 5;

/**
 * A ranking that is common among honest voters has common neighbours too; a prescribed one stands alone. The leader's ranking must be held
 * by more than this many times as many voters as an average ranking one or two exchanges away.
 */
export const MIN_PROMINENCE = 10;

interface Group {
  readonly ranked: Ranked;
  /** Numbers of the ballots with this ranking, ascending. */
  readonly voters: readonly number[];
}

/**
 * What the Regulator flags: disjoint sets of at least `MIN_BLOC` voters, at most half of all, in which every two rankings reach both
 * thresholds, around a ranking of `MIN_PROMINENCE`. The contract requires less (each member like the leader), so it accepts every bloc
 * found here. Equal rankings are compared once; the most frequent ranking leads, the earliest of equally frequent ones.
 */
export function blocsAmong(ballots: readonly RecordedBallot[], m: number, { blocTau, blocJaccard }: Likeness): readonly FoundBloc[] {
  if (m < 2) return [];
  const groups = groupsOf(ballots, m);
  const left = new Set(groups);
  const blocs: FoundBloc[] = [];
  for (const leader of left) {
    const bloc = [leader];
    for (const group of left) {
      if (group === leader) continue;
      if (bloc.every((member) => areAlike(member.ranked, group.ranked, blocTau, blocJaccard))) bloc.push(group);
    }
    const voters = bloc.flatMap(({ voters }) => voters);
    // What most voters agree on is the vote itself.
    if (voters.length < MIN_BLOC || 2 * voters.length > ballots.length) continue;
    if (!isProminent(leader, groups, m)) continue;
    for (const member of bloc) left.delete(member);
    const [first = 0] = leader.voters;
    const members = voters.filter((voter) => voter !== first).sort((a, b) => a - b);
    blocs.push({ leader: agentAt(ballots, first), members: members.map((voter) => agentAt(ballots, voter)) });
  }
  return blocs;
}

function isProminent({ ranked: center, voters }: Group, groups: readonly Group[], m: number): boolean {
  const near = groups.reduce((sum, group) => {
    const exchanges = opposed(center, group.ranked);
    return exchanges === 1 || exchanges === 2 ? sum + group.voters.length : sum;
  }, 0);
  // Of m entries, m − 1 rankings are one exchange of neighbours away, (m − 2)(m + 1) / 2 are two.
  const rankings = m - 1 + ((m - 2) * (m + 1)) / 2;
  return voters.length * rankings > MIN_PROMINENCE * near;
}

function agentAt(ballots: readonly RecordedBallot[], voter: number): Address {
  const ballot = ballots[voter];
  if (ballot === undefined) throw new RangeError(`no ballot ${voter}`);
  return ballot.agent;
}

/** Voters by ranking, the most frequent first. */
function groupsOf(ballots: readonly RecordedBallot[], m: number): Group[] {
  const byRanking = new Map<bigint, number[]>();
  for (const [voter, { ranking }] of ballots.entries()) {
    const known = byRanking.get(ranking);
    if (known === undefined) byRanking.set(ranking, [voter]);
    else known.push(voter);
  }
  return [...byRanking]
    .map(([ranking, voters]) => ({ ranked: ranked(ranking, m), voters }))
    .sort((a, b) => b.voters.length - a.voters.length || (a.voters[0] ?? 0) - (b.voters[0] ?? 0));
}
