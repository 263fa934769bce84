import type { Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";

/** An agent's preferences: weights of the qualities of `qualities.ts`, not normalised. A negative weight prefers less of the quality. */
export interface Taste {
  /** Short path from input to output. */
  readonly speed: number;
  /** Few executions, few verdicts. */
  readonly thrift: number;
  /** Strong evidence, small loss when a node fails. */
  readonly assurance: number;
  /** Work and pay spread over the whole city. */
  readonly evenness: number;
  /** The agent's own expected income. */
  readonly income: number;
  /** Utility of "no law". */
  readonly reserve: number;
  /** Part of a slot's budget that a bid forgoes. */
  readonly rebate: number;
}

/**
 * Personas (AgentCity 3.4 requires agents of different interests, 4 some adversarial ones). The adversarial one prefers high pay, little
 * checking and few sharers.
 */
export const PERSONAS = {
  cooperative: { speed: 0.25, thrift: 0.45, assurance: 0.3, evenness: 0.35, income: 0.1, reserve: 0.1, rebate: 0.12 },
  "self-interested": { speed: 0.1, thrift: 0.3, assurance: 0.1, evenness: 0.05, income: 0.9, reserve: 0.2, rebate: 0.03 },
  cautious: { speed: 0.1, thrift: 0.1, assurance: 0.9, evenness: 0.2, income: 0.15, reserve: 0.15, rebate: 0.06 },
  frugal: { speed: 0.25, thrift: 0.8, assurance: 0.15, evenness: 0.1, income: 0.15, reserve: 0.1, rebate: 0.18 },
  adversarial: { speed: 0.1, thrift: 0.1, assurance: -0.7, evenness: -0.4, income: 0.8, reserve: 0.05, rebate: 0.02 },
} as const satisfies Record<string, Taste>;

export type Persona = keyof typeof PERSONAS;
/** Personas of a small city, in turn. */
export const personaNames = ["cooperative", "self-interested", "cautious", "frugal"] as const satisfies readonly Persona[];

/** Shares of personas in a large assembly, per hundred (AgentCity 4, scale and parameters). */
export const POPULATION: readonly (readonly [Persona, number])[] = [
  ["cooperative", 60],
  ["self-interested", 25],
  ["adversarial", 15],
];

/** Error of assembly agents about a law's utility; see `HeuristicMindOptions.misjudgement`. */
export const MISJUDGEMENT = 0.1;

/** A persona for each agent: the population's shares, in an order drawn from the seed. */
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
