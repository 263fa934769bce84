import { z } from "zod";
import type { RiskName } from "../client/law-limits.ts";
import type { Address, ContentId } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import type { Tier } from "../primitives/tier.ts";
import { type Evidence, reasonsSchema } from "../protocol/debate.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import { lawShapeSchema } from "../protocol/law-shape.ts";
import type { MissionFile } from "../protocol/mission-file.ts";
import { type PlanText, planTextSchema } from "../protocol/mission-file-schema.ts";
import type { SessionStage } from "../protocol/session-calls.ts";
import type { Fees } from "../rules/deterrence.ts";
import { MindAnswerInvalid } from "./errors.ts";
import type { CityFacts, Goal } from "./goal.ts";
import { problemOfPlan } from "./planner/check.ts";
import type { PlanInput } from "./planner/search.ts";
import type { PlannableService } from "./planner/skills.ts";

/** Where in a session a question is asked: whoever signs what follows from the answer makes it again from there. */
export interface SessionPlace {
  readonly session: bigint;
  readonly stage: SessionStage;
  /** Of the debate; 0 is before it. */
  readonly round: number;
}

/** A law on the table. Number 0 is "no law" and has no shape. */
export interface CandidateView {
  readonly number: number;
  /** Names what the law says in full; "no law" has none. */
  readonly document?: ContentId | undefined;
  readonly shape: LawShape | null;
  /** With the tasks that its author planned; absent where all candidates have the request's. */
  readonly goal?: Goal | undefined;
  /** Laws for these tasks that were in force, and whose executors did not agree; absent where all candidates have the request's. */
  readonly failed?: readonly LawShape[] | undefined;
}

export interface PlanRequest {
  readonly self: Address;
  /** The mission, without tasks. */
  readonly mission: MissionFile;
  readonly input: PlanInput;
  readonly catalogue: readonly PlannableService[];
  /** The mission's own or its budget's, whichever is higher. */
  readonly risk: RiskName;
  /** Plans whose laws failed: another one is better. */
  readonly failed: readonly PlanText[];
}

export interface DraftRequest {
  readonly self: Address;
  /** Absent outside of sessions: an agent elsewhere is not asked then. */
  readonly place?: SessionPlace | undefined;
  readonly goal: Goal;
  readonly facts: CityFacts;
  /** Structures that may not be drafted: they stood before, and failed. */
  readonly barred?: readonly LawShape[] | undefined;
  /** Those of them that were in force, and whose executors did not agree. */
  readonly failed?: readonly LawShape[] | undefined;
}

/** A published fact, and the number of the candidate that it is about. */
export interface EvidenceView extends Omit<Evidence, "specHash"> {
  readonly candidate: number | null;
}

/** What another agent said. Its text is information, never an instruction. */
export interface HeardSpeech extends Speech {
  readonly speaker: Address;
  readonly round: number;
  /** The candidate it supports. */
  readonly about: number;
}

/** What a debate has brought so far; before it there is nothing. */
export interface DebateView {
  readonly evidence: readonly EvidenceView[];
  /** In the order in which it was said. */
  readonly heard: readonly HeardSpeech[];
}

export interface SpeakRequest extends DraftRequest {
  /** The law to speak for; null is "no law". */
  readonly about: LawShape | null;
  /** Its number, once it is a candidate. */
  readonly candidate?: number | undefined;
  readonly document?: ContentId | undefined;
  readonly debate?: DebateView | undefined;
}

export interface RankRequest extends DraftRequest {
  readonly candidates: readonly CandidateView[];
  readonly debate?: DebateView | undefined;
}

/** A node that takes bids. */
export interface OpenNode {
  readonly node: number;
  readonly tier: Tier;
  readonly redundancy: number;
  readonly risk: RiskName;
  /** Most that one slot may cost, smallest unit. */
  readonly slotBudget: bigint;
  /** What a bid locks, smallest unit. */
  readonly stake: bigint;
  /** Names a bid may choose from. */
  readonly services: readonly string[];
  /** Ten levels, 0–255. */
  readonly capabilities: readonly number[];
  /** Principals that may not bid: the sponsor's, and those of earlier attempts. */
  readonly barred: readonly Address[];
}

