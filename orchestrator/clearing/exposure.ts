import { BASIS_POINTS } from "../primitives/amounts.ts";
import { InvalidValue } from "../primitives/errors.ts";
import type { ClassName } from "./admissibility.ts";
import type { Passport } from "./passport.ts";
import type { Role } from "./registry.ts";

/** What the score is made of, each in [0, 1] (RAILS 7.1). */
export const EXPOSURE_INPUTS = [
  "authority_risk",
  "value_at_risk",
  "intent_ambiguity",
  "irreversibility",
  "agent_history",
  "domain_sensitivity",
] as const;
export type ExposureInput = (typeof EXPOSURE_INPUTS)[number];
export type Exposure = Readonly<Record<ExposureInput, number>>;

/** LOW … CRITICAL, rising. */
export const BANDS = ["LOW", "MODERATE", "ELEVATED", "CRITICAL"] as const;
export type Band = (typeof BANDS)[number];

/** What a band chooses, all three levers at once (RAILS 7.2). */
export interface Intensity {
  readonly verifiers: readonly Role[];
  /** Verifiers that must survive. */
  readonly quorum: number;
  readonly settlement: "instant" | "appeal_window" | "escrow_delay" | "deferred_finality";
  readonly appealWindowHours: number;
  /** Share of the principal, basis points. */
  readonly margin: number;
}

/** D: what a deployment calibrates. Weights are ≥ 0, not all zero; thresholds rise. */
export interface ExposureConfig {
  readonly weights: Readonly<Record<ExposureInput, number>>;
  readonly thresholds: readonly [moderate: number, elevated: number, critical: number];
  readonly bands: Readonly<Record<Band, Intensity>>;
}

const EVERY_OUTPUT = ["triage"] as const;

export const DEFAULT_EXPOSURE: ExposureConfig = {
  weights: { authority_risk: 2, value_at_risk: 3, intent_ambiguity: 1, irreversibility: 2, agent_history: 1, domain_sensitivity: 1 },
  thresholds: [0.25, 0.5, 0.75],
  bands: {
    LOW: { verifiers: [...EVERY_OUTPUT, "constraint"], quorum: 1, settlement: "instant", appealWindowHours: 0, margin: 0 },
    MODERATE: {
      verifiers: [...EVERY_OUTPUT, "constraint", "receipt", "semantic"],
      quorum: 2,
      settlement: "appeal_window",
      appealWindowHours: 24,
      margin: 3334,
    },
    ELEVATED: {
      verifiers: [...EVERY_OUTPUT, "constraint", "receipt", "semantic", "policy", "attestation"],
      quorum: 3,
      settlement: "escrow_delay",
      appealWindowHours: 72,
      margin: 6000,
    },
    CRITICAL: {
      verifiers: [...EVERY_OUTPUT, "constraint", "receipt", "semantic", "policy", "attestation", "human"],
      quorum: 4,
      settlement: "deferred_finality",
      appealWindowHours: 168,
      margin: 10_000,
    },
  },
};

/** X(O): the normalized weighted sum, in [0, 1] and monotone in each input. */
export function exposureScore(exposure: Exposure, { weights }: Pick<ExposureConfig, "weights"> = DEFAULT_EXPOSURE): number {
  let [sum, total] = [0, 0];
  for (const input of EXPOSURE_INPUTS) {
    const [value, weight] = [exposure[input], weights[input]];
    if (!(value >= 0 && value <= 1)) throw new InvalidValue("exposure", `${input} must be in [0, 1]`, { details: String(value) });
    if (!(weight >= 0)) throw new InvalidValue("exposure", `the weight of ${input} must not be negative`, { details: String(weight) });
    sum += weight * value;
    total += weight;
  }
  if (total === 0) throw new InvalidValue("exposure", "all weights are zero");
  return sum / total;
}

/** K = g(X, D): a step function, so that a small change of exposure changes nothing or the whole regime. */
export function intensityFor(score: number, config: ExposureConfig = DEFAULT_EXPOSURE): Intensity & { readonly band: Band } {
  const [moderate, elevated, critical] = config.thresholds;
  const band = score >= critical ? "CRITICAL" : score >= elevated ? "ELEVATED" : score >= moderate ? "MODERATE" : "LOW";
  return { band, ...config.bands[band] };
}

/** A poor triage score lifts an obligation by one band. */
export function escalate(band: Band, triageScore: number, escalateBelow = 6000): Band {
  return triageScore < escalateBelow ? (BANDS[BANDS.indexOf(band) + 1] ?? band) : band;
}

/** What the responsible party posts, rounded up: a margin is never a unit short. */
export function marginFor(principal: number, { margin }: Pick<Intensity, "margin">): number {
  return Math.ceil((principal * margin) / BASIS_POINTS);
}

/** Money on a logarithmic scale up to a ceiling. */
export function valueAtRisk(amount: number, ceiling: number): number {
  return Math.min(1, Math.log1p(Math.max(0, amount)) / Math.log1p(ceiling));
}

/** What a passport says about the next action: failures, violations and forgeries over everything it did; 0.5 for a stranger. */
export function historyRisk({ fields }: Pick<Passport, "fields">): number {
  const count = (field: string) => Math.max(0, fields[field] ?? 0);
  const bad = count("failed_obligations") + count("policy_violations") + 2 * count("forge_up_attempts");
  return (bad + 1) / (bad + count("cleared_obligations") + 2);
}

/** The floor of an obligation by its value: the first step that the value lies below. */
export function floorByValue(
  value: number,
  steps: readonly (readonly [below: number, floor: ClassName])[],
  otherwise: ClassName,
): ClassName {
  return steps.find(([below]) => value < below)?.[1] ?? otherwise;
}
