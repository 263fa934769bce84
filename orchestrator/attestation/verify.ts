import { InvalidValue, messageOf } from "../primitives/errors.ts";
import {
  type AnalogyClaim,
  type CitationClaim,
  type ClaimAttestation,
  claimAttestationSchema,
  claimDigest,
  type Digest,
  digestOf,
  type InferenceClaim,
  type MeasuredValue,
  type MeasurementClaim,
} from "./claims.ts";
import { type Evidence, signOutcome, type UnsignedOutcome, type VerificationOutcome } from "./outcome.ts";
import type { Determinism, VerifierDeps } from "./ports.ts";

/** Result of one kind of check; all outcomes share the same envelope. */
interface Finding {
  readonly holds: boolean;
  /** How it ended, appended to the name of the check. */
  readonly how: string;
  readonly source: Uint8Array;
  readonly determinism: Determinism;
  readonly evidence: Evidence;
}

const TOLERANCE = 1e-6;

/**
 * Checks a claim against its source (Pramana 2.2). Never throws: what cannot be checked is unverifiable. `recorded`: digest of the source
 * when the claim was made; other bytes today reject the claim, however well they fit (CA-3).
 */
export async function verify(claim: ClaimAttestation, deps: VerifierDeps, recorded?: Digest): Promise<VerificationOutcome> {
  try {
    return signOutcome(await check(claim, deps, recorded), deps.signer);
  } catch (error) {
    // The verifier itself is faulty: its clock, its key, or an answer that no record can hold.
    const { verifierId: verifier_id } = deps;
    const evidence = { problem: messageOf(error) };
    const verified_at = new Date(0).toISOString();
    return {
      status: "unverifiable",
      method: "verifier-failed",
      evidence,
      verifier_id,
      verified_at,
      source_digest: null,
      artifact_signature: null,
    };
  }
}

async function check(claim: ClaimAttestation, deps: VerifierDeps, recorded: Digest | undefined): Promise<UnsignedOutcome> {
  const base = { verifier_id: deps.verifierId, verified_at: new Date(deps.now()).toISOString() };
  const parsed = claimAttestationSchema.safeParse(claim);
  if (!parsed.success) {
    const evidence = { problem: "malformed", paths: parsed.error.issues.map(({ path }) => path.join(".")) };
    return { status: "unverifiable", method: "schema", evidence, ...base, source_digest: null };
  }
  const { claim_type } = parsed.data;
  const known: Evidence = { claim_digest: claimDigest(parsed.data) };
  let finding: Finding;
  try {
    finding = await examine(parsed.data, deps);
  } catch (error) {
    const evidence = { ...known, problem: messageOf(error) };
    return { status: "unverifiable", method: `${claim_type}/source-unavailable`, evidence, ...base, source_digest: null };
  }
  const { holds, how, source, determinism, evidence } = finding;
  const source_digest = digestOf(source);
  if (determinism === "replayable") deps.keep?.(source);
  const replaced = recorded !== undefined && recorded !== source_digest;
  return {
    status: holds && !replaced ? "verified" : "rejected",
    method: `${claim_type}/${replaced ? "source-changed" : how}`,
    evidence: { ...known, ...evidence, determinism, ...(recorded === undefined ? {} : { recorded_digest: recorded }) },
    ...base,
    source_digest,
  };
}

function examine(claim: ClaimAttestation, deps: VerifierDeps): Promise<Finding> {
  switch (claim.claim_type) {
    case "measurement":
      return examineMeasurement(claim, deps);
    case "inference":
      return examineInference(claim, deps);
    case "analogy":
      return examineAnalogy(claim, deps);
    case "citation":
      return examineCitation(claim, deps);
  }
}

