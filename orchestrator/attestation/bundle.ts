import { z } from "zod";
import { AgentCityError, InvalidValue } from "../primitives/errors.ts";
import { canonicalJson } from "../primitives/json.ts";
import type { PublicKey } from "../primitives/signing.ts";
import { claimDigest, type Digest, digestOf } from "./claims.ts";
import type { AttestationDesk } from "./desk.ts";
import { type Model, modelInference, readTranscript } from "./model-oracle.ts";
import { isOutcomeSignedBy, isReplayOnly, type VerificationOutcome, verificationOutcomeSchema } from "./outcome.ts";
import type { InferenceOracle, SourceFetcher, VerifierDeps } from "./ports.ts";
import { checkContinues, checkSealedHead, checkTrail, sealedHeadSchema, type TrailHead, trailEntrySchema } from "./trail.ts";
import { verify } from "./verify.ts";
import { type ClaimEnvelope, claimEnvelopeSchema } from "./wire.ts";

/** Everything an offline auditor needs (Pramana 4.7). */
export const attestationBundleSchema = z.strictObject({
  version: z.literal("claim-attestation/v1"),
  claims: z.array(z.strictObject({ envelope: claimEnvelopeSchema, outcome: verificationOutcomeSchema.nullable() })),
  /** Base64, by the URI they were requested under; a model's transcripts by `transcriptName`. */
  sources: z.record(z.string(), z.base64()),
  trail: z.array(trailEntrySchema),
  /** The end of the trail, signed by the desk. */
  head: sealedHeadSchema,
});
export type AttestationBundle = z.infer<typeof attestationBundleSchema>;

/** Records fetched sources and transcripts for a bundle. */
export interface RecordingFetcher extends SourceFetcher {
  /** `keep` of `VerifierDeps`. */
  readonly keep: (transcript: Uint8Array) => void;
  readonly seen: ReadonlyMap<string, Uint8Array>;
}

/** Key of a transcript: the digest in its outcome, so that no other can replace it. */
const transcriptName = (digest: Digest): string => `transcript:${digest}`;

/** A fetcher that remembers; a source that changes meanwhile keeps its first bytes. */
export function recordingFetcher(inner: SourceFetcher): RecordingFetcher {
  const seen = new Map<string, Uint8Array>();
  return {
    seen,
    keep: (transcript) => void seen.set(transcriptName(digestOf(transcript)), transcript),
    async fetch(uri) {
      const bytes = seen.get(uri) ?? (await inner.fetch(uri));
      seen.set(uri, bytes);
      return bytes;
    },
  };
}

/** A desk's claims, outcomes, sources and trail as one JSON value. */
export function exportBundle(desk: AttestationDesk, { seen }: RecordingFetcher): AttestationBundle {
  return attestationBundleSchema.parse({
    version: "claim-attestation/v1",
    claims: desk.files().map(({ envelope, outcome }) => ({ envelope, outcome: outcome ?? null })),
    sources: Object.fromEntries([...seen].map(([uri, bytes]) => [uri, Buffer.from(bytes).toString("base64")])),
    trail: desk.trail,
    head: desk.sealedHead(),
  });
}

/** Serves only the bundle's sources. */
export function bundledSources({ sources }: AttestationBundle): SourceFetcher {
  return {
    fetch(uri) {
      const text = Object.hasOwn(sources, uri) ? sources[uri] : undefined;
      return text === undefined
        ? Promise.reject(new AgentCityError("SourceMissing", "The bundle does not hold this source", { details: uri }))
        : Promise.resolve(new Uint8Array(Buffer.from(text, "base64")));
    },
  };
}

/** The transcript of a model's check of a claim, for `askAgain`; undefined if no model was used or its transcript was not kept. */
export function transcriptOf({ claims, sources }: AttestationBundle, claim: string): Uint8Array | undefined {
  const digest = claims.find(({ envelope }) => envelope.attestation.claim_id === claim)?.outcome?.source_digest;
  if (digest === undefined || digest === null) return undefined;
  const name = transcriptName(digest);
  const text = Object.hasOwn(sources, name) ? sources[name] : undefined;
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text, "base64"));
}

