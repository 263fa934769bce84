import { canaryRate } from "./canary.ts";
import type { AgreementState } from "./lifecycle.ts";
import { defaultPercent } from "./release.ts";
import type { Agreement } from "./schema.ts";
import type { Determination, Measured } from "./score.ts";

/** Record of an agreement that ended with a result, without details of the work. */
export interface ClosingRecord {
  readonly provider: string;
  readonly passed: boolean;
  /** Hundredths of a point. */
  readonly composite: number;
  readonly on_time: boolean;
  readonly disputed: boolean;
  /** A dispute was decided against the provider. */
  readonly upheld: boolean;
}

/**
 * The closing record of an agreement that ended with a result. A dispute was decided against the provider if the arbiter's share is below
 * the result's. Undefined if there is no measurement.
 */
export function closingOf(
  { parties }: Pick<Agreement, "parties">,
  { status, division }: Pick<AgreementState, "status" | "division">,
  {
    determination,
    measured,
  }: { readonly determination: Pick<Determination, "result" | "composite" | "release_percent">; readonly measured: Measured },
  ruling?: number,
): ClosingRecord | undefined {
  if (status !== "closed" || determination.result === "incomplete") return undefined;
  const disputed = division === "ruling";
  return {
    provider: parties.provider.identity.value,
    passed: determination.result === "PASS",
    composite: determination.composite,
    on_time: measured["timeliness"] !== false,
    disputed,
    upheld: disputed && ruling !== undefined && ruling < determination.release_percent,
  };
}

/** The closing record if the provider delivered nothing in time. */
export function breachOf({ parties }: Pick<Agreement, "parties">): ClosingRecord {
  const provider = parties.provider.identity.value;
  return { provider, passed: false, composite: 0, on_time: false, disputed: false, upheld: false };
}

export interface Standing {
  readonly count: number;
  readonly passed: number;
  /** Sum of the composites, hundredths. */
  readonly composites: number;
  readonly on_time: number;
  readonly disputed: number;
  readonly upheld: number;
}

const UNKNOWN: Standing = { count: 0, passed: 0, composites: 0, on_time: 0, disputed: 0, upheld: 0 };

/** A provider's record: a sum over closing records, independent of their order. */
export function standingOf(provider: string, records: readonly ClosingRecord[]): Standing {
  return records
    .filter((record) => record.provider === provider)
    .reduce<Standing>(
      (sum, { passed, composite, on_time, disputed, upheld }) => ({
        count: sum.count + 1,
        passed: sum.passed + Number(passed),
        composites: sum.composites + composite,
        on_time: sum.on_time + Number(on_time),
        disputed: sum.disputed + Number(disputed),
        upheld: sum.upheld + Number(upheld),
      }),
      UNKNOWN,
    );
}

const KNOWN = 10;

/** Suggested verification depth and canary rate for the next delivery. It affects no threshold. */
export function scrutinyOf({ count, passed }: Standing): {
  readonly depth: NonNullable<Agreement["verification"]["depth"]>;
  readonly canaryRate: number;
} {
  if (count < KNOWN) return { depth: "composite", canaryRate: canaryRate(undefined) };
  const isProven = passed / count >= 0.95;
  return { depth: isProven ? "structural" : "semantic", canaryRate: canaryRate(isProven ? 1 : undefined) };
}

/**
 * Share of the payments, percent, that the default tiers would have withheld from a provider: how much of the price the next agreement is
 * likely to return. Undefined while the provider is unknown.
 */
export function priceRiskOf(provider: string, records: readonly ClosingRecord[]): number | undefined {
  const own = records.filter((record) => record.provider === provider);
  if (own.length < KNOWN) return undefined;
  return Math.round(own.reduce((sum, { composite }) => sum + 100 - defaultPercent(composite), 0) / own.length);
}
