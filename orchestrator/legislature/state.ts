import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";

const contentId = z.string().transform(parseContentId);
const none = contentId.nullable().default(null);

/** One record per agent, from nodes that run side by side. */
const perAgent = () =>
  new ReducedValue(z.record(z.string(), z.string()).default({}), {
    inputSchema: z.record(z.string(), z.string()),
    reducer: (known: Record<string, string>, added: Record<string, string>) => ({ ...known, ...added }),
  });

/**
 * open: the session continues; refused: the constitution does not allow what won; overdue: a stage outlived its time, or somebody ended the
 * session; failed: there is no law.
 */
export const OUTCOMES = ["open", "refused", "overdue", "deployed", "failed"] as const;

/** What LangGraph keeps of a session: ids only. The records hold what they name, the chain says what is true. */
export const sessionState = new StateSchema({
  /** Number on chain, decimal. */
  session: z.string().default(""),
  /** Which session of this order it is: a law may need more than one. */
  reading: z.int().min(1).default(1),
  /** Sessions that came before, decimal. */
  past: z.array(z.string()).default([]),
  /** Sessions that followed a refusal. */
  revisions: z.int().min(0).default(0),
  /** Who backs a petition, and their signatures. */
  backers: none,
  petition: none,
  /** The proposal that returns, changed, and its proposer's signature. */
  amendment: none,
  reintroduction: none,
  /** Laws that stood in the session that failed: they may not return as they were. */
  barred: none,
  /** The Registrar's question, and the signed answers. */
  request: none,
  attestations: none,
  /** Facts about the city that every later decision rests on. */
  survey: none,
  /** Reading and agent → its draft. */
  drafts: perAgent(),
  /** Every drafted law, once. */
  table: none,
  /** Who proposes and who sponsors what. */
  endorsements: none,
  /** Signed proposals. */
  proposals: none,
  /** Signed sponsorships. */
  sponsorships: none,
  /** Facts published before the debate, and the Regulator's signature under them. */
  briefing: none,
  published: none,
  /** Hash of the block in which the debate opened. */
  debateOpened: hashSchema.nullable().default(null),
  /** What everybody would vote now. */
  opinions: none,
  /** Signed rankings from before the debate. */
  straws: none,
  /** What was said in the round that is under way, and signed. */
  said: none,
  turns: none,
  /** The rounds that are over. */
  rounds: z.array(z.string()).default([]),
  /** The last round changed no ranking. */
  settled: z.boolean().default(false),
  /** Signed ballots. */
  ballots: none,
  /** The winning law's document. */
  document: none,
  /** What every mandated operation made of the document. */
  codification: none,
  delegations: z.array(z.string()).default([]),
  /** The Codifier's word on what it made, and the signatures of the other offices. */
  specification: none,
  /** An adjudicator's signature under a law of HIGH risk. */
  audit: none,
  /** Why the last one was not taken. */
  refused: z.string().nullable().default(null),
  approvals: none,
  mission: addressSchema.nullable().default(null),
  outcome: z.enum(OUTCOMES).default("open"),
});

/** The same, as the stages read it. */
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

/** A further session of the same order: everything said in the last one is said again. */
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

/** Where a draft is found in the state. */
export function draftKey(reading: number, agent: string): string {
  return `${reading}/${agent}`;
}
