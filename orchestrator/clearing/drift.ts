import type { Passport } from "./passport.ts";
import type { VerifierOutput } from "./verifier-output.ts";
import { type CaseFile, runVerifier, type Verifier } from "./verifiers/verifier.ts";

/** When a track record counts as drift instead of bad luck. */
export interface DriftRule {
  /** Share of verdicts that differ from the final decision. */
  readonly threshold: number;
  /** Minimum number of compared verdicts. */
  readonly minSamples: number;
}

export const DEFAULT_DRIFT: DriftRule = { threshold: 0.25, minSamples: 8 };

/** Drift detection (RAILS 10.2): the verifier's verdicts diverge from the decisions more often than the rule allows. */
export function isDrifting(
  { record: { agreed, disagreed } }: Pick<Passport, "record">,
  { threshold, minSamples }: DriftRule = DEFAULT_DRIFT,
): boolean {
  const samples = agreed + disagreed;
  return samples >= minSamples && disagreed > threshold * samples;
}

/** The passport, flagged if it drifts. Only people can lift a flag. */
export function flagDrift(passport: Passport, rule: DriftRule = DEFAULT_DRIFT): Passport {
  return isDrifting(passport, rule) ? { ...passport, flagged: true } : passport;
}

/** Differences between a declared basis and the basis reconstructed by an audit. */
export interface BasisAudit {
  /** Read but not declared: hides a tainted item. */
  readonly omitted: readonly string[];
  /** Declared but not read: makes a weak basis look strong. */
  readonly padded: readonly string[];
  readonly verdictDiffers: boolean;
  readonly matches: boolean;
}

/** A basis audit: repeats the verifier's work on the same envelope and compares it with the declared basis. */
export async function auditBasis(output: VerifierOutput, reexamination: Verifier, file: CaseFile): Promise<BasisAudit> {
  const again = await runVerifier(reexamination, file);
  const omitted = again.basis.filter((item) => !output.basis.includes(item));
  const padded = output.basis.filter((item) => !again.basis.includes(item));
  const verdictDiffers = again.verdict !== output.verdict;
  return { omitted, padded, verdictDiffers, matches: omitted.length === 0 && padded.length === 0 && !verdictDiffers };
}