/** Result of re-verifying one claim. */
export interface Reverified {
  readonly claim: string;
  /**
   * "unsigned" and "mistold": the record is false. "missing": the trail mentions a claim that was left out. "differs": the check ends
   * differently today. "retold": a model's answer, confirmed by its transcript; `askAgain` queries it once more. "unrepeatable": it needs a
   * model, and its transcript was not kept.
   */
  readonly verdict: "same" | "retold" | "open" | "differs" | "unsigned" | "mistold" | "missing" | "unrepeatable";
}

/**
 * Re-verifies every claim of a bundle, offline: `deps` must read from `bundledSources`. Throws TrailBroken if the trail was altered,
 * truncated, or does not continue from `known`, a head seen earlier. Time and verifier may differ; status, method, evidence and source may
 * not.
 */
export async function reverify(
  bundle: AttestationBundle,
  deps: VerifierDeps,
  key: PublicKey,
  known?: TrailHead,
): Promise<readonly Reverified[]> {
  checkTrail(bundle.trail);
  checkSealedHead(bundle.trail, bundle.head, key);
  if (known !== undefined) checkContinues(bundle.trail, known);
  const results = new Map<string, Reverified>();
  for (const { envelope, outcome } of bundle.claims) {
    const claim = envelope.attestation.claim_id;
    const verdict = results.has(claim) ? "mistold" : await second(bundle, deps, key, envelope, outcome);
    results.set(claim, { claim, verdict });
  }
  for (const { event } of bundle.trail) {
    if (event.action === "emit" && !results.has(event.claim)) results.set(event.claim, { claim: event.claim, verdict: "missing" });
  }
  return [...results.values()];
}

async function second(
  bundle: AttestationBundle,
  deps: VerifierDeps,
  key: PublicKey,
  { attestation, source_digest }: ClaimEnvelope,
  outcome: VerificationOutcome | null,
): Promise<Reverified["verdict"]> {
  const about = bundle.trail.map(({ event }) => event).filter(({ claim }) => claim === attestation.claim_id);
  const emitted = about.find((event) => event.action === "emit");
  const verified = about.find((event) => event.action === "verify");
  if (emitted?.digest !== claimDigest(attestation) || verified?.status !== outcome?.status) return "mistold";
  if (outcome === null) return "open";
  if (!isOutcomeSignedBy(outcome, key)) return "unsigned";
  if (outcome.source_digest === null) return "open";
  if (isReplayOnly(outcome)) {
    const transcript = transcriptOf(bundle, attestation.claim_id);
    if (transcript !== undefined && digestOf(transcript) !== outcome.source_digest) return "differs";
    const said = transcript === undefined ? undefined : retelling(transcript);
    if (said === undefined || attestation.claim_type !== "inference") return "unrepeatable";
    return findings(await verify(attestation, { ...deps, inference: said }, source_digest)) === findings(outcome) ? "retold" : "differs";
  }
  return findings(await verify(attestation, deps, source_digest)) === findings(outcome) ? "same" : "differs";
}

/**
 * An oracle that replays a transcript: the same answer to the same question at the recorded time; undefined if the bytes are not a
 * transcript.
 */
function retelling(transcript: Uint8Array): InferenceOracle | undefined {
  const read = readTranscript(transcript);
  if (read === undefined) return undefined;
  const { model: id, inputs, output, asked_at } = read;
  const ask: Model["ask"] = async (asked) => {
    if (canonicalJson(asked) !== canonicalJson(inputs)) throw new InvalidValue("transcript", "it is about another question");
    return output;
  };
  return modelInference({ id, ask }, () => Date.parse(asked_at));
}

/** What two checks of one claim must have in common. */
function findings({ status, method, evidence, source_digest }: VerificationOutcome): string {
  return canonicalJson({ status, method, evidence, source_digest });
}