/** Fetches the record and compares it: unit, method and every field, within the uncertainty that the deployment allows. */
async function examineMeasurement(claim: MeasurementClaim, deps: VerifierDeps): Promise<Finding> {
  const { measurements, uncertaintyLimit = tenth } = deps;
  const { measured_value: claimed, measurement_source: source, method, unit, uncertainty } = claim;
  const fields = typeof claimed === "object" ? Object.keys(claimed).sort() : null;
  const recorded = await measurements.read({ source, method, unit, fields });
  const differing = differences(claimed, recorded.value, uncertainty);
  const bounded = numbersOf(recorded.value, fields).every((number) => uncertainty === 0 || uncertainty <= uncertaintyLimit(number, unit));
  const how =
    recorded.unit !== unit
      ? "unit-differs"
      : recorded.method !== method
        ? "method-differs"
        : !bounded
          ? "uncertainty-too-large"
          : differing.length > 0
            ? "record-mismatch"
            : "record-match";
  return {
    holds: how === "record-match",
    how,
    source: recorded.source,
    determinism: measurements.determinism,
    evidence: { oracle: measurements.id, differing },
  };
}

function tenth(recorded: number): number {
  return Math.abs(recorded) / 10;
}

/** The recorded numbers that a claim refers to. */
function numbersOf(recorded: MeasuredValue, fields: readonly string[] | null): number[] {
  const values = typeof recorded === "object" ? (fields ?? []).map((field) => recorded[field]) : [recorded];
  return values.flatMap((value) => (typeof value === "number" ? [value] : []));
}

/** Names of the differing fields, in order; `value` for a single value. */
function differences(claimed: MeasuredValue, recorded: MeasuredValue, uncertainty: number): string[] {
  if (typeof claimed !== "object" || typeof recorded !== "object")
    return typeof claimed === typeof recorded && agree(claimed, recorded, uncertainty) ? [] : ["value"];
  const differing = Object.entries(claimed).flatMap(([field, value]) =>
    Object.hasOwn(recorded, field) && agree(value, recorded[field], uncertainty) ? [] : [field],
  );
  return differing.sort();
}

function agree(claimed: unknown, recorded: unknown, uncertainty: number): boolean {
  return typeof claimed === "number" && typeof recorded === "number" ? Math.abs(claimed - recorded) <= uncertainty : claimed === recorded;
}

/** Applies the rule to the premises again. */
async function examineInference({ inference_method: method, premises, conclusion }: InferenceClaim, { inference }: VerifierDeps) {
  const { holds, source } = await inference.entails({ method, premises, conclusion });
  return {
    holds,
    how: holds ? "rule-replayed" : "rule-does-not-conclude",
    source,
    determinism: inference.determinism,
    evidence: { oracle: inference.id, rule: method },
  };
}

/** Recomputes the similarity. Without a recorded score there is nothing to compare: the outcome documents, it does not confirm. */
async function examineAnalogy(claim: AnalogyClaim, deps: VerifierDeps): Promise<Finding> {
  const { similarity, similarityTolerance = TOLERANCE, requireSimilarityScore = false } = deps;
  const { similarity_method: method, reference_case: referenceCase, similarity_score: recorded } = claim;
  const { score, source } = await similarity.compute({ method, referenceCase, claim: claim.claim });
  if (!(score >= 0 && score <= 1)) throw new InvalidValue("similarity", "a score lies between 0 and 1", { details: String(score) });
  const base = { source, determinism: similarity.determinism };
  if (recorded === undefined)
    return {
      ...base,
      holds: !requireSimilarityScore,
      how: requireSimilarityScore ? "score-missing" : "documentary",
      evidence: { oracle: similarity.id, recomputed: score, documentary: true },
    };
  const holds = Math.abs(score - recorded) <= similarityTolerance;
  return {
    ...base,
    holds,
    how: holds ? "score-recomputed" : "score-differs",
    evidence: { oracle: similarity.id, recomputed: score, documentary: false },
  };
}

/** Fetches the source again, which must contain the excerpt verbatim. */
async function examineCitation({ source_uri, source_excerpt }: CitationClaim, { sources }: VerifierDeps): Promise<Finding> {
  const source = await sources.fetch(source_uri);
  const holds = new TextDecoder().decode(source).includes(source_excerpt);
  return {
    holds,
    how: holds ? "excerpt-present" : "excerpt-absent",
    source,
    determinism: "deterministic",
    evidence: { source_uri },
  };
}
