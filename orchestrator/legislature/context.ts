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
import { type SessionStateName, sessionTransitions } from "../rules/transitions/session.ts";
import type { LegislaturePorts } from "./ports.ts";
import { type Survey, surveySchema } from "./survey.ts";

/** A participating agent: its key, mind and principal. */
export interface Producer {
  readonly account: LocalAccount;
  readonly mind: Mind;
  readonly principal: Address;
}

/** The legislature's view of a service. */
export interface LegislatedService extends PlannableService {
  /** Ten levels, 0–255. */
  readonly capabilities: readonly number[];
  /** Hashes of its code and schemas, as registered. */
  readonly code: Hash;
  readonly schema: Hash;
}

/** The mission's input, as the law refers to it. */
export interface MissionInputs {
  readonly count: number;
  /** Content-id digest of the canonical list of items, in order of id. */
  readonly digest: Hash;
  /** Columns of a table, in their own order. */
  readonly columns?: readonly string[] | undefined;
  /** Fields of every item; needed if the mission file names no tasks. */
  readonly fields?: readonly ItemField[] | undefined;
}

/** A law that was on a ballot or in force, and failed. */
export interface BarredLaw {
  readonly specHash: Hash;
  readonly shape: LawShape;
  /** Its tasks, if producers planned them. */
  readonly plan?: PlanText | undefined;
}

/** A session that a mission opened for one of its nodes. */
export interface ChildSession extends ParentNode {
  /** Number on chain. */
  readonly session: bigint;
}

/** A sponsor whose key is elsewhere: it has opened the session and paid for it by its own transactions. */
export interface PaidElsewhere {
  readonly address: Address;
  /** Number on chain. */
  readonly session: bigint;
}

/** The session that is open before the order begins, if any: no other can be opened in its place. */
export function openedSession({ child, sponsor }: Pick<LegislatureOptions, "child" | "sponsor">): bigint | undefined {
  return child?.session ?? ("session" in sponsor ? sponsor.session : undefined);
}

/** The sponsor, if its key is in this process. */
export function payerOf({ sponsor }: Pick<LegislatureOptions, "sponsor">): LocalAccount {
  if ("session" in sponsor) throw new AgentCityError("SponsorElsewhere", "Only the sponsor itself can pay: its key is not in this process");
  return sponsor;
}

export interface LegislatureOptions {
  readonly client: CityClient;
  readonly clerks: Clerks;
  /** The principal who pays: with a key of this process, or by itself beforehand. */
  readonly sponsor: LocalAccount | PaidElsewhere;
  readonly producers: readonly Producer[];
  readonly mission: MissionFile;
  readonly inputs: MissionInputs;
  readonly services: readonly LegislatedService[];
  readonly ports: LegislaturePorts;
  /** Identifies the session across restarts; a run with the same id resumes where the last one stopped. */
  readonly id: string;
  /** Mission that this session continues. */
  readonly parent?: Address | undefined;
  /** Laws that failed before; none may be proposed again unchanged. */
  readonly barred?: readonly BarredLaw[] | undefined;
  /** The session is open already: a mission opened it for one of its nodes, and lent it `mission.budget`. */
  readonly child?: ChildSession | undefined;
  /** Producers petition for the session, and the sponsor adopts it. Default: the sponsor opens it. */
  readonly byPetition?: boolean | undefined;
  /** Ballots per transaction. Default 4. */
  readonly ballotBatch?: number | undefined;
  /** Maximum number of laws on the ballot, in addition to "no law". Default: `MAX_LAWS`. */
  readonly mostLaws?: number | undefined;
}

/** The part of a request that is the same for all voters of a session. */
export type Grounds = Pick<DraftRequest, "goal" | "facts">;

/** A survey's facts, and the goal under a plan: the same object for the same plan. */
export interface Common {
  readonly facts: CityFacts;
  goalUnder(plan: PlanText | null): Goal;
}

/** The occurrence of a question that is asked several times. */
export interface When {
  readonly reading?: number;
  readonly round?: number;
}

/** Whether an error means that one agent abstains, which must not block the others. */
export function isAbstention(error: unknown): boolean {
  return error instanceof MindAnswerInvalid || error instanceof SeatAbsent;
}

/** Shared by all stages, which differ only in what they do with it. */
export class LegislatureContext {
  readonly options: LegislatureOptions;
  readonly client: CityClient;
  readonly clerks: Clerks;
  readonly #producers: ReadonlyMap<string, Producer>;
  /** Records never change, and a thousand drafts are read at every stage. */
  readonly #loaded = new WeakMap<z.ZodType, Map<ContentId, unknown>>();
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

  /** The same for a step that anybody may take: it is taken once the session is in one of these states. */
  stepInto(reached: readonly SessionStateName[], step: string, session: bigint, note?: LogNote): WriteOptions {
    const alreadyDone = async () => reached.includes(await this.stateOf(session));
    return { ...this.step(step, session, note), alreadyDone };
  }

  async stateOf(session: bigint): Promise<SessionStateName> {
    const { state } = await this.client.legislation.sessionOf(session);
    return sessionTransitions.states[state] ?? "NONE";
  }

  note(kind: string, subjects: readonly string[], content?: ContentId): LogNote {
    return { kind: `legislature.${kind}`, subjects: [this.options.id, ...subjects], content };
  }

  cross(boundary: LegislatureBoundary): Promise<void> {
    return (this.options.ports.boundary ?? noBoundary)(boundary);
  }

  /** A mind's answer: requested once per round, recorded, and validated whenever it is read. Answers are JSON. */
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

  /** The same; undefined if the mind has no valid answer or the seat is absent. */
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

  /** Whether this process has the agent's seat; others may vote by themselves. */
  isHere(agent: string): boolean {
    return this.#producers.has(agent);
  }

  producer(agent: string): Producer {
    const found = this.#producers.get(agent);
    if (found === undefined)
      throw new AgentCityError("UnknownProducer", "The session's record names a producer that is not here", { details: agent });
    return found;
  }

  /** The grounds of a survey and a plan, created once, so that minds memoise what they compute from the same goal (`minds/per-goal.ts`). */
  groundsOf(survey: ContentId | null, plan: PlanText | null, make: () => Common): Grounds {
    if (this.#grounds?.survey !== survey) this.#grounds = { survey, ...make() };
    const { facts, goalUnder } = this.#grounds;
    return { goal: goalUnder(plan), facts };
  }

  save(value: unknown): ContentId {
    return this.options.ports.records.putJson(value);
  }

  survey(id: ContentId | null): Survey {
    return this.load(id, surveySchema);
  }

  /** A record, read and validated once: the same object every time. */
  load<Value>(id: ContentId | null, schema: z.ZodType<Value>): Value {
    if (id === null) throw new AgentCityError("RecordMissing", "A stage of the session asks for a record that no earlier stage wrote");
    const loaded = this.#loaded.get(schema) ?? new Map<ContentId, unknown>();
    this.#loaded.set(schema, loaded);
    if (!loaded.has(id)) loaded.set(id, schema.parse(this.options.ports.records.getJson(id)));
    return loaded.get(id) as Value;
  }
}
