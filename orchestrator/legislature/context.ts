import type { LocalAccount } from "viem";
import type { z } from "zod";
import { intentKey } from "../chain/outbox.ts";
import type { Clerks } from "../clerks/clerks.ts";
import type { LogNote } from "../client/base.ts";
import type { CityClient } from "../client/client.ts";
import type { WriteOptions } from "../client/write.ts";
import { SeatAbsent } from "../minds/absence.ts";
import { MindAnswerInvalid } from "../minds/errors.ts";
import type { CityFacts, Goal } from "../minds/goal.ts";
import type { DraftRequest, Mind } from "../minds/mind.ts";
import { checkedMind } from "../minds/mind.ts";
import type { ItemField, PlannableService } from "../minds/planner/skills.ts";
import { noBoundary } from "../primitives/boundary.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import type { LegislatureBoundary } from "../protocol/boundaries.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import type { ParentNode } from "../protocol/mission-document.ts";
import type { MissionFile } from "../protocol/mission-file.ts";
import type { PlanText } from "../protocol/mission-file-schema.ts";
import type { LegislaturePorts } from "./ports.ts";
import { type Survey, surveySchema } from "./survey.ts";

/** An agent that takes part: its key, its mind, and who answers for it. */
export interface Producer {
  readonly account: LocalAccount;
  readonly mind: Mind;
  readonly principal: Address;
}

/** What the legislature must know of a service. */
export interface LegislatedService extends PlannableService {
  /** Ten levels, 0–255. */
  readonly capabilities: readonly number[];
  /** Hashes of its code and of its schemas, as it is registered. */
  readonly code: Hash;
  readonly schema: Hash;
}

/** The mission's input, as the law names it. */
export interface MissionInputs {
  readonly count: number;
  /** Content-id digest of the canonical list of items, in order of id. */
  readonly digest: Hash;
  /** Of a table, in its own order. */
  readonly columns?: readonly string[] | undefined;
  /** What every item has; asked where the mission file names no tasks. */
  readonly fields?: readonly ItemField[] | undefined;
}

/** A law that was on a ballot or in force, and failed. */
export interface BarredLaw {
  readonly specHash: Hash;
  readonly shape: LawShape;
  /** What its tasks were, where producers planned them. */
  readonly plan?: PlanText | undefined;
}

/** A session that a mission opened for one of its nodes. */
export interface ChildSession extends ParentNode {
  /** Number on chain. */
  readonly session: bigint;
}

/** A principal whose key is elsewhere: it has opened the session, and paid for it, by transactions of its own. */
export interface PaidElsewhere {
  readonly address: Address;
  /** Number on chain. */
  readonly session: bigint;
}

/** The session that is open before the order begins, if one is: nobody here can open another in its place. */
export function openedSession({ child, sponsor }: Pick<LegislatureOptions, "child" | "sponsor">): bigint | undefined {
  return child?.session ?? ("session" in sponsor ? sponsor.session : undefined);
}

/** Who pays with a key of this process. */
export function payerOf({ sponsor }: Pick<LegislatureOptions, "sponsor">): LocalAccount {
  if ("session" in sponsor) throw new AgentCityError("SponsorElsewhere", "Only the sponsor itself can pay: its key is not here");
  return sponsor;
}

export interface LegislatureOptions {
  readonly client: CityClient;
  readonly clerks: Clerks;
  /** The principal who pays: with a key of this process, or by itself, before. */
  readonly sponsor: LocalAccount | PaidElsewhere;
  readonly producers: readonly Producer[];
  readonly mission: MissionFile;
  readonly inputs: MissionInputs;
  readonly services: readonly LegislatedService[];
  readonly ports: LegislaturePorts;
  /** Names the session across restarts; a run with the same id resumes where the last one stopped. */
  readonly id: string;
  /** Mission that this session continues. */
  readonly parent?: Address | undefined;
  /** Laws that failed before: none of them may come again as it was. */
  readonly barred?: readonly BarredLaw[] | undefined;
  /** The session is open already: a mission opened it for one of its nodes, and lent it what `mission.budget` says. */
  readonly child?: ChildSession | undefined;
  /** Producers call for the session, and the sponsor adopts it; without it the sponsor opens the session. */
  readonly byPetition?: boolean | undefined;
  /** Ballots per transaction. Default 4. */
  readonly ballotBatch?: number | undefined;
  /** Laws on the ballot at most, in addition to "no law". Default: `MAX_LAWS`. */
  readonly mostLaws?: number | undefined;
}

