import type { Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";

/**
 * What an agent cares about. Weights of the qualities of `qualities.ts`; they need not add up to anything. A negative weight values the
 * opposite: the less of the quality, the better.
 */
export interface Taste {
  /** Short way from input to output. */
  readonly speed: number;
  /** Few executions, few verdicts. */
  readonly thrift: number;
  /** Much evidence, little lost when one node fails. */
  readonly assurance: number;
  /** Work and pay spread over the whole city. */
  readonly evenness: number;
  /** What the agent itself can expect to earn. */
  readonly income: number;
  /** What a law must be worth to be better than none. */
  readonly reserve: number;
  /** Part of a slot's budget that a bid gives away. */
  readonly rebate: number;
}

/**
 * Characters an agent can have (AgentCity 3.4 asks for agents of different interests, 4 for some that are adversarial). The adversarial one
 * wants to be paid where little is checked and few share.
 */
export const PERSONAS = {
  cooperative: { speed: 0.25, thrift: 0.45, assurance: 0.3, evenness: 0.35, income: 0.1, reserve: 0.1, rebate: 0.12 },
  "self-interested": { speed: 0.1, thrift: 0.3, assurance: 0.1, evenness: 0.05, income: 0.9, reserve: 0.2, rebate: 0.03 },
  cautious: { speed: 0.1, thrift: 0.1, assurance: 0.9, evenness: 0.2, income: 0.15, reserve: 0.15, rebate: 0.06 },
  frugal: { speed: 0.25, thrift: 0.8, assurance: 0.15, evenness: 0.1, income: 0.15, reserve: 0.1, rebate: 0.18 },
  adversarial: { speed: 0.1, thrift: 0.1, assurance: -0.7, evenness: -0.4, income: 0.8, reserve: 0.05, rebate: 0.02 },
} as const satisfies Record<string, Taste>;

export type Persona = keyof typeof PERSONAS;
/** Those of a small city, in turn. */
export const personaNames = ["cooperative", "self-interested", "cautious", "frugal"] as const satisfies readonly Persona[];

/** Who lives in an assembly of many, in parts of a hundred (AgentCity 4, scale and parameters). */
export const POPULATION: readonly (readonly [Persona, number])[] = [
  ["cooperative", 60],
  ["self-interested", 25],
  ["adversarial", 15],
];

/** How far agents of an assembly err about what a law is worth to them; `HeuristicMindOptions.misjudgement`. */
export const MISJUDGEMENT = 0.1;

/** A persona for each of so many agents: the population's shares, in an order drawn from the seed. */
export function populationOf(agents: number, seed: Seed): readonly Persona[] {
  const whole = POPULATION.reduce((sum, [, share]) => sum + share, 0);
  let below = 0;
  const ordered = POPULATION.flatMap(([persona, share]) => {
    const from = Math.round((below * agents) / whole);
    below += share;
    return Array.from({ length: Math.round((below * agents) / whole) - from }, () => persona);
  });
  return randomStream(seed, "population").shuffle(ordered);
}
