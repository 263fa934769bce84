import { canaryRate } from "./canary.ts";
import type { AgreementState } from "./lifecycle.ts";
import type { Agreement } from "./schema.ts";
import type { Determination, Measured } from "./score.ts";

/** What is kept of an agreement that has ended with a result; no detail of the work leaves it. */
export interface ClosingRecord {
  readonly provider: string;
  readonly passed: boolean;
  /** Hundredths of a point. */
  readonly composite: number;
  readonly on_time: boolean;
  readonly disputed: boolean;
  /** The dispute found against the provider. */
  readonly upheld: boolean;
}

/**
 * What remains of an agreement that ended with a result. A dispute found against the provider where the arbiter's share is below what the
 * result would have paid. Undefined where nobody measured anything.
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

/** What remains where the provider delivered nothing in its time. */
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

/** A provider's record: a sum over closing records, the same in any order. */
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

/** How deep to look at the next delivery, and how often it is a canary. It says nothing of what passes: no record lowers a threshold. */
export function scrutinyOf({ count, passed }: Standing): {
  readonly depth: NonNullable<Agreement["verification"]["depth"]>;
  readonly canaryRate: number;
} {
  if (count < KNOWN) return { depth: "composite", canaryRate: canaryRate(undefined) };
  const rate = passed / count;
  return { depth: rate > 0.95 ? "structural" : "semantic", canaryRate: canaryRate(rate) };
}
