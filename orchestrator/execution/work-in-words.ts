import { itemHash } from "../clearing/evidence-envelope.ts";
import { floorFor } from "../clearing/obligation.ts";
import type { ClaimFile } from "./claims.ts";
import type { ClearingRecord } from "./clearing-record.ts";

/** An executor's claim about its output, and the result of an issuer's check. */
export interface ClaimView {
  /** From 1. */
  readonly attempt: number;
  readonly slot: number;
  readonly by: string;
  readonly says: string;
  readonly status: string;
  readonly method: string;
  readonly checkedBy: string;
}

interface ItemView {
  readonly id: string;
  readonly type: string;
  readonly evidenceClass: string;
  readonly by: string;
  /** Whether the decision rests on it. */
  readonly counted: boolean;
}

interface VerdictView {
  readonly by: string;
  readonly question: string;
  readonly verdict: string;
  /** 0–1. */
  readonly confidence: number;
  /** Findings by each kind of check that the law requires; empty if it requires re-execution only. */
  readonly kinds: readonly { readonly kind: string; readonly verdict: string; readonly score: number; readonly model: string | null }[];
}

/** A panel's findings by one kind of check, in number of verifiers. */
interface KindView {
  readonly kind: string;
  readonly passed: number;
  readonly failed: number;
  readonly silent: number;
}

/** One clearing of a node for display: evidence, verdicts, decision. */
export interface ClearingView {
  /** From 1. */
  readonly attempt: number;
  /** Weakest class that the law accepts. */
  readonly floor: string;
  readonly items: readonly ItemView[];
  readonly verdicts: readonly VerdictView[];
  readonly kinds: readonly KindView[];
  readonly minConfidence: number;
  readonly performance: string;
  readonly policy: string;
  readonly confidence: { readonly performance: number; readonly policy: number };
  /** Class of the evidence that the decision rests on. */
  readonly basis: string;
  readonly floorMet: boolean;
  readonly missing: readonly string[];
}

/** Display name of a party, from its id in the documents. */
type Names = (id: string) => string;

/** `claim_id` is `claim/<mission>/<node>/<attempt>/<slot>`. */
export function claimInWords({ claim, outcome }: ClaimFile, nameOf: Names): ClaimView {
  const [attempt, slot] = claim.claim_id.split("/").slice(-2).map(Number);
  return {
    attempt: (attempt ?? 0) + 1,
    slot: slot ?? 0,
    by: nameOf(claim.attester_id),
    says: claim.claim,
    status: outcome.status,
    method: outcome.method,
    checkedBy: nameOf(outcome.verifier_id),
  };
}

export function clearingInWords({ decision, envelope, outputs, obligation }: ClearingRecord, nameOf: Names): ClearingView {
  const { question_confidence: confidence } = decision;
  return {
    attempt: Number(obligation.task["attempt"]) + 1,
    floor: floorFor(obligation, "final_settlement", "performance"),
    items: envelope.items.map((item) => ({
      id: item.id,
      type: item.type,
      evidenceClass: item.class,
      by: nameOf(item.provenance[0]?.emitter ?? ""),
      counted: decision.aggregate_basis.includes(itemHash(item)),
    })),
    verdicts: outputs.map((output) => ({
      by: nameOf(output.verifier),
      question: output.answers.map(({ question }) => question).join(", "),
      verdict: output.verdict,
      confidence: output.confidence,
      kinds: (output.findings ?? []).map(({ kind, verdict, score, said }) => ({ kind, verdict, score, model: said?.model ?? null })),
    })),
    kinds: decision.kinds ?? [],
    minConfidence: obligation.verifier_policy.min_confidence ?? 0,
    performance: decision.performance,
    policy: decision.policy,
    confidence: { performance: confidence.performance, policy: confidence.policy },
    basis: decision.class_of_basis,
    floorMet: decision.floor_met,
    missing: decision.missing_evidence,
  };
}
