import { zeroAddress } from "viem";
import { TOKEN_DECIMALS } from "../primitives/amounts.ts";
import { EXPOSURE_INPUTS, type Exposure, type ExposureBand, exposureBand, exposureScore, valueAtRisk } from "../protocol/exposure.ts";
import type { StatedExposure } from "../protocol/mission-file-schema.ts";
import { classAt, EvidenceClass, geq } from "../rules/admissibility.ts";
import { Band, lawNode } from "../rules/law-codec.ts";
import { unpackMissionParams } from "../rules/mission-params-codec.ts";
import type { CityClient } from "./client.ts";
import { parametersIn } from "./editions.ts";

export type RiskName = "LOW" | "MEDIUM" | "HIGH";
export type FloorName = "SELF" | "SIGN" | "WIT" | "REC" | "ATT" | "PROOF";
export type BandName = "LOW" | "MODERATE" | "ELEVATED" | "CRITICAL";

/** The constitution's requirements for a node; lists are by risk. Times in seconds. */
export interface LawLimits {
  /** Edition of the parameter table. */
  readonly edition: number;
  readonly maxNodeTimeout: number;
  readonly minReview: number;
  readonly maxReview: number;
  readonly maxDuration: number;
  readonly minFloor: readonly [FloorName, FloorName, FloorName];
  readonly minPanel: readonly [number, number, number];
  readonly minBand: readonly [BandName, BandName, BandName];
  /** Minimum number of compared executors of a node. */
  readonly minRedundancy: readonly [number, number, number];
  /** Required agreement of two executors' outputs unless the mission states one; hundredths. */
  readonly jaccardThreshold: number;
  /** Largest standard deviation of numbers that agree; percent of their mean. */
  readonly numericTolerance: number;
  /** Smallest unit. */
  readonly mediumRiskFrom: bigint;
  readonly highRiskFrom: bigint;
  /** Floor of the node that the mission is: no node below asks for weaker evidence (RAILS 9.2). Absent for a mission of its own. */
  readonly parentFloor?: FloorName | undefined;
}

/** Whether a node's floor is ⪰ that of the node that the mission is. */
export function keepsParentFloor(floor: number, { parentFloor = "SELF" }: Pick<LawLimits, "parentFloor">): boolean {
  return geq(classAt(BigInt(floor), 0), EvidenceClass[parentFloor]);
}

/** The risk of a budget by itself (decision 8). */
export function riskOfBudget(budget: bigint, limits: Pick<LawLimits, "mediumRiskFrom" | "highRiskFrom">): RiskName {
  return budget >= limits.highRiskFrom ? "HIGH" : budget >= limits.mediumRiskFrom ? "MEDIUM" : "LOW";
}

/** Bands of exposure as risks of a law. */
const RISK_OF_BAND: Readonly<Record<ExposureBand, RiskName>> = { LOW: "LOW", MODERATE: "LOW", ELEVATED: "MEDIUM", CRITICAL: "HIGH" };
/** Score of an unknown history: neutral. */
const UNKNOWN_HISTORY = 0.5;

/**
 * The risk required by exposure (RAILS 7.1, decision 8). What the sponsor states can only raise the risk of the amount of money, which
 * alone never reaches a higher one.
 */
export function riskOfExposure(budget: bigint, stated: StatedExposure, limits: Pick<LawLimits, "highRiskFrom">): RiskName {
  const tokens = (amount: bigint) => Number(amount) / 10 ** TOKEN_DECIMALS;
  const known: Partial<Exposure> = {
    value_at_risk: valueAtRisk(tokens(budget), tokens(limits.highRiskFrom)),
    agent_history: UNKNOWN_HISTORY,
  };
  const inputs = EXPOSURE_INPUTS.map((input) => [input, Math.max(known[input] ?? 0, stated[input] ?? 0)] as const);
  return RISK_OF_BAND[exposureBand(exposureScore(Object.fromEntries(inputs) as Exposure))];
}

/** The requirements for the law of a session: those in force when it opened, and if its mission is a node of another one, that node's floor. */
export async function limitsOf(client: CityClient, session: bigint): Promise<LawLimits> {
  const { params } = await client.legislation.sessionOf(session);
  const limits = await readLimits(client, unpackMissionParams(params).edition);
  const parentFloor = await parentFloorOf(client, session);
  return parentFloor === undefined ? limits : { ...limits, parentFloor };
}

/** Floor of the node that a session's mission is; undefined for a mission of its own. */
export async function parentFloorOf(client: CityClient, session: bigint): Promise<FloorName | undefined> {
  const [mission, node] = await client.legislation.parentOf(session);
  if (mission === zeroAddress) return undefined;
  return nameOf<FloorName>(EvidenceClass, BigInt(lawNode(await client.mission(mission).law(), node).floor));
}

/** The constitution's requirements for a law in an edition of its table: the one under which the law's session opened, or the newest. */
export async function readLimits(client: CityClient, edition: number): Promise<LawLimits> {
  const { param, units } = parametersIn(client, edition);
  const byRisk = async <Value>(kind: "MIN_FLOOR" | "MIN_PANEL" | "MIN_BAND" | "MIN_REDUNDANCY", read: (value: bigint) => Value) =>
    [read(await param(`${kind}_LOW`)), read(await param(`${kind}_MEDIUM`)), read(await param(`${kind}_HIGH`))] as const;
  return {
    edition,
    maxNodeTimeout: Number(await param("MAX_NODE_TIMEOUT")),
    minReview: Number(await param("MIN_HUMAN_REVIEW_TIMEOUT")),
    maxReview: Number(await param("MAX_HUMAN_REVIEW_TIMEOUT")),
    maxDuration: Number(await param("MAX_MISSION_DURATION")),
    minFloor: await byRisk("MIN_FLOOR", (value) => nameOf<FloorName>(EvidenceClass, value)),
    minPanel: await byRisk("MIN_PANEL", Number),
    minBand: await byRisk("MIN_BAND", (value) => nameOf<BandName>(Band, value)),
    minRedundancy: await byRisk("MIN_REDUNDANCY", Number),
    jaccardThreshold: Number(await param("JACCARD_THRESHOLD")),
    numericTolerance: Number(await param("NUMERIC_TOLERANCE")),
    mediumRiskFrom: await units("MEDIUM_RISK_FROM"),
    highRiskFrom: await units("HIGH_RISK_FROM"),
  };
}

/** The name of a code. */
function nameOf<Name extends string>(codes: Readonly<Record<Name, number>>, code: bigint): Name {
  for (const name in codes) if (BigInt(codes[name]) === code) return name;
  throw new RangeError(`unknown code ${code}`);
}
