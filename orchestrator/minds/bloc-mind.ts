import type { Address } from "../primitives/hex.ts";
import type { Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import type { PlanText } from "../protocol/mission-file-schema.ts";
import type { BidRequest, DraftRequest, Mind, Offer, PlanRequest, Ranking, RankRequest, SpeakRequest, Speech } from "./mind.ts";

/** How closely a bloc votes together (AgentCity 4, coalition power curve). */
export const BLOC_STRATEGIES = ["identical", "correlated-top-3", "single-pivot"] as const;
export type BlocStrategy = (typeof BLOC_STRATEGIES)[number];

const TOP = 3;

export interface BlocMindOptions {
  readonly strategy: BlocStrategy;
  /** The bloc's leader, and the leader's mind. */
  readonly leader: Address;
  readonly instructions: Mind;
  /** The member's own mind. */
  readonly own: Mind;
  readonly seed: Seed;
}

/**
 * A member of a voting bloc: it plans and drafts like its leader and ranks as directed. *Identical* repeats the leader's ranking,
 * *correlated-top-3* its first three with the rest in random order, *single-pivot* only its favourite with the rest by own judgement. It
 * speaks and bids for itself.
 */
export class BlocMind implements Mind {
  readonly #options: BlocMindOptions;

  constructor(options: BlocMindOptions) {
    this.#options = options;
  }

  plan(request: PlanRequest): Promise<PlanText> {
    const { instructions, leader } = this.#options;
    return instructions.plan({ ...request, self: leader });
  }

  draft(request: DraftRequest): Promise<LawShape> {
    const { instructions, leader } = this.#options;
    return instructions.draft({ ...request, self: leader });
  }

  speak(request: SpeakRequest): Promise<Speech> {
    return this.#options.own.speak(request);
  }

  async rank(request: RankRequest): Promise<Ranking> {
    const { strategy, instructions, leader, own, seed } = this.#options;
    const instructed = await instructions.rank({ ...request, self: leader });
    if (strategy === "identical") return instructed;
    const first = instructed.slice(0, strategy === "single-pivot" ? 1 : TOP);
    const others = strategy === "single-pivot" ? await own.rank(request) : randomStream(seed, request.self, "bloc").shuffle(instructed);
    return [...first, ...others.filter((number) => !first.includes(number))];
  }

  bid(request: BidRequest): Promise<readonly Offer[]> {
    return this.#options.own.bid(request);
  }
}
