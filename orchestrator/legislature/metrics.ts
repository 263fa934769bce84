/**
 * Metrics of a session (AgentCity 4: H2e–H2g and the secondary metrics of stages 4–6). Each is an exact fraction; `whole` is 0 if there was
 * nothing to measure. Everything is computed from on-chain records, so that the results are reproducible.
 */
import type { Address } from "../primitives/hex.ts";
import type { Metrics, Share } from "../protocol/metrics.ts";
import { unpackRanking } from "../rules/condorcet.ts";
import { discordant } from "../rules/rank-correlation.ts";
import type { SessionStateName } from "../rules/transitions/session.ts";

/** On-chain records of one session. */
export interface SessionRecord {
  /** Number of producers with a vote when it opened. */
  readonly electorate: number;
  /** Candidate numbers by ballot entry; entry 0 is "no law". */
  readonly ballot: readonly number[];
  /** Numbers of all candidates that were proposed. */
  readonly proposed: readonly number[];
  /** Packed rankings from before the debate, and the ballots counted. */
  readonly straws: ReadonlyMap<Address, bigint>;
  readonly ballots: ReadonlyMap<Address, bigint>;
  /** Agents that proposed, sponsored, cast a straw ballot or voted. */
  readonly participants: ReadonlySet<Address>;
  /** State transitions, from NONE on. */
  readonly moves: readonly { readonly from: SessionStateName; readonly to: SessionStateName }[];
}

export function metricsOf(record: SessionRecord): Metrics {
  return {
    turnout: turnoutOf(record),
    lpr: participationOf(record),
    dsi: shiftOf(record),
    msr: minoritySurvivalOf(record),
    pvrr: of(ended(record, "TALLIED"), passed(record, "TALLIED", "VALIDATED")),
    cfr: of(passed(record, "VALIDATED", "CODIFIED"), ended(record, "VALIDATED")),
    dvr: of(passed(record, "CODIFIED", "DEPLOYED"), ended(record, "CODIFIED")),
  };
}

/** Ballots per producer of the electorate. */
function turnoutOf({ ballots, electorate }: Pick<SessionRecord, "ballots" | "electorate">): Share {
  return { part: ballots.size, whole: electorate };
}

/** Legislative Participation Rate: share of the electorate that took part in any way. */
export function participationOf({ participants, electorate }: Pick<SessionRecord, "participants" | "electorate">): Share {
  return { part: participants.size, whole: electorate };
}

/**
 * Deliberation Shift Index: the mean Kendall τ distance between a voter's rankings before and after the debate, over those who gave both.
 * Part: pairs of candidates whose order changed; whole: all pairs.
 */
function shiftOf({ straws, ballots, ballot }: Pick<SessionRecord, "straws" | "ballots" | "ballot">): Share {
  const m = ballot.length;
  let [part, voters] = [0, 0];
  for (const [agent, after] of ballots) {
    const before = straws.get(agent);
    if (before === undefined) continue;
    part += discordant(before, after, m);
    voters += 1;
  }
  return { part, whole: voters * ((m * (m - 1)) / 2) };
}

/**
 * Minority Survival Rate: of the proposals that were not the most frequent first choice before the debate, how many were on the ballot and
 * came first on more than a tenth of the ballots (AgentCity H2g). Without straw ballots there is no majority to dissent from.
 */
function minoritySurvivalOf({ straws, ballots, ballot, proposed }: SessionRecord): Share {
  if (straws.size === 0) return { part: 0, whole: 0 };
  const m = ballot.length;
  const before = firstChoices([...straws.values()], m);
  const laws = ballot.map((_, entry) => entry).slice(1);
  // Ties go to the first: whichever counts as the majority's, the number of others is the same.
  const majority = ballot[laws.reduce((best, entry) => ((before[entry] ?? 0) > (before[best] ?? 0) ? entry : best), laws[0] ?? 0)];
  const dissenting = proposed.filter((candidate) => candidate !== majority);
  const after = firstChoices([...ballots.values()], m);
  const surviving = dissenting.filter((candidate) => {
    const entry = ballot.indexOf(candidate);
    return entry > 0 && 10 * (after[entry] ?? 0) > ballots.size;
  });
  return { part: surviving.length, whole: dissenting.length };
}

/** Number of first places of each entry. */
function firstChoices(rankings: readonly bigint[], m: number): number[] {
  const counts = new Array<number>(m).fill(0);
  for (const ranking of rankings) {
    const [first = 0] = unpackRanking(ranking, m);
    counts[first] = (counts[first] ?? 0) + 1;
  }
  return counts;
}

/** Whether a stage was not completed: every attempt was refused until it expired. */
function ended({ moves }: Pick<SessionRecord, "moves">, stage: SessionStateName): number {
  return passed({ moves }, stage, "EXPIRED");
}

function passed({ moves }: Pick<SessionRecord, "moves">, from: SessionStateName, to: SessionStateName): number {
  return moves.filter((move) => move.from === from && move.to === to).length;
}

/** A share of two counts. */
function of(counted: number, others: number): Share {
  return { part: counted, whole: counted + others };
}
