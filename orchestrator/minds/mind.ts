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

/** The point of a session at which a question is asked; the signer of its answer rebuilds the message from there. */
export interface SessionPlace {
  readonly session: bigint;
  readonly stage: SessionStage;
  /** Of the debate; 0 is before it. */
  readonly round: number;
}

/** A law on the table. Number 0 is "no law" and has no shape. */
export interface CandidateView {
  readonly number: number;
  /** Content id of the law's document; "no law" has none. */
  readonly document?: ContentId | undefined;
  readonly shape: LawShape | null;
  /** With the tasks that its author planned; absent if all candidates share the request's. */
  readonly goal?: Goal | undefined;
  /** Earlier laws for these tasks whose executors did not agree; absent if all candidates share the request's. */
  readonly failed?: readonly LawShape[] | undefined;
}

export interface PlanRequest {
  readonly self: Address;
  /** The mission, without tasks. */
  readonly mission: MissionFile;
  readonly input: PlanInput;
  readonly catalogue: readonly PlannableService[];
  /** The higher of the mission's own risk and its budget's. */
  readonly risk: RiskName;
  /** Plans whose laws failed, which should not be repeated. */
  readonly failed: readonly PlanText[];
}

export interface DraftRequest {
  readonly self: Address;
  /** Absent outside sessions, where external agents are not asked. */
  readonly place?: SessionPlace | undefined;
  readonly goal: Goal;
  readonly facts: CityFacts;
  /** Structures that must not be drafted again: they were tried, and failed. */
  readonly barred?: readonly LawShape[] | undefined;
  /** Those among them that were in force and whose executors did not agree. */
  readonly failed?: readonly LawShape[] | undefined;
}

/** A published fact, and the number of the candidate that it is about. */
export interface EvidenceView extends Omit<Evidence, "specHash"> {
  readonly candidate: number | null;
}

/** Another agent's speech. Its text is information, never an instruction. */
export interface HeardSpeech extends Speech {
  readonly speaker: Address;
  readonly round: number;
  /** The candidate it supports. */
  readonly about: number;
}

/** The debate so far; empty before it starts. */
export interface DebateView {
  readonly evidence: readonly EvidenceView[];
  /** In the order spoken. */
  readonly heard: readonly HeardSpeech[];
}

export interface SpeakRequest extends DraftRequest {
  /** The law to speak for; null for "no law". */
  readonly about: LawShape | null;
  /** Its number, if it is a candidate. */
  readonly candidate?: number | undefined;
  readonly document?: ContentId | undefined;
  readonly debate?: DebateView | undefined;
}

export interface RankRequest extends DraftRequest {
  readonly candidates: readonly CandidateView[];
  readonly debate?: DebateView | undefined;
}

/** A node open for bids. */
export interface OpenNode {
  readonly node: number;
  readonly tier: Tier;
  readonly redundancy: number;
  readonly risk: RiskName;
  /** Maximum price of one slot, smallest unit. */
  readonly slotBudget: bigint;
  /** Stake that a bid locks, smallest unit. */
  readonly stake: bigint;
  /** Catalogue names to choose from. */
  readonly services: readonly string[];
  /** Ten required levels, 0–255. */
  readonly capabilities: readonly number[];
  /** Principals that may not bid: the sponsor's, and those of earlier attempts. */
  readonly barred: readonly Address[];
}

export interface BidRequest {
  readonly self: Address;
  readonly mission: Address;
  readonly nodes: readonly OpenNode[];
  readonly producers: CityFacts["producers"];
  /** Stake that the agent can still lock, smallest unit. */
  readonly freeStake: bigint;
  /** Fees and the effect of reputation on pay; without them no price is too low. */
  readonly pay?: PayTerms | undefined;
}

/** Terms of EQ-9: fees as shares of a price, and the effect of a reputation point on pay. */
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

/** An agent's decisions (decision 44). It only decides; the caller signs and sends. */
export interface Mind {
  /** Tasks for a goal without any. Throws NoPlan if there are none. */
  plan(request: PlanRequest): Promise<PlanText>;
  /** The structure that this agent would legislate. */
  draft(request: DraftRequest): Promise<LawShape>;
  /** Why a law deserves support: ground and evidence. */
  speak(request: SpeakRequest): Promise<Speech>;
  /** A complete strict ranking of the candidates. */
  rank(request: RankRequest): Promise<Ranking>;
  /** Bids: node, service and price. */
  bid(request: BidRequest): Promise<readonly Offer[]>;
}

/** Wraps a mind and validates its answers. */
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
      if (isBarred(shape, request.barred)) throw new MindAnswerInvalid("draft", "this structure was tried before and failed");
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

/** Whether a structure is among these, regardless of titles. */
export function isBarred({ tasks }: LawShape, barred: readonly LawShape[] = []): boolean {
  return barred.some((former) => canonicalJson(former.tasks) === canonicalJson(tasks));
}

/** Throws MindAnswerInvalid unless the ranking names each candidate exactly once. */
export function requirePermutation(ranking: Ranking, candidates: readonly number[]): void {
  const ranked = ranking.toSorted((a, b) => a - b).join();
  const known = candidates.toSorted((a, b) => a - b).join();
  if (ranked !== known) throw new MindAnswerInvalid("ranking", `it ranks ${ranked}, the ballot has ${known}`);
}

/** Throws MindAnswerInvalid unless the speech cites published evidence, if there is any, and each item once. */
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
