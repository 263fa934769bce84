import { keccak256 } from "../primitives/hash.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import type { RandomStream, Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";
import { type Ground, grounds } from "../protocol/debate.ts";
import { GoalNotFeasible, MindAnswerInvalid } from "./errors.ts";
import type { BidRequest, DebateView, DraftRequest, HeardSpeech, Mind, Offer, Ranking, RankRequest, SpeakRequest, Speech } from "./mind.ts";
import { isBarred } from "./mind.ts";
import { offersOf } from "./offers.ts";
import { optionsOf } from "./options.ts";
import type { Persona, Taste } from "./personas.ts";
import { PERSONAS } from "./personas.ts";
import { qualitiesOf, slotChances } from "./qualities.ts";
import type { LawShape } from "./shape.ts";

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

export interface HeuristicMindOptions {
  readonly persona: Persona;
  readonly seed: Seed;
  /** Standard deviation of the error an agent makes about what a law is worth to it, on the scale of utility, 0–1. Default 0. */
  readonly misjudgement?: number;
}

/**
 * The embedded default mind: utility-based, seeded, instant, no network. utility(law) = Σ weight · quality, as a share of Σ |weight|: the
 * persona's weight, times the mood of the city, times the agent's own leaning, both drawn from the seed; "no law" is worth the persona's
 * reserve. It sees each law's utility with its own error, always the same for the same law. It drafts the best of all simple structures,
 * speaks on the ground that speaks most for a law, ranks by utility and what it was told (`#sway`), and bids its turn (`offers.ts`).
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

  draft(request: DraftRequest): Promise<LawShape> {
    const value = this.#valuation(request);
    const options = optionsOf(request.goal, request.facts);
    if (options.length === 0) throw new GoalNotFeasible("there is nothing to divide", "name at least one task");
    const [first, ...others] = options.filter((shape) => !isBarred(shape, request.barred)).map((shape) => ({ shape, value: value(shape) }));
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
    const value = this.#valuation(request);
    const sway = this.#sway(request);
    const valued = request.candidates.map(({ number, shape }) => ({ number, value: value(shape) + sway(number) }));
    // Equal values: an order of the agent's own, not that of the list.
    const order = randomStream(this.#seed, request.self, "ties").shuffle(valued);
    return Promise.resolve(order.toSorted((a, b) => b.value - a.value).map(({ number }) => number));
  }

  bid(request: BidRequest): Promise<readonly Offer[]> {
    const stream = randomStream(this.#seed, request.self, "prices");
    return Promise.resolve(offersOf(request, this.#taste(request.self).rebate, stream));
  }

  /** What laws seem worth to the agent; null is "no law". */
  #valuation(request: DraftRequest): (shape: LawShape | null) => number {
    const utility = this.#utility(request);
    if (this.#misjudgement === 0) return utility;
    return (shape) => {
      const law = shape === null ? "no law" : nameOf(shape);
      const error = gaussian(randomStream(this.#seed, request.self, "misjudgement", law));
      return utility(shape) + this.#misjudgement * error;
    };
  }

  /** What laws are worth to the agent, 0–1. A quality counts from the worst simple structure to the best. */
  #utility({ self, goal, facts }: DraftRequest): (shape: LawShape | null) => number {
    const taste = this.#taste(self);
    const total = grounds.reduce((sum, quality) => sum + Math.abs(taste[quality]), 0);
    const chances = slotChances(goal, facts, self);
    const known = optionsOf(goal, facts).map((shape) => qualitiesOf(goal, facts, chances, shape));
    const ranges = grounds.map((quality) => {
      const values = known.map((qualities) => qualities[quality]);
      const worst = Math.min(...values);
      return { quality, worst, span: Math.max(...values) - worst, weight: taste[quality] / total };
    });
    return (shape) => {
      if (shape === null) return taste.reserve;
      const qualities = qualitiesOf(goal, facts, chances, shape);
      return ranges.reduce((sum, { quality, worst, span, weight }) => {
        const share = span === 0 ? 1 : (qualities[quality] - worst) / span;
        return sum + (weight < 0 ? -weight * (1 - share) : weight * share);
      }, 0);
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

/** The candidate's own facts, and beside them the agent's for its income, else the city's. */
function citationsFor(ground: Ground, self: Address, candidate: number | undefined, debate: DebateView | undefined): string[] {
  const beside = ground === "income" ? "producer" : "city";
  return (debate?.evidence ?? [])
    .filter(({ kind, agent, candidate: about }) =>
      kind === "candidate" ? about === candidate : kind === beside && (agent ?? self) === self,
    )
    .map(({ id }) => id);
}
