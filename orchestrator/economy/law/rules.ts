/** The rules that a session decides, and agents' preferences for them (docs/economy.md). */
import type { RandomStream } from "../../primitives/random.ts";
import type { Agent } from "../agents.ts";
import { idealNorms, type Situation } from "../behaviour.ts";
import { normal } from "../draws.ts";

/** Contents of a law besides the milestone's tasks. */
export interface Rules {
  /** Allowed harvest in quotas. */
  readonly limit: number;
  /** Verifiers per task. */
  readonly panel: number;
  /** Share of a task's requirement that a bidder must claim. */
  readonly demand: number;
  /** 1 if an adjudicator reads the milestone's output. */
  readonly read: number;
}
export type RuleName = keyof Rules;

export const RULE_NAMES = ["limit", "panel", "demand", "read"] as const satisfies readonly RuleName[];
/** Rules in force without a law. */
export const COLD_START: Rules = { limit: 1, panel: 1, demand: 0, read: 0 };
export const CHOICES: Readonly<Record<RuleName, readonly number[]>> = {
  limit: [0.75, 1, 1.25],
  panel: [1, 2, 3, 4],
  demand: [0, 0.5, 1],
  read: [0, 1],
};

const NOTICEABLE = 0.05;
const ALARMING = 0.2;

export function idealRules(agent: Agent, situation: Situation): Rules {
  const { harvest, reviewers } = idealNorms(agent, situation);
  if (agent.decision !== undefined) return { ...COLD_START, limit: harvest, panel: 1 + reviewers };
  if (!agent.character.reciprocates) return { limit: harvest, panel: 1, demand: 0, read: 0 };
  const { failed } = situation;
  return {
    limit: harvest,
    panel: 1 + reviewers,
    demand: failed >= ALARMING ? 1 : failed >= NOTICEABLE ? 0.5 : 0,
    read: failed >= ALARMING ? 1 : 0,
  };
}

/** Utility of rules: 1 for the ideal, 0 for the maximum distance in every rule. */
export function worthOf(rules: Rules, ideal: Rules): number {
  const far = RULE_NAMES.reduce((sum, name) => {
    const choices = CHOICES[name];
    return sum + Math.abs(rules[name] - ideal[name]) / (Math.max(...choices) - Math.min(...choices));
  }, 0);
  return 1 - far / RULE_NAMES.length;
}

/** An agent's ideal with one randomly chosen rule at another of its values. */
export function draftOf(ideal: Rules, open: readonly RuleName[], lot: RandomStream): Rules {
  const name = lot.pick(open);
  return { ...ideal, [name]: lot.pick(CHOICES[name].filter((value) => value !== ideal[name])) };
}

/** Standard deviation of an agent's error about a law's utility before the debate, which halves it. */
const ERROR = 0.1;

/** Ballot entries, best first; entry 0 is "no law", which no voter prefers. `errors` are those before the debate. */
export function rankingOf(laws: readonly Rules[], ideal: Rules, errors: readonly number[], keeps: number): number[] {
  const worth = laws.map((rules, place) => worthOf(rules, ideal) + keeps * (errors[place] ?? 0));
  const order = laws.map((_, place) => place + 1);
  return [...order.sort((one, other) => (worth[other - 1] ?? 0) - (worth[one - 1] ?? 0) || one - other), 0];
}

export const errorsOf = (count: number, lot: RandomStream): number[] => Array.from({ length: count }, () => ERROR * normal(lot));

export const changedIn = (rules: Rules): RuleName[] => RULE_NAMES.filter((name) => rules[name] !== COLD_START[name]);
