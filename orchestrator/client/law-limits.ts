import { type ParameterName, parameterIndex } from "../protocol/parameters.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { Band } from "../rules/law-codec.ts";
import type { CityClient } from "./client.ts";

export type RiskName = "LOW" | "MEDIUM" | "HIGH";
export type FloorName = "SELF" | "SIGN" | "WIT" | "REC" | "ATT" | "PROOF";
export type BandName = "LOW" | "MODERATE" | "ELEVATED" | "CRITICAL";

/** What the constitution demands of a node; lists are by risk. Times in seconds. */
export interface LawLimits {
  readonly maxNodeTimeout: number;
  readonly minReview: number;
  readonly maxReview: number;
  readonly maxDuration: number;
  readonly minFloor: readonly [FloorName, FloorName, FloorName];
  readonly minPanel: readonly [number, number, number];
  readonly minBand: readonly [BandName, BandName, BandName];
  /** Smallest unit. */
  readonly mediumRiskFrom: bigint;
  readonly highRiskFrom: bigint;
}

/** The risk a budget carries by itself (decision 8). */
export function riskOfBudget(budget: bigint, limits: Pick<LawLimits, "mediumRiskFrom" | "highRiskFrom">): RiskName {
  return budget >= limits.highRiskFrom ? "HIGH" : budget >= limits.mediumRiskFrom ? "MEDIUM" : "LOW";
}

/** What the constitution demands of a law now. */
export async function readLimits(client: CityClient): Promise<LawLimits> {
  const param = (name: ParameterName) => client.constitution.param(parameterIndex(name));
  const units = (name: ParameterName) => client.constitution.paramInUnits(parameterIndex(name));
  const floor = async (name: "MIN_FLOOR_LOW" | "MIN_FLOOR_MEDIUM" | "MIN_FLOOR_HIGH") =>
    nameOf<FloorName>(EvidenceClass, await param(name));
  const band = async (name: "MIN_BAND_LOW" | "MIN_BAND_MEDIUM" | "MIN_BAND_HIGH") => nameOf<BandName>(Band, await param(name));
  return {
    maxNodeTimeout: Number(await param("MAX_NODE_TIMEOUT")),
    minReview: Number(await param("MIN_HUMAN_REVIEW_TIMEOUT")),
    maxReview: Number(await param("MAX_HUMAN_REVIEW_TIMEOUT")),
    maxDuration: Number(await param("MAX_MISSION_DURATION")),
    minFloor: [await floor("MIN_FLOOR_LOW"), await floor("MIN_FLOOR_MEDIUM"), await floor("MIN_FLOOR_HIGH")],
    minPanel: [Number(await param("MIN_PANEL_LOW")), Number(await param("MIN_PANEL_MEDIUM")), Number(await param("MIN_PANEL_HIGH"))],
    minBand: [await band("MIN_BAND_LOW"), await band("MIN_BAND_MEDIUM"), await band("MIN_BAND_HIGH")],
    mediumRiskFrom: await units("MEDIUM_RISK_FROM"),
    highRiskFrom: await units("HIGH_RISK_FROM"),
  };
}

/** The name behind a code. */
function nameOf<Name extends string>(codes: Readonly<Record<Name, number>>, code: bigint): Name {
  for (const name in codes) if (BigInt(codes[name]) === code) return name;
  throw new RangeError(`no such code: ${code}`);
}
