import { AgreementRefused } from "./errors.ts";
import { unitsOf } from "./money.ts";
import type { Agreement, Dimension, Slo, Tier } from "./schema.ts";

/** What an evaluator measured, by dimension: a percentage, a truth, a count, seconds. A dimension it could not see is absent. */
export type Measured = Readonly<Record<string, number | boolean>>;

export interface DimensionResult {
  readonly name: string;
  /** Hundredths of a point, 0–10000; undefined for what nobody scored. */
  readonly score: number | undefined;
  readonly slo_met: boolean | undefined;
  readonly shadow_met: boolean | undefined;
}

/** PASS and FAIL say so of all that was agreed; `incomplete`: something with weight was never scored. */
export interface Determination {
  readonly result: "PASS" | "FAIL" | "incomplete";
  /** Hundredths of a point, rounded down. */
  readonly composite: number;
  readonly gates_passed: boolean;
  readonly dimensions: readonly DimensionResult[];
  /** Shadow metrics that missed: what a party optimised at another's cost. They warn, and fail nothing. */
  readonly flags: readonly string[];
  readonly release_percent: number;
}

const POINT = 100;
const WHOLE = 100 * POINT;

/**
 * Gates, then SLOs, then the composite: a gate that fails ends it at nothing, a missed SLO fails the determination however good the
 * average is, and the average must reach its threshold.
 */
export function determine(agreement: Agreement, measured: Measured): Determination {
  const { dimensions: asked, composite_threshold, composite_method, quality_gates = [] } = agreement.quality_criteria;
  const dimensions = asked.map((dimension) => resultOf(dimension, measured));
  const flags = dimensions.flatMap(({ name, shadow_met }) => (shadow_met === false ? [name] : []));
  const unscored = asked.some(({ weight }, index) => weight > 0 && dimensions[index]?.score === undefined);
  const composite = unscored ? 0 : compositeOf(asked, dimensions, composite_method);
  const gates_passed = quality_gates.every(({ condition }) => gateHolds(condition, dimensions, composite));
  const base = { composite, gates_passed, dimensions, flags };
  if (unscored) return { ...base, result: "incomplete", release_percent: 0 };
  if (!gates_passed) return { ...base, result: "FAIL", release_percent: 0 };
  const missed = dimensions.some(({ slo_met }) => slo_met === false);
  const passed = !missed && composite >= hundredths(composite_threshold);
  return { ...base, result: passed ? "PASS" : "FAIL", release_percent: releasePercent(agreement, composite, passed) };
}

function resultOf({ name, metric, slo, shadow_metric, shadow_slo }: Dimension, measured: Measured): DimensionResult {
  const value = Object.hasOwn(measured, name) ? measured[name] : undefined;
  const shadow = shadow_metric !== undefined && Object.hasOwn(measured, shadow_metric) ? measured[shadow_metric] : undefined;
  const slo_met = value === undefined || slo === undefined ? undefined : meets(value, slo);
  return {
    name,
    score: value === undefined ? undefined : scoreOf(metric, value, slo_met),
    slo_met,
    shadow_met: shadow === undefined || shadow_slo === undefined ? undefined : meets(shadow, shadow_slo),
  };
}

/** A percentage is its own score; what is counted or timed has done it or not. */
function scoreOf(metric: Dimension["metric"], value: number | boolean, sloMet: boolean | undefined): number {
  if (typeof value === "boolean") return value ? WHOLE : 0;
  if (metric === "percentage" || metric === "score") return Math.min(WHOLE, Math.max(0, hundredths(value)));
  return sloMet === false ? 0 : WHOLE;
}

export function meets(value: number | boolean, { operator, value: bound }: Slo): boolean {
  if (operator === "eq") return value === bound;
  if (operator === "neq") return value !== bound;
  if (typeof value !== "number") return false;
  if (Array.isArray(bound)) return operator === "between" && value >= bound[0] && value <= bound[1];
  if (typeof bound !== "number") return false;
  switch (operator) {
    case "gte":
      return value >= bound;
    case "lte":
      return value <= bound;
    case "gt":
      return value > bound;
    case "lt":
      return value < bound;
    case "between":
      return false;
  }
}

/** Rounded down to a hundredth, but for what a double cannot write: 0.29 · 100 is 29. */
function hundredths(points: number): number {
  return Math.floor(points * POINT + 1e-6);
}

const MILLIONTHS = 1_000_000;

function compositeOf(asked: readonly Dimension[], results: readonly DimensionResult[], method: string): number {
  const parts = asked.map(({ weight }, index) => ({ weight: Math.round(weight * MILLIONTHS), score: results[index]?.score ?? 0 }));
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  if (method === "weighted_average") return Math.floor(parts.reduce((sum, part) => sum + part.weight * part.score, 0) / weight);
  if (parts.some((part) => part.weight > 0 && part.score === 0)) return 0;
  const mean =
    method === "geometric_mean"
      ? Math.exp(parts.reduce((sum, part) => sum + part.weight * Math.log(part.score), 0) / weight)
      : weight / parts.reduce((sum, part) => sum + part.weight / part.score, 0);
  return Math.floor(mean + 1e-6);
}

/** `accuracy_gte_80`, `composite_gte_75`, `on_time`. Throws UnknownGate for a condition about nothing that is measured. */
function gateHolds(condition: string, results: readonly DimensionResult[], composite: number): boolean {
  const [, name = condition, operator, bound] = /^(.+)_(gte|lte|gt|lt)_(\d+(?:\.\d+)?)$/.exec(condition) ?? [];
  const found = results.find((result) => result.name === name);
  const score = name === "composite" ? composite : found?.score;
  if (found === undefined && name !== "composite")
    throw new AgreementRefused("UnknownGate", "A gate names nothing that is measured", condition);
  if (score === undefined) return false;
  if (operator === undefined) return score === WHOLE;
  return meets(score, { operator: operator as Slo["operator"], value: hundredths(Number(bound)) });
}

/** Tiers where nothing else is agreed. */
export const DEFAULT_TIERS: readonly Tier[] = [
  { composite_score_gte: 90, release_percent: 100 },
  { composite_score_gte: 75, release_percent: 85 },
  { composite_score_gte: 60, release_percent: 50 },
  { composite_score_lt: 60, release_percent: 0 },
];

/** What of the payment a score releases. Without a graduated release it is all or nothing. */
export function releasePercent({ escrow }: Agreement, composite: number, passed: boolean): number {
  const release = escrow?.payment.graduated_release;
  if (release === undefined || !release.enabled) return passed ? 100 : 0;
  if (release.mode === "continuous") return composite / POINT;
  const reached = (release.tiers ?? DEFAULT_TIERS).flatMap((tier) => {
    const from = tier["composite_score_gte"];
    const at = typeof from === "number" ? hundredths(from) : 0;
    return at <= composite ? [{ at, percent: tier.release_percent }] : [];
  });
  return reached.sort((a, b) => b.at - a.at)[0]?.percent ?? 0;
}

/** Smallest units for each, which make up the payment exactly: the provider's rounded down, the rest the client's. */
export function divide({ escrow }: Agreement, percent: number): { readonly provider: bigint; readonly client: bigint } {
  if (escrow === undefined || !escrow.enabled) return { provider: 0n, client: 0n };
  const amount = unitsOf(escrow.payment.amount, escrow.payment.currency);
  const provider = (amount * BigInt(hundredths(Math.min(100, Math.max(0, percent))))) / BigInt(WHOLE);
  return { provider, client: amount - provider };
}
