import type { Passport } from "./passport.ts";
import type { VerifierOutput } from "./verifier-output.ts";
import { type CaseFile, runVerifier, type Verifier } from "./verifiers/verifier.ts";

/** When a track record is drift and no bad luck. */
export interface DriftRule {
  /** Share of verdicts that differ from what was finally decided. */
  readonly threshold: number;
  /** Verdicts that must have been compared before the share means anything. */
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

/** The passport, flagged if it drifts. Nothing here lifts a flag: that is a decision of people. */
export function flagDrift(passport: Passport, rule: DriftRule = DEFAULT_DRIFT): Passport {
  return isDrifting(passport, rule) ? { ...passport, flagged: true } : passport;
}

/** What an audit found between a declared basis and the one it reconstructed. */
export interface BasisAudit {
  /** Read, and not declared: how a tainted verdict looks clean. */
  readonly omitted: readonly string[];
  /** Declared, and not read: how a weak basis looks strong. */
  readonly padded: readonly string[];
  readonly verdictDiffers: boolean;
  readonly matches: boolean;
}

/** A basis audit: the verifier's work is done again on the same envelope, and compared with what it declared. */
export async function auditBasis(output: VerifierOutput, reexamination: Verifier, file: CaseFile): Promise<BasisAudit> {
  const again = await runVerifier(reexamination, file);
  const omitted = again.basis.filter((item) => !output.basis.includes(item));
  const padded = output.basis.filter((item) => !again.basis.includes(item));
  const verdictDiffers = again.verdict !== output.verdict;
  return { omitted, padded, verdictDiffers, matches: omitted.length === 0 && padded.length === 0 && !verdictDiffers };
}
