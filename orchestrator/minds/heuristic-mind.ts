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

/** What everybody finds important changes from seed to seed by up to this factor, either way; what an agent does, by the other. */
const MOOD_SPAN = 4;
const OWN_SPAN = 3;

/** The most that talk can add to what a law is worth to an agent, 0–1: enough to settle what is nearly equal, and no more. */
const OPENNESS = 0.15;
/** How much a speech weighs that rests on nothing published. */
const UNFOUNDED = 0.25;
/** The most that taste moves what a plan is worth, as a share of what it answers. */
const PLAN_TASTE = 0.5;

export interface HeuristicMindOptions {
  readonly persona: Persona;
  readonly seed: Seed;
  /** Standard deviation of the error an agent makes about what a law is worth to it, on the scale of utility, 0–1. Default 0. */
  readonly misjudgement?: number;
}

/**
 * The embedded default mind: utility-based, seeded, instant, no network. utility(law) = Σ weight · quality, as a share of Σ |weight|: the
 * persona's weight, times the mood of the city, times the agent's own leaning, both drawn from the seed; "no law" is worth the persona's
 * reserve. It sees each law's utility with its own error, always the same for the same law. It plans and drafts the best of what
 * `plansFor` and `optionsOf` know,
 * speaks on the ground that speaks most for a law, ranks by utility and the speeches it heard (`#sway`), and bids its turn (`offers.ts`).
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
    if (first === undefined) throw new MindAnswerInvalid("draft", "every structure it knows stood before");
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
    // Equal values: an order of the agent's own, not that of the list.
    const order = randomStream(this.#seed, request.self, "ties").shuffle(valued);
    return Promise.resolve(order.toSorted((a, b) => b.value - a.value).map(({ number }) => number));
  }

  bid(request: BidRequest): Promise<readonly Offer[]> {
    const stream = randomStream(this.#seed, request.self, "prices");
    return Promise.resolve(offersOf(request, this.#taste(request.self).rebate, stream));
  }

  /**
   * What plans are worth to the agent: the part of the goal that they answer; by its taste for assurance more where executors compare, by its
   * taste for thrift less with every execution.
   */
  #worthOf(self: Address, plans: readonly Plan[]): (plan: Plan) => number {
    const { assurance, thrift } = this.#taste(self);
    const total = Math.abs(assurance) + Math.abs(thrift);
    const most = Math.max(...plans.map(({ executions }) => executions));
    return ({ coverage, compared, tasks, executions }) =>
      coverage * (1 + (PLAN_TASTE * (assurance * (compared / tasks) - thrift * (executions / most))) / total);
  }

  /** What laws seem worth to the agent. */
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
   * What laws are worth to the agent, 0–1. A quality counts from the worst simple structure to the best, whichever plan it is for; where agents
   * planned, a law is worth as much less as its plan answers less of the goal than the best one, and after a disagreement as much less as it
   * compares more parts than it need.
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
   * What the debate adds to a candidate: openness · Σ credit · care over the last speech of everybody else who spoke for it / Σ credit over
   * all of them. Openness is the agent's own, 0–0.15; credit is the speaker's reputation (0–1), a quarter of it without evidence; care is
   * what the speech's ground weighs in the listener's taste, its weightiest being 1; negative for who values the opposite. So nothing is
   * added twice for being repeated.
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

/** A law, or none, and what it is a law for. */
interface Law {
  readonly shape: CandidateView["shape"];
  readonly goal: Goal;
}

/** For each goal that laws are for, those of its laws whose executors did not agree. */
type FailedUnder = ReadonlyMap<Goal, readonly LawShape[] | undefined>;

const names = new WeakMap<LawShape, Hash>();

/** What names a structure, whatever its title. */
function nameOf(shape: LawShape): Hash {
  const name = names.get(shape) ?? keccak256(canonicalBytes(shape.tasks));
  names.set(shape, name);
  return name;
}

/** One draw of the standard normal distribution (Box and Muller 1958). */
function gaussian(stream: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());
}

/** The quality that, weighed by taste, says most for a law. */
function strongest(taste: Readonly<Record<Ground, number>>, qualities: Readonly<Record<Ground, number>>): Ground {
  return grounds.reduce((best, ground) => (taste[ground] * qualities[ground] > taste[best] * qualities[best] ? ground : best));
}

/** The candidate's own facts, with the agent's for its income, else the city's. */
function citationsFor(ground: Ground, self: Address, candidate: number | undefined, debate: DebateView | undefined): string[] {
  const beside = ground === "income" ? "producer" : "city";
  return (debate?.evidence ?? [])
    .filter(({ kind, agent, candidate: about }) =>
      kind === "candidate" ? about === candidate : kind === beside && (agent ?? self) === self,
    )
    .map(({ id }) => id);
}
