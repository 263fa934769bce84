import { BASIS_POINTS } from "../primitives/amounts.ts";
import {
  EXPOSURE_BANDS,
  EXPOSURE_THRESHOLDS,
  EXPOSURE_WEIGHTS,
  type ExposureBand,
  type ExposureThresholds,
  type ExposureWeights,
  exposureBand,
} from "../protocol/exposure.ts";
import type { ClassName } from "./admissibility.ts";
import { majorityOf, type ObligationTerms } from "./obligation.ts";
import { UPHELD_DISPUTES } from "./override.ts";
import type { Passport } from "./passport.ts";
import type { Role } from "./registry.ts";

export {
  EXPOSURE_BANDS as BANDS,
  EXPOSURE_INPUTS,
  type Exposure,
  type ExposureBand as Band,
  type ExposureInput,
  exposureScore,
  valueAtRisk,
} from "../protocol/exposure.ts";

/** The three settings of a band (RAILS 7.2). */
export interface Intensity {
  readonly verifiers: readonly Role[];
  /** Number of verdicts that must survive. */
  readonly quorum: number;
  /** Timing of the settlement: what is provisional until then can be reversed. */
  readonly appealWindowHours: number;
  /** Share of the principal, basis points. */
  readonly margin: number;
}

/** D: a deployment's calibration. Weights are ≥ 0, not all zero; thresholds rise. */
export interface ExposureConfig {
  readonly weights: ExposureWeights;
  readonly thresholds: ExposureThresholds;
  readonly bands: Readonly<Record<ExposureBand, Intensity>>;
}

const EVERY_OUTPUT = ["triage"] as const;

export const DEFAULT_EXPOSURE: ExposureConfig = {
  weights: EXPOSURE_WEIGHTS,
  thresholds: EXPOSURE_THRESHOLDS,
  bands: {
    LOW: { verifiers: [...EVERY_OUTPUT, "constraint"], quorum: 1, appealWindowHours: 0, margin: 0 },
    MODERATE: {
      verifiers: [...EVERY_OUTPUT, "constraint", "receipt", "semantic"],
      quorum: 2,
      appealWindowHours: 24,
      margin: 3334,
    },
    ELEVATED: {
      verifiers: [...EVERY_OUTPUT, "constraint", "receipt", "semantic", "policy", "attestation"],
      quorum: 3,
      appealWindowHours: 72,
      margin: 6000,
    },
    CRITICAL: {
      verifiers: [...EVERY_OUTPUT, "constraint", "receipt", "semantic", "policy", "attestation", "human"],
      quorum: 4,
      appealWindowHours: 168,
      margin: 10_000,
    },
  },
};

/** K = g(X, D): a step function, so that a small change of exposure changes either nothing or the whole band. */
export function intensityFor(score: number, config: ExposureConfig = DEFAULT_EXPOSURE): Intensity & { readonly band: ExposureBand } {
  const band = exposureBand(score, config.thresholds);
  return { band, ...config.bands[band] };
}

/** Requirements of its band that an obligation does not meet (RAILS 7.2), in words. The roles of verifiers are left to `drawPanel`. */
export function belowBand(
  { verifier_policy: { count, quorum = majorityOf(count) }, deadlines, economic_terms: terms }: ExposedTerms,
  intensity: Intensity,
): readonly string[] {
  const [hours, margin] = [deadlines.appeal_window_hours, marginFor(terms.principal ?? terms.fee, intensity)];
  return [
    ...(quorum < intensity.quorum ? [`a quorum of ${quorum}, at least ${intensity.quorum}`] : []),
    ...(hours < intensity.appealWindowHours ? [`${hours} h for appeals, at least ${intensity.appealWindowHours}`] : []),
    ...(terms.collateral < margin ? [`a collateral of ${terms.collateral}, at least ${margin}`] : []),
  ];
}

/** Terms raised to the requirements of their band, never lowered. Seats are added if a rule draws them. */
export function raisedTo<Terms extends ExposedTerms>(terms: Terms, intensity: Intensity): Terms {
  const { verifier_policy: policy, deadlines, economic_terms: economic } = terms;
  const quorum = Math.max(policy.quorum ?? majorityOf(policy.count), intensity.quorum);
  return {
    ...terms,
    verifier_policy: { ...policy, quorum, count: policy.drawn_by === undefined ? policy.count : Math.max(policy.count, quorum) },
    deadlines: { ...deadlines, appeal_window_hours: Math.max(deadlines.appeal_window_hours, intensity.appealWindowHours) },
    economic_terms: { ...economic, collateral: Math.max(economic.collateral, marginFor(economic.principal ?? economic.fee, intensity)) },
  };
}

type ExposedTerms = Pick<ObligationTerms, "verifier_policy" | "deadlines" | "economic_terms">;

/** A poor triage score raises an obligation by one band. */
export function escalate(band: ExposureBand, triageScore: number, escalateBelow = 6000): ExposureBand {
  return triageScore < escalateBelow ? (EXPOSURE_BANDS[EXPOSURE_BANDS.indexOf(band) + 1] ?? band) : band;
}

/** The responsible party's margin, rounded up. */
export function marginFor(principal: number, { margin }: Pick<Intensity, "margin">): number {
  return Math.ceil((principal * margin) / BASIS_POINTS);
}

/**
 * Risk of the next action from a passport (RAILS 7.1): the share of failures, violations, upheld disputes, drift and forgeries, which count
 * twice, in all actions; 0.5 without a history. Work as a verifier can only raise it.
 */
export function historyRisk({ fields, record, flagged }: Pick<Passport, "fields" | "record" | "flagged">): number {
  const count = (field: string) => Math.max(0, fields[field] ?? 0);
  // Dissent is an opinion until there is so much of it that the verifier is flagged.
  const drift = record.mismatches + (flagged ? record.disagreed : 0);
  const disputed = count(UPHELD_DISPUTES);
  const bad = count("failed_obligations") + count("policy_violations") + disputed + drift + 2 * count("forge_up_attempts");
  return (bad + 1) / (bad + count("cleared_obligations") + 2);
}

/** The floor of an obligation by its value: the first step above it. */
export function floorByValue(
  value: number,
  steps: readonly (readonly [below: number, floor: ClassName])[],
  otherwise: ClassName,
): ClassName {
  return steps.find(([below]) => value < below)?.[1] ?? otherwise;
}
