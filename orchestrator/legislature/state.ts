import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";

const contentId = z.string().transform(parseContentId);
const none = contentId.nullable().default(null);

/** One record per agent, from nodes that run concurrently. */
const perAgent = () =>
  new ReducedValue(z.record(z.string(), z.string()).default({}), {
    inputSchema: z.record(z.string(), z.string()),
    reducer: (known: Record<string, string>, added: Record<string, string>) => ({ ...known, ...added }),
  });

/**
 * open: the session continues; refused: the constitution rejects the winning law; overdue: a stage expired, or the session was ended;
 * failed: there is no law.
 */
export const OUTCOMES = ["open", "refused", "overdue", "deployed", "failed"] as const;

/** What one node at a time writes. */
const fields = {
  /** Number on chain, decimal. */
  session: z.string().default(""),
  /** Number of this session within the order: a law may need several. */
  reading: z.int().min(1).default(1),
  /** Earlier sessions, decimal. */
  past: z.array(z.string()).default([]),
  /** Sessions that followed a refusal. */
  revisions: z.int().min(0).default(0),
  /** Backers of a petition, and their signatures. */
  backers: none,
  petition: none,
  /** The reintroduced proposal as amended, and its proposer's signature. */
  amendment: none,
  reintroduction: none,
  /** Laws of the failed session, which may not return unchanged. */
  barred: none,
  /** The Registrar's request, and the signed answers. */
  request: none,
  attestations: none,
  /** Facts about the city on which all later decisions rest. */
  survey: none,
  /** Every distinct drafted law. */
  table: none,
  /** Proposers and sponsors of each draft. */
  endorsements: none,
  /** Agents whose proposal or sponsorship the chain refused: others take their places. */
  displaced: z.array(addressSchema).default([]),
  /** Signed proposals. */
  proposals: none,
  /** Signed sponsorships. */
  sponsorships: none,
  /** Facts published before the debate, with the Regulator's signature. */
  briefing: none,
  published: none,
  /** Hash of the block in which the debate opened. */
  debateOpened: hashSchema.nullable().default(null),
  /** Every voter's current ranking. */
  opinions: none,
  /** Signed rankings from before the debate; once they are sent, those on chain. */
  straws: none,
  /** Speeches of the current round, and their signatures. */
  said: none,
  turns: none,
  /** Finished rounds. */
  rounds: z.array(z.string()).default([]),
  /** The last round changed no ranking. */
  settled: z.boolean().default(false),
  /** Signed ballots. */
  ballots: none,
  /** The winning law's document. */
  document: none,
  /** Results of every mandated operation on the document. */
  codification: none,
  delegations: z.array(z.string()).default([]),
  /** The Codifier's specification, and the signatures of the other offices. */
  specification: none,
  /** An adjudicator's signature for a law of HIGH risk. */
  audit: none,
  /** Why the last one was rejected. */
  refused: z.string().nullable().default(null),
  approvals: none,
  mission: addressSchema.nullable().default(null),
  outcome: z.enum(OUTCOMES).default("open"),
};

/** LangGraph's state of a session: ids only. Their contents are in the records, and the chain is authoritative. */
export const sessionState = new StateSchema({
  ...fields,
  /** Drafts, by reading and agent. */
  drafts: perAgent(),
});

/** The final state of an order, as it is recorded. */
export const concludedSchema = z.object({ ...fields, drafts: z.record(z.string(), z.string()) });

/** The state as the stages read it. */
export interface SessionState {
  readonly session: string;
  readonly reading: number;
  readonly past: readonly string[];
  readonly revisions: number;
  readonly backers: ContentId | null;
  readonly petition: ContentId | null;
  readonly amendment: ContentId | null;
  readonly reintroduction: ContentId | null;
  readonly barred: ContentId | null;
  readonly request: ContentId | null;
  readonly attestations: ContentId | null;
  readonly survey: ContentId | null;
  readonly drafts: Readonly<Record<string, string>>;
  readonly table: ContentId | null;
  readonly endorsements: ContentId | null;
  readonly displaced: readonly Address[];
  readonly proposals: ContentId | null;
  readonly sponsorships: ContentId | null;
  readonly briefing: ContentId | null;
  readonly published: ContentId | null;
  readonly debateOpened: Hash | null;
  readonly opinions: ContentId | null;
  readonly straws: ContentId | null;
  readonly said: ContentId | null;
  readonly turns: ContentId | null;
  readonly rounds: readonly string[];
  readonly settled: boolean;
  readonly ballots: ContentId | null;
  readonly document: ContentId | null;
  readonly codification: ContentId | null;
  readonly delegations: readonly string[];
  readonly specification: ContentId | null;
  readonly audit: ContentId | null;
  readonly refused: string | null;
  readonly approvals: ContentId | null;
  readonly mission: Address | null;
  readonly outcome: (typeof OUTCOMES)[number];
}

/** The state for a further session of the same order, in which every step is repeated. */
export function nextReading({ reading, past, session: last }: SessionState, session: string): Partial<SessionState> {
  return {
    session,
    reading: reading + 1,
    past: [...past, last],
    barred: null,
    request: null,
    attestations: null,
    survey: null,
    table: null,
    endorsements: null,
    displaced: [],
    proposals: null,
    sponsorships: null,
    briefing: null,
    published: null,
    debateOpened: null,
    opinions: null,
    straws: null,
    said: null,
    turns: null,
    rounds: [],
    settled: false,
    ballots: null,
    document: null,
    codification: null,
    delegations: [],
    specification: null,
    audit: null,
    refused: null,
    approvals: null,
    outcome: "open",
  };
}

/** Key of a draft in the state. */
export function draftKey(reading: number, agent: string): string {
  return `${reading}/${agent}`;
}
