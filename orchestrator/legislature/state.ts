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

export const OUTCOMES = ["open", "deployed", "failed"] as const;

/** What LangGraph keeps of a session: ids only. The records hold what they name, the chain says what is true. */
export const sessionState = new StateSchema({
  /** Number on chain, decimal. */
  session: z.string().default(""),
  /** Signed identity attestations. */
  attestations: none,
  /** Facts about the city that every later decision rests on. */
  survey: none,
  /** Agent → its draft. */
  drafts: perAgent(),
  /** Every law that somebody drafted, once. */
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
  /** The last round changed nobody's mind. */
  settled: z.boolean().default(false),
  /** Signed ballots. */
  ballots: none,
  /** The winning law's document. */
  document: none,
  delegations: z.array(z.string()).default([]),
  /** Signatures of the offices. */
  approvals: none,
  mission: addressSchema.nullable().default(null),
  outcome: z.enum(OUTCOMES).default("open"),
});

/** The same, as the stages read it. */
export interface SessionState {
  readonly session: string;
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
  readonly delegations: readonly string[];
  readonly approvals: ContentId | null;
  readonly mission: Address | null;
  readonly outcome: (typeof OUTCOMES)[number];
}
