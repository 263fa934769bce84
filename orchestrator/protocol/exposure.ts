import { InvalidValue } from "../primitives/errors.ts";

/** Components of an obligation's exposure score, each in [0, 1] (RAILS 7.1). */
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
/** Non-negative weights of the components, not all zero. */
export type ExposureWeights = Readonly<Record<ExposureInput, number>>;

/** LOW … CRITICAL, rising. */
export const EXPOSURE_BANDS = ["LOW", "MODERATE", "ELEVATED", "CRITICAL"] as const;
export type ExposureBand = (typeof EXPOSURE_BANDS)[number];

export const EXPOSURE_WEIGHTS: ExposureWeights = {
  ...{ authority_risk: 2, value_at_risk: 3, intent_ambiguity: 1 },
  ...{ irreversibility: 2, agent_history: 1, domain_sensitivity: 1 },
};
/** Scores at which the upper three bands begin; ascending. */
export type ExposureThresholds = readonly [moderate: number, elevated: number, critical: number];
export const EXPOSURE_THRESHOLDS: ExposureThresholds = [0.25, 0.5, 0.75];

/** X(O): the normalized weighted sum, in [0, 1] and monotone in each input. Throws InvalidValue. */
export function exposureScore(
  exposure: Exposure,
  { weights }: { readonly weights: ExposureWeights } = { weights: EXPOSURE_WEIGHTS },
): number {
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

export function exposureBand(score: number, [moderate, elevated, critical] = EXPOSURE_THRESHOLDS): ExposureBand {
  return score >= critical ? "CRITICAL" : score >= elevated ? "ELEVATED" : score >= moderate ? "MODERATE" : "LOW";
}

/** Money on a logarithmic scale up to a ceiling. */
export function valueAtRisk(amount: number, ceiling: number): number {
  return Math.min(1, Math.log1p(Math.max(0, amount)) / Math.log1p(ceiling));
}
