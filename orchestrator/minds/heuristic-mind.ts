import { keccak256 } from "../primitives/hash.ts";
import type { Address } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import type { RandomStream, Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";
import { GoalNotFeasible } from "./errors.ts";
import type { BidRequest, DraftRequest, Mind, Offer, Ranking, RankRequest, SpeakRequest, Speech } from "./mind.ts";
import { offersOf } from "./offers.ts";
import { optionsOf } from "./options.ts";
import type { Persona, Taste } from "./personas.ts";
import { PERSONAS } from "./personas.ts";
import type { Qualities } from "./qualities.ts";
import { qualitiesOf, slotChances } from "./qualities.ts";
import type { LawShape } from "./shape.ts";

type Quality = keyof Qualities;
const QUALITIES: readonly Quality[] = ["speed", "thrift", "assurance", "evenness", "income"];

const WORDS: Record<Quality, string> = {
  speed: "it is quick",
  thrift: "it spends little on overhead",
  assurance: "little is lost when one node fails, and the evidence is strong",
  evenness: "work and pay reach everybody",
  income: "it pays for what I do well",
};

/** What everybody finds important changes from seed to seed by up to this factor, either way; what an agent does, by the other. */
const MOOD_SPAN = 4;
const OWN_SPAN = 3;

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
 * ranks by utility, and bids its turn (`offers.ts`).
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
    const [first, ...others] = optionsOf(request.goal, request.facts).map((shape) => ({ shape, value: value(shape) }));
    if (first === undefined) throw new GoalNotFeasible("there is nothing to divide", "name at least one task");
    return Promise.resolve(others.reduce((best, option) => (option.value > best.value ? option : best), first).shape);
  }

  speak(request: SpeakRequest): Promise<Speech> {
    const taste = this.#taste(request.self);
    const chances = slotChances(request.goal, request.facts, request.self);
    const qualities = qualitiesOf(request.goal, request.facts, chances, request.about);
    const [best = "evenness"] = QUALITIES.toSorted((a, b) => taste[b] * qualities[b] - taste[a] * qualities[a]);
    return Promise.resolve({ text: `I support "${request.about.title}": ${WORDS[best]}.` });
  }

  rank(request: RankRequest): Promise<Ranking> {
    const value = this.#valuation(request);
    const valued = request.candidates.map(({ number, shape }) => ({ number, value: value(shape) }));
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
      const law = shape === null ? "no law" : keccak256(canonicalBytes(shape.tasks));
      const error = gaussian(randomStream(this.#seed, request.self, "misjudgement", law));
      return utility(shape) + this.#misjudgement * error;
    };
  }

  /** What laws are worth to the agent, 0–1. A quality counts from the worst simple structure to the best. */
  #utility({ self, goal, facts }: DraftRequest): (shape: LawShape | null) => number {
    const taste = this.#taste(self);
    const total = QUALITIES.reduce((sum, quality) => sum + Math.abs(taste[quality]), 0);
    const chances = slotChances(goal, facts, self);
    const known = optionsOf(goal, facts).map((shape) => qualitiesOf(goal, facts, chances, shape));
    const ranges = QUALITIES.map((quality) => {
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

  #taste(self: Address): Taste {
    const mood = randomStream(this.#seed, "mood");
    const own = randomStream(this.#seed, self, "taste");
    const taste: Record<Quality, number> = { ...PERSONAS[this.persona] };
    for (const quality of QUALITIES) taste[quality] *= MOOD_SPAN ** (2 * mood.next() - 1) * OWN_SPAN ** (2 * own.next() - 1);
    return { ...PERSONAS[this.persona], ...taste };
  }
}

/** One draw of the standard normal distribution (Box and Muller 1958). */
function gaussian(stream: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());
}