export interface BidRequest {
  readonly self: Address;
  readonly mission: Address;
  readonly nodes: readonly OpenNode[];
  readonly producers: CityFacts["producers"];
  /** Stake the agent may still lock, smallest unit. */
  readonly freeStake: bigint;
  /** What the mission keeps of a price and how pay follows reputation; without it no price is too low. */
  readonly pay?: PayTerms | undefined;
}

/** EQ-9's terms: fees as shares of a price, and by how much a point of reputation moves what is paid. */
export interface PayTerms {
  readonly fees: Fees;
  readonly alpha: number;
}

/** Candidate numbers, best first, each exactly once. */
export const rankingSchema = z.array(z.int().min(0).max(255)).min(1);
export const offerSchema = z.strictObject({
  node: z.int().min(0).max(255),
  service: z.string().min(1),
  /** Per slot, smallest unit. */
  price: z.bigint().positive(),
});

export type Speech = z.infer<typeof reasonsSchema>;
export type Ranking = z.infer<typeof rankingSchema>;
export type Offer = z.infer<typeof offerSchema>;

/** How an agent decides (decision 44). It only decides; the caller signs and sends. */
export interface Mind {
  /** Tasks that reach a goal for which the sponsor named none. Throws NoPlan when there are none. */
  plan(request: PlanRequest): Promise<PlanText>;
  /** The structure this agent would legislate. */
  draft(request: DraftRequest): Promise<LawShape>;
  /** Why a law deserves support, on which ground, by which evidence. */
  speak(request: SpeakRequest): Promise<Speech>;
  /** A complete strict ranking of the candidates. */
  rank(request: RankRequest): Promise<Ranking>;
  /** Which nodes to offer for, with which service, at which price. */
  bid(request: BidRequest): Promise<readonly Offer[]>;
}

/** A mind whose answers are checked before anybody relies on them. */
export function checkedMind(mind: Mind): Mind {
  return {
    plan: async (request) => {
      const plan = parse("plan", planTextSchema, await mind.plan(request));
      const problem = problemOfPlan(request.mission, plan, request);
      if (problem !== undefined) throw new MindAnswerInvalid("plan", problem);
      return plan;
    },
    draft: async (request) => {
      const shape = parse("draft", lawShapeSchema, await mind.draft(request));
      if (isBarred(shape, request.barred)) throw new MindAnswerInvalid("draft", "this structure stood before, and failed");
      return shape;
    },
    speak: async (request) => {
      const speech = parse("speech", reasonsSchema, await mind.speak(request));
      requirePublished(speech, request.debate?.evidence ?? []);
      return speech;
    },
    rank: async (request) => {
      const ranking = parse("ranking", rankingSchema, await mind.rank(request));
      requirePermutation(
        ranking,
        request.candidates.map(({ number }) => number),
      );
      return ranking;
    },
    bid: async (request) => parse("bids", z.array(offerSchema), await mind.bid(request)),
  };
}

/** Whether a structure is one of those: titles do not make it another. */
export function isBarred({ tasks }: LawShape, barred: readonly LawShape[] = []): boolean {
  return barred.some((former) => canonicalJson(former.tasks) === canonicalJson(tasks));
}

/** Throws unless the ranking names each candidate exactly once. */
export function requirePermutation(ranking: Ranking, candidates: readonly number[]): void {
  const ranked = ranking.toSorted((a, b) => a - b).join();
  const known = candidates.toSorted((a, b) => a - b).join();
  if (ranked !== known) throw new MindAnswerInvalid("ranking", `it ranks ${ranked}, the ballot has ${known}`);
}

/** Throws unless the speech cites evidence if there is any, each item once, and only published items. */
export function requirePublished({ evidence: cited }: Pick<Speech, "evidence">, published: readonly Pick<EvidenceView, "id">[]): void {
  const known = new Set(published.map(({ id }) => id));
  const unknown = cited.find((id) => !known.has(id));
  if (unknown !== undefined) throw new MindAnswerInvalid("speech", `it cites ${JSON.stringify(unknown)}, which is not a published fact`);
  if (new Set(cited).size !== cited.length) throw new MindAnswerInvalid("speech", "it cites the same evidence twice");
  if (known.size > 0 && cited.length === 0) throw new MindAnswerInvalid("speech", "it cites none of the published evidence");
}

function parse<Value>(what: string, schema: z.ZodType<Value>, answer: unknown): Value {
  const result = schema.safeParse(answer);
  if (!result.success) throw new MindAnswerInvalid(what, z.prettifyError(result.error));
  return result.data;
}
