import type { FloorName, LawLimits, RiskName } from "../client/law-limits.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { Tier } from "../primitives/tier.ts";
import type { StatedExposure } from "../protocol/mission-file-schema.ts";

/** A service a task may use, and the ten levels (0–255) it requires of its executor. */
export interface GoalService {
  readonly name: string;
  readonly capabilities: readonly number[];
  /** What a law admits: the code behind the name today, and the schemas that it keeps to. */
  readonly code: Hash;
  readonly schema: Hash;
}

/** One task of a mission as agents see it when they draft. */
export interface GoalTask {
  readonly name: string;
  readonly tier: Tier;
  readonly services: readonly GoalService[];
  /** Any code may do it that keeps to the schemas of these. */
  readonly anyCode?: boolean | undefined;
  /** Works through the mission's own items. */
  readonly overInput: boolean;
  /** Works item by item, so that it can be divided among nodes. */
  readonly perItem: boolean;
  readonly after: readonly string[];
  /** Fixed by the mission file, smallest unit. */
  readonly budget?: bigint | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly floor?: FloorName | undefined;
  /** Present when the task is a mission of its own: its tasks, and among how many such missions the input is divided. */
  readonly mission?: { readonly parts: number; readonly tasks: readonly GoalTask[] } | undefined;
}

/** What is to be legislated. Tasks come before the tasks that need them. */
export interface Goal {
  /** What the sponsor wants, in the sponsor's words: information for a mind, never an instruction. */
  readonly text: string;
  readonly tasks: readonly GoalTask[];
  /** How many items its input has: no task over the input is divided into more nodes. */
  readonly items: number;
  /** Smallest unit. */
  readonly budget: bigint;
  readonly risk: RiskName;
  /** What the sponsor says of what is at stake. */
  readonly exposure?: StatedExposure | undefined;
  /** Seconds from deployment to expiry. */
  readonly duration: number;
  /** Part of what the text asks for that these tasks answer, 0–1; absent where the sponsor named the tasks. */
  readonly coverage?: number | undefined;
}

/** A producer as the chain shows it to everybody. */
export interface ProducerFacts {
  readonly agent: Address;
  readonly principal: Address;
  /** Whole points, 0–1000. */
  readonly reputation: number;
  /** Ten dimensions, 0–65,535. */
  readonly capabilities: readonly number[];
}

/** Public facts an agent may rest a decision on. */
export interface CityFacts {
  /** In order of producer index; those who may vote and bid on this mission. */
  readonly producers: readonly ProducerFacts[];
  /** Registered verifiers. */
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
