import type { z } from "zod";
import { parseAmount } from "../primitives/amounts.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import { TIER } from "../primitives/tier.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import type { PlanText } from "../protocol/mission-file-schema.ts";
import { askModel, type ChatModels } from "./ask-model.ts";
import { bidsAnswer, draftAnswer, planAnswer, rankingAnswer, speechAnswer } from "./chat-answers.ts";
import { bidMessages, draftMessages, planMessages, rankMessages, speakMessages } from "./chat-prompts.ts";
import { MindAnswerInvalid } from "./errors.ts";
import { layOut } from "./layout.ts";
import type { BidRequest, DraftRequest, Mind, Offer, PlanRequest, Ranking, RankRequest, SpeakRequest, Speech } from "./mind.ts";
import { isBarred, requirePermutation, requirePublished } from "./mind.ts";
import { ablePrincipals, leastExecutors, riskOf } from "./options.ts";
import type { Persona } from "./personas.ts";
import { problemOfPlan } from "./planner/check.ts";
import { titleOf } from "./title.ts";
import type { TokenBudget } from "./token-budget.ts";

export interface ChatModelMindOptions {
  readonly models: ChatModels;
  readonly persona: Persona;
  readonly budget: TokenBudget;
}

/**
 * A mind that asks a LangChain chat model. The model's answer is only an opinion: it is parsed, checked against the question, and signed by
 * the caller. Without a valid answer it throws `MindAnswerInvalid`, and the agent abstains.
 */
export class ChatModelMind implements Mind {
  readonly #options: ChatModelMindOptions;

  constructor(options: ChatModelMindOptions) {
    this.#options = options;
  }

  plan(request: PlanRequest): Promise<PlanText> {
    const { models, persona, budget } = this.#options;
    return askModel(models, budget, {
      name: "plan",
      messages: planMessages(persona, request),
      schema: planAnswer,
      read: (answer) => {
        const plan = planIn(answer, request);
        const problem = problemOfPlan(request.mission, plan, request);
        if (problem !== undefined) throw new MindAnswerInvalid("plan", problem);
        return plan;
      },
    });
  }

  draft(request: DraftRequest): Promise<LawShape> {
    const { models, persona, budget } = this.#options;
    return askModel(models, budget, {
      name: "draft",
      messages: draftMessages(persona, request),
      schema: draftAnswer,
      read: ({ tasks }) => shapeOf(request, tasks),
    });
  }

  speak(request: SpeakRequest): Promise<Speech> {
    const { models, persona, budget } = this.#options;
    return askModel(models, budget, {
      name: "speech",
      messages: speakMessages(persona, request),
      schema: speechAnswer,
      read: (speech) => {
        requirePublished(speech, request.debate?.evidence ?? []);
        return speech;
      },
    });
  }

  rank(request: RankRequest): Promise<Ranking> {
    const { models, persona, budget } = this.#options;
    return askModel(models, budget, {
      name: "ranking",
      messages: rankMessages(persona, request),
      schema: rankingAnswer,
      read: ({ ranking }) => {
        requirePermutation(
          ranking,
          request.candidates.map(({ number }) => number),
        );
        return ranking;
      },
    });
  }

  bid(request: BidRequest): Promise<readonly Offer[]> {
    const { models, persona, budget } = this.#options;
    return askModel(models, budget, {
      name: "bids",
      messages: bidMessages(persona, request),
      schema: bidsAnswer,
      read: ({ offers }) =>
        affordable(
          request,
          offers.map((offer) => ({ ...offer, price: parseAmount(offer.price) })),
        ),
    });
  }
}

/** The tasks in the form of a mission file. */
function planIn({ tasks, output }: z.infer<typeof planAnswer>, { catalogue }: PlanRequest): PlanText {
  const names = tasks.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new MindAnswerInvalid("plan", "two tasks have the same name");
  const written = tasks.map(({ name, services, overInput, after, tier, options }) => {
    const given = optionsIn(options);
    const task = {
      service: services,
      tier,
      ...(overInput ? { over: "input" as const } : {}),
      ...(after.length === 0 ? {} : { after }),
      ...(Object.keys(given).length === 0 ? {} : { with: given }),
    };
    return [name, task] as const;
  });
  const [last] = tasks.find(({ name }) => name === output)?.services ?? [];
  const format = catalogue.find(({ id }) => id === last)?.writes ?? "markdown";
  return { tasks: Object.fromEntries(written), output: { task: output, format } };
}

function optionsIn(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(text.trim() === "" ? "{}" : text);
  } catch {
    throw new MindAnswerInvalid("plan", "options must be one JSON object as text, {} for none");
  }
  if (!isObject(value)) throw new MindAnswerInvalid("plan", "options must be one JSON object as text, {} for none");
  return value;
}

/** The model's numbers with the mission's names and a generated title. Throws MindAnswerInvalid if no law can have this structure. */
function shapeOf({ goal, facts, barred }: DraftRequest, answered: readonly Omit<LawShape["tasks"][number], "task">[]): LawShape {
  if (answered.length !== goal.tasks.length) {
    throw new MindAnswerInvalid("draft", `it has ${answered.length} tasks, the mission has ${goal.tasks.length}`);
  }
  const risk = riskOf(goal, facts.limits);
  const tasks = goal.tasks.flatMap((task, index) => {
    const shape = answered[index];
    if (shape === undefined) return [];
    const able = ablePrincipals(task, facts);
    const [least, most] = task.tier === TIER.CONSENSUS ? [leastExecutors(task, facts, risk), Math.min(5, able)] : [1, 1];
    if (shape.redundancy < least || shape.redundancy > most) {
      throw new MindAnswerInvalid("draft", `task ${index + 1} needs a redundancy from ${least} to ${most}`);
    }
    return [{ task: task.name, ...shape }];
  });
  const shape = { title: titleOf(goal, tasks, []), tasks };
  layOut(goal, shape);
  if (isBarred(shape, barred)) throw new MindAnswerInvalid("draft", "this structure was tried before and failed: change something");
  return shape;
}

/** Checks that bids are for open nodes, within their budget and the agent's free stake, one per node. */
function affordable({ nodes, freeStake }: BidRequest, offers: readonly Offer[]): readonly Offer[] {
  let free = freeStake;
  const taken = new Set<number>();
  for (const { node, service, price } of offers) {
    const open = nodes.find((candidate) => candidate.node === node);
    if (open === undefined || taken.has(node)) throw new MindAnswerInvalid("bids", `node ${node} is not open, or has two bids`);
    if (!open.services.includes(service)) throw new MindAnswerInvalid("bids", `node ${node} does not accept this service`);
    if (price <= 0n || price > open.slotBudget) throw new MindAnswerInvalid("bids", `the price for node ${node} is not within its budget`);
    if (open.stake > free) throw new MindAnswerInvalid("bids", "the free stake does not cover all bids");
    free -= open.stake;
    taken.add(node);
  }
  return offers;
}
