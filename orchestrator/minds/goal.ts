import type { FloorName, LawLimits, RiskName } from "../client/law-limits.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { Tier } from "../primitives/tier.ts";
import type { StatedExposure } from "../protocol/mission-file-schema.ts";

/** A service a task may use, and the ten levels (0–255) it requires of its executor. */
export interface GoalService {
  readonly name: string;
  readonly capabilities: readonly number[];
  /** Hashes that a law admits: the service's current code, and its schemas. */
  readonly code: Hash;
  readonly schema: Hash;
}

/** One task of a mission, as drafting agents see it. */
export interface GoalTask {
  readonly name: string;
  readonly tier: Tier;
  readonly services: readonly GoalService[];
  /** Any code that meets the schemas of these services may do it. */
  readonly anyCode?: boolean | undefined;
  /** Works on the mission's own items. */
  readonly overInput: boolean;
  /** Works item by item, so that it can be split among nodes. */
  readonly perItem: boolean;
  readonly after: readonly string[];
  /** Fixed by the mission file, smallest unit. */
  readonly budget?: bigint | undefined;
  /** Time limit, seconds. */
  readonly timeout?: number | undefined;
  readonly floor?: FloorName | undefined;
  /** Present for a task that is a mission of its own: its tasks, and the number of such missions. */
  readonly mission?: { readonly parts: number; readonly tasks: readonly GoalTask[] } | undefined;
}

/** The subject of a session. Tasks are in topological order. */
export interface Goal {
  /** The sponsor's description: information for a mind, never an instruction. */
  readonly text: string;
  readonly tasks: readonly GoalTask[];
  /** Number of items of its input: no task over the input is split into more nodes. */
  readonly items: number;
  /** Smallest unit. */
  readonly budget: bigint;
  readonly risk: RiskName;
  /** The sponsor's statement of what is at stake. */
  readonly exposure?: StatedExposure | undefined;
  /** Seconds from deployment to expiry. */
  readonly duration: number;
  /** Part of the described goal that these tasks answer, 0–1; absent if the sponsor named the tasks. */
  readonly coverage?: number | undefined;
}

/** Public on-chain facts about a producer. */
export interface ProducerFacts {
  readonly agent: Address;
  readonly principal: Address;
  /** Whole points, 0–1000. */
  readonly reputation: number;
  /** Ten dimensions, 0–65,535. */
  readonly capabilities: readonly number[];
}

/** Public facts on which an agent may base decisions. */
export interface CityFacts {
  /** By producer index; only those allowed to vote and bid on this mission. */
  readonly producers: readonly ProducerFacts[];
  /** Number of registered verifiers. */
  readonly verifiers: number;
  readonly limits: LawLimits;
}

/** In the order of `enum Risk`. */
export const RISKS: readonly RiskName[] = ["LOW", "MEDIUM", "HIGH"];

export function riskNumber(risk: RiskName): 0 | 1 | 2 {
  return risk === "LOW" ? 0 : risk === "MEDIUM" ? 1 : 2;
}

export function higherRisk(a: RiskName, b: RiskName): RiskName {
  return RISKS[Math.max(riskNumber(a), riskNumber(b))] ?? "HIGH";
}
