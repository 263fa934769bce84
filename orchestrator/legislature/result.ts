import { ballotIn } from "../client/candidates.ts";
import { compileLaw } from "../client/compile-law.ts";
import { recordedBallots } from "../client/recorded-ballots.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { contentIdFromDigest } from "../primitives/hash.ts";
import type { Address, ContentId, Hash, Hex } from "../primitives/hex.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import type { Metrics } from "../protocol/metrics.ts";
import { type MissionDocument, missionDocumentSchema } from "../protocol/mission-document.ts";
import type { PlanText } from "../protocol/mission-file-schema.ts";
import { unpackRanking } from "../rules/condorcet.ts";
import { type SessionStateName, sessionTransitions } from "../rules/transitions/session.ts";
import type { LegislatureContext } from "./context.ts";
import { metricsOf } from "./metrics.ts";
import { type Draft, draftsOf } from "./propose.ts";
import { sessionRecord } from "./session-record.ts";
import type { SessionState } from "./state.ts";

/** A law on the ballot; entry 0 is "no law". */
export interface BallotEntry {
  /** Position on the ballot, used by rankings, `pairwise` and `winner`. */
  readonly entry: number;
  /** Number on chain. */
  readonly candidate: number;
  readonly title: string;
  readonly specHash: Hash;
  readonly proposer: Address | null;
  readonly sponsors: number;
  readonly document: ContentId | null;
}

export interface CastBallot {
  readonly agent: Address;
  /** Entries, best first. */
  readonly ranking: readonly number[];
}

interface SessionFacts {
  /** The order's last session; 0 if there was none. */
  readonly session: bigint;
  /** Earlier sessions, and how they ended. */
  readonly past: readonly { readonly session: bigint; readonly end: SessionStateName }[];
  readonly electorate: number;
  /** In ballot order; only "no law" if there was no vote. */
  readonly candidates: readonly BallotEntry[];
  readonly ballots: readonly CastBallot[];
  /** pairwise[i][j]: voters who rank entry i above j, as counted on chain. */
  readonly pairwise: readonly (readonly number[])[];
  /** Entry of the winner; 0 = no law. */
  readonly winner: number;
  readonly metrics: Metrics;
}

export interface EnactedLaw extends SessionFacts {
  readonly status: "deployed";
  readonly mission: Address;
  /** The winning structure, as its author drafted it. */
  readonly shape: LawShape;
  /** Its tasks, if producers planned them. */
  readonly plan: PlanText | undefined;
  readonly document: MissionDocument;
  readonly documentId: ContentId;
  readonly law: Hex;
  readonly lawHash: Hash;
  readonly docHash: Hash;
  readonly specHash: Hash;
}

export interface NoLaw extends SessionFacts {
  readonly status: "failed";
  /** For display. */
  readonly reason: string;
  /** What the sponsor can do. */
  readonly action: string;
}

/** The result of a session. */
export type LegislatureResult = EnactedLaw | NoLaw;

/** Reads the result of a finished session from the chain and the records. */
export async function resultOf(context: LegislatureContext, state: SessionState): Promise<LegislatureResult> {
  const session = BigInt(state.session);
  const { legislation } = context.client;
  const onChain = await legislation.sessionOf(session);
  const candidates = await entriesOf(context, session, state.survey === null ? [] : draftsOf(context, state));
  const ballots = await castBallots(context, session, candidates.length);
  const pairwise: number[][] = [];
  for (const { entry: i } of candidates) {
    const row: number[] = [];
    for (const { entry: j } of candidates) row.push(onChain.ballotSize === 0 ? 0 : Number(await legislation.pairwise(session, i, j)));
    pairwise.push(row);
  }
  const winner = Math.max(
    0,
    candidates.findIndex(({ candidate }) => candidate === onChain.winner),
  );
  const metrics = metricsOf(await sessionRecord(context.client, session));
  const past: { session: bigint; end: SessionStateName }[] = [];
  for (const former of state.past.map(BigInt)) past.push({ session: former, end: await context.stateOf(former) });
  const facts = { session, past, electorate: onChain.electorate, candidates, ballots, pairwise, winner, metrics };
  if (state.outcome !== "deployed" || state.mission === null || state.document === null) {
    const { state: code, ballotSize, electorate, rules } = onChain;
    return {
      status: "failed",
      ...facts,
      ...(session === 0n
        ? { reason: "too few producers petitioned for a session", action: "open the session yourself: run the mission without a petition" }
        : state.outcome === "refused"
          ? {
              reason: "the constitution rejected the winning law",
              action: "see above what was rejected, and change tasks, budget or gates",
            }
          : winner > 0 && candidates[winner]?.document === null
            ? { reason: "the law that won was proposed elsewhere, and its document is not here", action: "run the mission again" }
            : reasonOf(sessionTransitions.states[code], ballotSize, ballots.length, electorate, rules.turnoutQuorum, onChain.winner)),
    };
  }
  const compiled = compileLaw(context.load(state.document, missionDocumentSchema));
  const { document, law, lawHash, docHash, specHash } = compiled;
  const draft = draftsOf(context, state).find((each) => each.specHash === specHash);
  if (draft === undefined) throw new AgentCityError("RecordMissing", "No agent drafted the law that won", { details: specHash });
  const documentId = state.document;
  const { shape, plan } = draft;
  return { status: "deployed", ...facts, mission: state.mission, shape, plan, document, documentId, law, lawHash, docHash, specHash };
}