/** What all voters of a session are asked with. */
export type Grounds = Pick<DraftRequest, "goal" | "facts">;

/** What a survey says, and the goal as it is under a plan: the same object for the same plan. */
export interface Common {
  readonly facts: CityFacts;
  goalUnder(plan: PlanText | null): Goal;
}

/** Which of several times a question is asked. */
export interface When {
  readonly reading?: number;
  readonly round?: number;
}

/** Whether somebody had no answer that can be used: it abstains, and nobody else is held up. */
export function isAbstention(error: unknown): boolean {
  return error instanceof MindAnswerInvalid || error instanceof SeatAbsent;
}

/** Everything a stage uses. Stages differ only in what they do with it. */
export class LegislatureContext {
  readonly options: LegislatureOptions;
  readonly client: CityClient;
  readonly clerks: Clerks;
  readonly #producers: ReadonlyMap<string, Producer>;
  #survey: { readonly id: ContentId | null; readonly survey: Survey } | undefined;
  #grounds: (Common & { readonly survey: ContentId | null }) | undefined;

  constructor(options: LegislatureOptions) {
    this.options = options;
    this.client = options.client;
    this.clerks = options.clerks;
    this.#producers = new Map(options.producers.map((producer) => [producer.account.address, producer]));
  }

  /** Names one on-chain step of this session. */
  step(step: string, subject: string | number | bigint = "", note?: LogNote): WriteOptions {
    return { intent: intentKey("legislature", this.options.id, step, subject), note };
  }

  note(kind: string, subjects: readonly string[], content?: ContentId): LogNote {
    return { kind: `legislature.${kind}`, subjects: [this.options.id, ...subjects], content };
  }

  cross(boundary: LegislatureBoundary): Promise<void> {
    return (this.options.ports.boundary ?? noBoundary)(boundary);
  }

  /** A Mind's answer: asked once a round, recorded, and checked whenever it is read. Answers are JSON. */
  ask<Answer>(
    agent: Address,
    step: string,
    schema: z.ZodType<Answer>,
    compute: (mind: Mind) => Promise<unknown>,
    { reading = 1, round = 0 }: When = {},
  ): Promise<Answer> {
    const { mind } = this.producer(agent);
    const key = { session: this.options.id, agent, step: reading === 1 ? step : `${step}/${reading}`, round };
    return this.options.ports.answers.remember(key, schema, () => compute(checkedMind(mind)));
  }

  /** The same; undefined when the mind has no usable answer, or nobody answers. */
  async askOrAbstain<Answer>(
    agent: Address,
    step: string,
    schema: z.ZodType<Answer>,
    compute: (mind: Mind) => Promise<unknown>,
    when: When = {},
  ): Promise<Answer | undefined> {
    try {
      return await this.ask(agent, step, schema, compute, when);
    } catch (error) {
      if (isAbstention(error)) return undefined;
      throw error;
    }
  }

  producer(agent: string): Producer {
    const found = this.#producers.get(agent);
    if (found === undefined)
      throw new AgentCityError("UnknownProducer", "The session's record names a producer that is not here", { details: agent });
    return found;
  }

  /** The grounds that a survey and a plan give, made once: what minds compute from the same goal they compute once (`minds/per-goal.ts`). */
  groundsOf(survey: ContentId | null, plan: PlanText | null, make: () => Common): Grounds {
    if (this.#grounds?.survey !== survey) this.#grounds = { survey, ...make() };
    const { facts, goalUnder } = this.#grounds;
    return { goal: goalUnder(plan), facts };
  }

  save(value: unknown): ContentId {
    return this.options.ports.records.putJson(value);
  }

  /** The session's survey, read once: every voter is asked with it. */
  survey(id: ContentId | null): Survey {
    if (this.#survey?.id !== id || id === null) this.#survey = { id, survey: this.load(id, surveySchema) };
    return this.#survey.survey;
  }

  load<Value>(id: ContentId | null, schema: z.ZodType<Value>): Value {
    if (id === null) throw new AgentCityError("RecordMissing", "A stage of the session asks for a record that no earlier stage wrote");
    return schema.parse(this.options.ports.records.getJson(id));
  }
}
