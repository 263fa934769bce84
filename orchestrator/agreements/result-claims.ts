import type { MeasurementClaim } from "../attestation/claims.ts";
import type { MeasurementFetcher } from "../attestation/ports.ts";
import { InvalidValue } from "../primitives/errors.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { AgreementRefused } from "./errors.ts";
import type { Agreement } from "./schema.ts";
import { contentHash, type Deliverable } from "./structure.ts";
import { type Evaluator, questionOf, type VerificationResult } from "./verification.ts";

/** The word of an evaluator as such: what asks it again can come to another answer. */
const METHOD = "asa/1 pointwise";
/** Of a claim (attestation/claims.ts). */
const MOST_WORDS = 20_000;
/** Points within which two answers to one question are the same. */
const UNCERTAINTY = 5;

/** A result's judged dimensions as claims of type measurement (Pramana 2.1): what was not judged by an evaluator has no evidence, and no claim. */
export function claimsOfResult(agreement: Agreement, result: VerificationResult): readonly MeasurementClaim[] {
  const { scheme, value } = result.evaluator;
  return agreement.quality_criteria.dimensions.flatMap(({ name, metric }) => {
    const measured = result.measured[name];
    if (measured === undefined || result.evidence[name] === undefined) return [];
    return [
      {
        claim_type: "measurement" as const,
        claim_id: `${result.verification_id}/${name}`,
        claim: `The ${name} of the delivery is ${measured}: ${result.evidence[name]}`.slice(0, MOST_WORDS).toWellFormed(),
        attester_id: `${scheme}:${value}`,
        attested_at: result.timestamp,
        measured_value: measured,
        unit: metric,
        method: METHOD,
        measurement_source: sourceOf(result.evidence_trail.deliverable_hash, name),
        uncertainty: typeof measured === "number" ? UNCERTAINTY : 0,
      },
    ];
  });
}

/**
 * Reads such measurements by asking an evaluator again. It is `replayable`: an outcome says so, and is no evidence of class ATT or PROOF. Throws
 * DeliverableMismatch for claims about another delivery.
 */
export function evaluatorMeasurements(agreement: Agreement, delivered: Deliverable, evaluator: Evaluator): MeasurementFetcher {
  const hash = contentHash(delivered);
  return {
    id: `asa-evaluator/v1:${evaluator.identity.scheme}:${evaluator.identity.value}`,
    determinism: "replayable",
    async read({ source }) {
      const dimension = agreement.quality_criteria.dimensions.find(({ name }) => sourceOf(hash, name) === source);
      if (dimension === undefined) throw new AgreementRefused("DeliverableMismatch", "The claim is about another delivery", source);
      const { value, evidence, confidence } = await evaluator.evaluate(questionOf(agreement, dimension.name, delivered, hash));
      if (evidence.trim() === "") throw new InvalidValue("evaluator's answer", "it has no evidence", { details: dimension.name });
      const transcript = canonicalBytes({ source, value, evidence, confidence });
      return { value, unit: dimension.metric, method: METHOD, source: transcript };
    },
  };
}

function sourceOf(deliverable: string, dimension: string): string {
  return `urn:asa:${deliverable}#${encodeURIComponent(dimension)}`;
}