async function entriesOf(context: LegislatureContext, session: bigint, drafts: readonly Draft[]): Promise<BallotEntry[]> {
  const entries: BallotEntry[] = [];
  const paper = await ballotIn(context.client, session);
  for (const [entry, { candidate, specHash, proposer, sponsors }] of paper.entries()) {
    const draft = drafts.find((each) => each.specHash === specHash);
    const { title, document } =
      candidate === 0
        ? { title: "no law", document: null }
        : draft !== undefined
          ? { title: draft.shape.title, document: draft.document }
          : await proposedElsewhere(context, session, candidate);
    entries.push({ entry, candidate, title, specHash, proposer: candidate === 0 ? null : proposer, sponsors, document });
  }
  return entries;
}

/**
 * A law that is not among this process's drafts: an external agent drafted it and is gone, or proposed it directly. Its proposer chose the
 * document hash on chain; the records may lack that document, and it may not be one.
 */
async function proposedElsewhere(context: LegislatureContext, session: bigint, candidate: number) {
  const { legislation } = context.client;
  const { openedBlock } = await legislation.sessionOf(session);
  const [proposal] = await legislation.history("Proposed", { session, candidate }, { fromBlock: BigInt(openedBlock) });
  try {
    const document = proposal === undefined ? null : contentIdFromDigest(proposal.args.cid);
    return { title: context.load(document, missionDocumentSchema).title, document };
  } catch {
    return { title: "unknown law", document: null };
  }
}

/** Rankings recorded on chain, in the order cast. */
async function castBallots({ client }: LegislatureContext, session: bigint, entries: number): Promise<CastBallot[]> {
  if (entries === 0) return [];
  return (await recordedBallots(client, session)).map(({ agent, ranking }) => ({ agent, ranking: unpackRanking(ranking, entries) }));
}

function reasonOf(
  state: SessionStateName | undefined,
  entries: number,
  ballots: number,
  electorate: number,
  quorum: number,
  winner: number,
): Pick<NoLaw, "reason" | "action"> {
  if (state === "EXPIRED") return { reason: "a stage of the session expired", action: "run the mission again" };
  if (state === "CANCELLED") return { reason: "the sponsor cancelled the session", action: "run the mission again if it is still wanted" };
  if (entries === 0) return { reason: "no candidate found enough sponsors", action: MORE_ROOM };
  if (ballots * BASIS_POINTS < electorate * quorum)
    return {
      reason: `${ballots} of ${electorate} producers voted, fewer than ${quorum / 100} %`,
      action: "run the mission again; with a chat model, make sure that it answers: an agent without a valid answer does not vote",
    };
  if (winner !== 0)
    return {
      reason: "adjudicators voided the vote: flagged voters held a critical share of it",
      action: "run the mission again, for another vote",
    };
  return { reason: `"no law" won the vote: most voters found none of the laws worth its price`, action: MORE_ROOM };
}

const MORE_ROOM = "give the agents more room (a larger budget, a longer deadline, other services) and run the mission again";
