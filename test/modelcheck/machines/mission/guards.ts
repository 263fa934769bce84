import { targets } from "../../../../orchestrator/rules/arcs.ts";
import { missionTransitions } from "../../../../orchestrator/rules/transitions/mission.ts";
import { type NodeStateName, nodeTransitions } from "../../../../orchestrator/rules/transitions/node.ts";
import type { Law, MissionStateName } from "./state.ts";

/** Guards of the contracts that stand in no exported table, by name: each can be dropped, and the checker must then find why it is there. */
export const GUARDS = [
  "a stopped mission routes nothing",
  "a waiting node that is reopened goes on waiting",
  "too few commitments end the attempt",
  "a claim waits for the window",
  "a claim waits for open appeals",
  "bonds go back with the claim",
  "waiting slashes keep the books open",
  "what is owed keeps the books open",
  "what a human approved is recorded at once",
  "a settled slash is not appealed",
  "a successor ends no appeal",
  "a node with a market of its own is passed over",
  "who was dropped is not brought back",
  "an amendment is an attempt",
  "the backup pool is asked once",
  "what was committed is decided before the end",
] as const;
export type GuardName = (typeof GUARDS)[number];

/** Guards that the contracts do not have yet: the machine has them, a walk over a real mission does not. Empty is what it should be. */
export const MISSING: readonly GuardName[] = [];

/** The contracts' rules, less the guards that were dropped. */
export interface Rules {
  readonly law: Law;
  readonly without: ReadonlySet<GuardName>;
  readonly tables: { readonly mission: bigint; readonly node: bigint };
}

/** A call that the contract refuses. */
export class Refused extends Error {}

export const TABLES = { mission: missionTransitions.table, node: nodeTransitions.table };

export function need(condition: boolean): void {
  if (!condition) throw REFUSED;
}
/** Thrown often: made once. */
const REFUSED = new Refused("refused");

export function guard(rules: Rules, name: GuardName, condition: boolean): void {
  if (!condition && !rules.without.has(name)) throw REFUSED;
}

function arc(table: bigint, names: readonly string[], from: string, to: string): void {
  need(((targets(table, names.indexOf(from)) >> BigInt(names.indexOf(to))) & 1n) === 1n);
}

export function missionArc(rules: Rules, from: MissionStateName, to: MissionStateName): MissionStateName {
  arc(rules.tables.mission, missionTransitions.states, from, to);
  return to;
}
export function nodeArc(rules: Rules, from: NodeStateName, to: NodeStateName): NodeStateName {
  arc(rules.tables.node, nodeTransitions.states, from, to);
  return to;
}

export const isFinal = (at: MissionStateName): boolean => missionTransitions.arcs[at].length === 0;
