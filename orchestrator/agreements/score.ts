import { AgreementRefused } from "./errors.ts";
import { hundredths, WHOLE } from "./money.ts";
import { releasePercent } from "./release.ts";
import { type Agreement, type Dimension, type Guarantee, type Slo, thresholdOf } from "./schema.ts";

/** Measurements by dimension or check: a percentage, a boolean, a count, seconds. Values that could not be measured are absent. */
export type Measured = Readonly<Record<string, number | boolean>>;

export interface DimensionResult {
  readonly name: string;
  /** Hundredths of a point, 0–10000; undefined if not scored. */
  readonly score: number | undefined;
  readonly slo_met: boolean | undefined;
  readonly shadow_met: boolean | undefined;
}

/** PASS and FAIL concern everything that was agreed; `incomplete`: something with weight was not scored. */
export interface Determination {
  readonly result: "PASS" | "FAIL" | "incomplete";
  /** Hundredths of a point, rounded down. */
  readonly composite: number;
  readonly gates_passed: boolean;
  readonly dimensions: readonly DimensionResult[];
  /** Missed shadow metrics, which show optimisation at another metric's cost. They warn without failing anything. */
  readonly flags: readonly string[];
  readonly release_percent: number;
}

/** Inputs of a determination besides terms and measurements. */
export interface Determining {
  /** Seed of the boundaries' noise; without it they stay as written. */
  readonly noiseSeed?: string;
  /** Earlier composites, hundredths, oldest first, for a probabilistic guarantee. */
  readonly history?: readonly number[];
}

/**
 * Gates, then SLOs, then the composite: a failed gate ends it at zero, a missed SLO fails the determination whatever the average is, and
 * the average must reach its threshold.
 */
export function determine(agreement: Agreement, measured: Measured, { noiseSeed, history = [] }: Determining = {}): Determination {
  const { dimensions: asked, composite_threshold, composite_method, quality_gates = [], guarantee } = agreement.quality_criteria;
  const dimensions = asked.map((dimension) => resultOf(dimension, measured));
  const flags = dimensions.flatMap(({ name, shadow_met }) => (shadow_met === false ? [name] : []));
  const scored = asked.every(({ weight }, index) => weight === 0 || dimensions[index]?.score !== undefined);
  const composite = scored ? compositeOf(asked, dimensions, composite_method) : 0;
  const gates = quality_gates.map((gate) => gateHolds(gate, { dimensions, composite: scored ? composite : undefined, measured }));
  const base = { composite, gates_passed: gates.every((holds) => holds === true), dimensions, flags };
  if (gates.includes(false)) return { ...base, result: "FAIL", release_percent: 0 };
  if (!scored || gates.includes(undefined)) return { ...base, result: "incomplete", release_percent: 0 };
  const missed = dimensions.some(({ slo_met }) => slo_met === false);
  const threshold = hundredths(composite_threshold);
  const reached = guarantee === undefined ? composite >= threshold : guaranteeHolds(guarantee, [...history, composite], threshold);
  const passed = !missed && reached;
  return { ...base, result: passed ? "PASS" : "FAIL", release_percent: releasePercent(agreement, { composite, passed, noiseSeed }) };
}

/** Number of deliveries that a guarantee covers, including the last one. */
export function deliveriesOf(guarantee: Guarantee): number {
  return guarantee.kind === "pass_at_k" ? guarantee.k : guarantee.window;
}

/** Whether the last deliveries meet a guarantee about many. If there are too few, only the last one counts. */
export function guaranteeHolds(guarantee: Guarantee, composites: readonly number[], threshold: number): boolean {
  const last = composites.at(-1) ?? 0;
  const size = deliveriesOf(guarantee);
  const recent = composites.slice(-size);
  if (recent.length < size) return last >= threshold;
  if (guarantee.kind === "pass_at_k") return recent.some((composite) => composite >= hundredths(guarantee.target));
  const reached = recent.filter((composite) => composite >= hundredths(guarantee.target)).length;
  return reached * 100 >= guarantee.p * recent.length;
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

/** A percentage is its own score; a count or a time is met or not. */
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

/**
 * Value of `accuracy_gte_80`, `composite_gte_75`, `on_time`, or of a check by its name; undefined if the check was not made. Throws
 * UnknownGate for a threshold on something that is not measured.
 */
function gateHolds(
  { condition, type }: { readonly condition: string; readonly type: "boolean" | "threshold" },
  at: { readonly dimensions: readonly DimensionResult[]; readonly composite: number | undefined; readonly measured: Measured },
): boolean | undefined {
  const { name, operator, bound = 0 } = thresholdOf(condition);
  const found = at.dimensions.find((result) => result.name === name);
  if (found === undefined && name !== "composite") {
    if (type === "threshold") throw new AgreementRefused("UnknownGate", "A gate names no measurement", condition);
    const check = Object.hasOwn(at.measured, condition) ? at.measured[condition] : undefined;
    return check === undefined ? undefined : check === true;
  }
  const score = found === undefined ? at.composite : found.score;
  if (score === undefined) return undefined;
  if (operator === undefined) return score === WHOLE;
  return meets(score, { operator: operator as Slo["operator"], value: hundredths(bound) });
}
