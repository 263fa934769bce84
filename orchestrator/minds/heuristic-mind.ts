import { keccak256 } from "../primitives/hash.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson } from "../primitives/json.ts";
import type { RandomStream, Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";
import { type Ground, grounds } from "../protocol/debate.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import type { PlanText } from "../protocol/mission-file-schema.ts";
import { GoalNotFeasible, MindAnswerInvalid, NoPlan } from "./errors.ts";
import type { Goal } from "./goal.ts";
import type {
  BidRequest,
  CandidateView,
  DebateView,
  DraftRequest,
  HeardSpeech,
  Mind,
  Offer,
  PlanRequest,
  Ranking,
  RankRequest,
  SpeakRequest,
  Speech,
} from "./mind.ts";
import { isBarred } from "./mind.ts";
import { offersOf } from "./offers.ts";
import { choicesOf, coarseness } from "./options.ts";
import type { Persona, Taste } from "./personas.ts";
import { PERSONAS } from "./personas.ts";
import { impossibleInWords } from "./planner/impossible.ts";
import { type Plan, plansFor } from "./planner/plan.ts";
import { qualitiesOf, slotChances } from "./qualities.ts";

const WORDS: Record<Ground, string> = {
  speed: "it is quick",
  thrift: "it spends little on overhead",
  assurance: "little is lost when one node fails, and the evidence is strong",
  evenness: "work and pay reach everybody",
  income: "it pays for what I do well",
};

/** Factor by which the shared priorities vary from seed to seed, either way; and the same for each agent's own. */
const MOOD_SPAN = 4;
const OWN_SPAN = 3;

/** The most that debate can add to a law's utility, 0–1: enough to decide between nearly equal laws. */
const OPENNESS = 0.15;
/** Weight of a speech without published evidence. */
const UNFOUNDED = 0.25;
/** The most that taste changes a plan's utility, as a share of its coverage. */
const PLAN_TASTE = 0.5;

export interface HeuristicMindOptions {
  readonly persona: Persona;
  readonly seed: Seed;
  /** Standard deviation of an agent's error about a law's utility, 0–1. Default 0. */
  readonly misjudgement?: number;
}

/**
 * The built-in default mind: utility-based, seeded, instant, offline. utility(law) = Σ weight · quality, as a share of Σ |weight|: the
 * persona's weight, times the city's mood, times the agent's own leaning, both drawn from the seed; "no law" has the persona's reserve. It
 * sees each law's utility with a fixed error of its own. It plans and drafts the best of `plansFor` and `optionsOf`, speaks on the ground
 * that most favours a law, ranks by utility and the speeches it heard (`#sway`), and bids in its turn (`offers.ts`).
 */
export class HeuristicMind implements Mind {
  readonly persona: Persona;
  readonly #seed: Seed;
  readonly #misjudgement: number;

  constructor({ persona, seed, misjudgement = 0 }: HeuristicMindOptions) {
    this.persona = persona;
    this.#seed = seed;
    this.#misjudgement = misjudgement;
  }

  plan({ self, mission, input, catalogue, risk, failed }: PlanRequest): Promise<PlanText> {
    const found = plansFor({ goal: mission.goal, risk, input, catalogue });
    if ("uncovered" in found) throw new NoPlan(impossibleInWords(found, input.kind), found.nearest);
    const texts = failed.map((text) => canonicalJson(text));
    const fresh = found.plans.filter(({ text }) => !texts.includes(canonicalJson(text)));
    const value = this.#worthOf(self, found.plans);
    const [first, ...others] = fresh.length > 0 ? fresh : found.plans;
    if (first === undefined) throw new MindAnswerInvalid("plan", "it knows none");
    return Promise.resolve(others.reduce((best, plan) => (value(plan) > value(best) ? plan : best), first).text);
  }

  draft(request: DraftRequest): Promise<LawShape> {
    const value = this.#valuation(request, new Map([[request.goal, request.failed]]));
    const options = choicesOf(request.goal, request.facts, request.failed);
    if (options.length === 0) throw new GoalNotFeasible("there is nothing to divide", "name at least one task");
    const [first, ...others] = options
      .filter((shape) => !isBarred(shape, request.barred))
      .map((shape) => ({ shape, value: value({ shape, goal: request.goal }) }));
    if (first === undefined) throw new MindAnswerInvalid("draft", "every structure it knows was tried before");
    return Promise.resolve(others.reduce((best, option) => (option.value > best.value ? option : best), first).shape);
  }

  speak({ self, goal, facts, about, candidate, debate }: SpeakRequest): Promise<Speech> {
    const taste = this.#taste(self);
    const ground = about === null ? "thrift" : strongest(taste, qualitiesOf(goal, facts, slotChances(goal, facts, self), about));
    const text = about === null ? "I support no law: none of these is worth its price." : `I support "${about.title}": ${WORDS[ground]}.`;
    return Promise.resolve({ text, ground, evidence: citationsFor(ground, self, candidate, debate) });
  }

  rank(request: RankRequest): Promise<Ranking> {
    const proposed = request.candidates.map(({ goal = request.goal, failed = request.failed, ...law }) => ({ ...law, goal, failed }));
    const tasks = new Map(proposed.flatMap(({ shape, goal, failed }) => (shape === null ? [] : [[goal, failed]])));
    const value = this.#valuation(request, tasks);
    const sway = this.#sway(request);
    const valued = proposed.map((law) => ({ number: law.number, value: value(law) + sway(law.number) }));
    // Ties are broken in the agent's own order, not that of the list.
    const order = randomStream(this.#seed, request.self, "ties").shuffle(valued);
    return Promise.resolve(order.toSorted((a, b) => b.value - a.value).map(({ number }) => number));
  }

  bid(request: BidRequest): Promise<readonly Offer[]> {
    const stream = randomStream(this.#seed, request.self, "prices");
    return Promise.resolve(offersOf(request, this.#taste(request.self).rebate, stream));
  }

  /**
   * A plan's utility: the part of the goal that it answers, raised by the agent's taste for assurance where executors compare, lowered by
   * its taste for thrift with every execution.
   */
  #worthOf(self: Address, plans: readonly Plan[]): (plan: Plan) => number {
    const { assurance, thrift } = this.#taste(self);
    const total = Math.abs(assurance) + Math.abs(thrift);
    const most = Math.max(...plans.map(({ executions }) => executions));
    return ({ coverage, compared, tasks, executions }) =>
      coverage * (1 + (PLAN_TASTE * (assurance * (compared / tasks) - thrift * (executions / most))) / total);
  }

  /** Perceived utilities of laws. */
  #valuation(request: DraftRequest, tasks: FailedUnder): (law: Law) => number {
    const utility = this.#utility(request, tasks);
    if (this.#misjudgement === 0) return utility;
    return (law) => {
      const name = law.shape === null ? "no law" : nameOf(law.shape);
      const error = gaussian(randomStream(this.#seed, request.self, "misjudgement", name));
      return utility(law) + this.#misjudgement * error;
    };
  }

  /**
   * Utilities of laws, 0–1. A quality is scaled from the worst to the best simple structure of all plans. If agents planned, a law is
   * discounted by how much less of the goal its plan answers than the best; after a disagreement, by how many more parts it compares than
   * necessary.
   */
  #utility({ self, facts }: DraftRequest, tasks: FailedUnder): (law: Law) => number {
    const goals = [...tasks.keys()];
    const taste = this.#taste(self);
    const total = grounds.reduce((sum, quality) => sum + Math.abs(taste[quality]), 0);
    const most = Math.max(0, ...goals.map(({ coverage }) => coverage ?? 1));
    const chances = new Map(goals.map((goal) => [goal, slotChances(goal, facts, self)]));
    const judge = (goal: Goal, shape: LawShape) => qualitiesOf(goal, facts, chances.get(goal) ?? slotChances(goal, facts, self), shape);
    const known = goals.flatMap((goal) => choicesOf(goal, facts, tasks.get(goal)).map((shape) => judge(goal, shape)));
    const ranges = grounds.map((quality) => {
      const values = known.map((qualities) => qualities[quality]);
      const worst = Math.min(...values);
      return { quality, worst, span: Math.max(...values) - worst, weight: taste[quality] / total };
    });
    return ({ shape, goal }) => {
      if (shape === null) return taste.reserve;
      const qualities = judge(goal, shape);
      const worth = ranges.reduce((sum, { quality, worst, span, weight }) => {
        const share = span === 0 ? 1 : Math.max(0, Math.min(1, (qualities[quality] - worst) / span));
        return sum + (weight < 0 ? -weight * (1 - share) : weight * share);
      }, 0);
      const agreeable = worth * coarseness(goal, tasks.get(goal) ?? [], shape);
      return most === 0 ? agreeable : (agreeable * (goal.coverage ?? 1)) / most;
    };
  }

  /**
   * What the debate adds to a candidate: openness · Σ credit · care over the last speech of every other agent that spoke for it / Σ credit
   * over all of them. Openness is the agent's own, 0–0.15; credit is the speaker's reputation (0–1), a quarter of it without evidence; care
   * is the weight of the speech's ground in the listener's taste, scaled to 1 for the largest, negative for the opposite preference.
   * Repeating a speech adds nothing.
   */
  #sway({ self, facts, debate }: RankRequest): (candidate: number) => number {
    const last = new Map<Address, HeardSpeech>();
    for (const speech of debate?.heard ?? []) if (speech.speaker !== self) last.set(speech.speaker, speech);
    if (last.size === 0) return () => 0;
    const taste = this.#taste(self);
    const most = Math.max(...grounds.map((ground) => Math.abs(taste[ground])));
    const reputations = new Map(facts.producers.map(({ agent, reputation }) => [agent, reputation / 1000]));
    const moved = new Map<number, number>();
    let total = 0;
    for (const { speaker, about, ground, evidence } of last.values()) {
      const credit = (reputations.get(speaker) ?? 0) * (evidence.length === 0 ? UNFOUNDED : 1);
      total += credit;
      moved.set(about, (moved.get(about) ?? 0) + (credit * taste[ground]) / most);
    }
    const openness = OPENNESS * randomStream(this.#seed, self, "openness").next();
    return (candidate) => (total === 0 ? 0 : (openness * (moved.get(candidate) ?? 0)) / total);
  }

  #taste(self: Address): Taste {
    const mood = randomStream(this.#seed, "mood");
    const own = randomStream(this.#seed, self, "taste");
    const taste: Record<Ground, number> = { ...PERSONAS[this.persona] };
    for (const quality of grounds) taste[quality] *= MOOD_SPAN ** (2 * mood.next() - 1) * OWN_SPAN ** (2 * own.next() - 1);
    return { ...PERSONAS[this.persona], ...taste };
  }
}

/** A law, or none, and its goal. */
interface Law {
  readonly shape: CandidateView["shape"];
  readonly goal: Goal;
}

/** By goal, earlier laws whose executors did not agree. */
type FailedUnder = ReadonlyMap<Goal, readonly LawShape[] | undefined>;

const names = new WeakMap<LawShape, Hash>();

/** Identifies a structure regardless of its title. */
function nameOf(shape: LawShape): Hash {
  const name = names.get(shape) ?? keccak256(canonicalBytes(shape.tasks));
  names.set(shape, name);
  return name;
}

/** One draw of the standard normal distribution (Box and Muller 1958). */
function gaussian(stream: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());
}

/** The quality that, weighted by taste, most favours a law. */
function strongest(taste: Readonly<Record<Ground, number>>, qualities: Readonly<Record<Ground, number>>): Ground {
  return grounds.reduce((best, ground) => (taste[ground] * qualities[ground] > taste[best] * qualities[best] ? ground : best));
}

/** The candidate's own facts, with the agent's for income, otherwise the city's. */
function citationsFor(ground: Ground, self: Address, candidate: number | undefined, debate: DebateView | undefined): string[] {
  const beside = ground === "income" ? "producer" : "city";
  return (debate?.evidence ?? [])
    .filter(({ kind, agent, candidate: about }) =>
      kind === "candidate" ? about === candidate : kind === beside && (agent ?? self) === self,
    )
    .map(({ id }) => id);
}
