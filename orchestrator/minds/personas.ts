/** What an agent cares about. Weights of the qualities of `qualities.ts`; they need not add up to anything. */
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

/** Four characters an agent can have (AgentCity 3.4 asks for agents of different interests). */
export const PERSONAS = {
  cooperative: { speed: 0.25, thrift: 0.45, assurance: 0.3, evenness: 0.35, income: 0.1, reserve: 0.1, rebate: 0.12 },
  "self-interested": { speed: 0.1, thrift: 0.3, assurance: 0.1, evenness: 0.05, income: 0.9, reserve: 0.2, rebate: 0.03 },
  cautious: { speed: 0.1, thrift: 0.1, assurance: 0.9, evenness: 0.2, income: 0.15, reserve: 0.15, rebate: 0.06 },
  frugal: { speed: 0.25, thrift: 0.8, assurance: 0.15, evenness: 0.1, income: 0.15, reserve: 0.1, rebate: 0.18 },
} as const satisfies Record<string, Taste>;

export type Persona = keyof typeof PERSONAS;
export const personaNames = ["cooperative", "self-interested", "cautious", "frugal"] as const satisfies readonly Persona[];
