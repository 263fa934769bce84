import { claimDigest } from "../../../orchestrator/attestation/claims.ts";
import {
  isOutcomeSignedBy,
  signOutcome,
  type UnsignedOutcome,
  type VerificationOutcome,
  verificationOutcomeSchema,
} from "../../../orchestrator/attestation/outcome.ts";
import { type ClaimEnvelope, claimEnvelopeSchema } from "../../../orchestrator/attestation/wire.ts";
import { CLAIMS, keyFor, sent } from "../../../scripts/attestation/underwriting.ts";
import type { Machine, Move } from "../explore.ts";

/** What a claim on its way may become, and what a check of it may say. */
const STATUSES = ["verified", "rejected", "unverifiable"] as const;
const SEALS = ["whole", "none", "digest alone", "another's"] as const;
const [VERIFIER, STRANGER] = [keyFor("a verifier", "ed25519"), keyFor("a stranger", "ed25519")];
const ENVELOPE = sent(CLAIMS.citation);
const DIGEST = claimDigest(CLAIMS.citation);

interface Travelling {
  readonly envelope: ClaimEnvelope;
  readonly outcome: VerificationOutcome | undefined;
}
interface State {
  readonly claims: readonly (Travelling | undefined)[];
}

/** What lets an envelope and an outcome through: the real schemas, and the verifier's key. */
export interface Readers {
  readonly envelope: (given: unknown) => boolean;
  readonly outcome: (given: unknown) => boolean;
}
export const READERS: Readers = {
  envelope: (given) => claimEnvelopeSchema.safeParse(given).success,
  outcome(given) {
    const parsed = verificationOutcomeSchema.safeParse(given);
    if (!parsed.success) return false;
    return parsed.data.artifact_signature === null || isOutcomeSignedBy(parsed.data, VERIFIER.publicKey);
  },
};

const body = (status: (typeof STATUSES)[number], seal: (typeof SEALS)[number]): UnsignedOutcome =>
  ({
    ...{ status, method: "citation/excerpt", evidence: {}, verifier_id: "verifier", verified_at: "2026-01-01T00:00:00.000Z" },
    source_digest: seal === "none" ? null : DIGEST,
  }) as UnsignedOutcome;

/** An outcome as somebody hands it in, sealed or not. */
function outcomeWith(status: (typeof STATUSES)[number], seal: (typeof SEALS)[number]): VerificationOutcome {
  const unsigned = body(status, seal);
  if (seal === "whole" || seal === "another's") return signOutcome(unsigned, seal === "whole" ? VERIFIER : STRANGER);
  return { ...unsigned, artifact_signature: null } as VerificationOutcome;
}
const OUTCOMES = STATUSES.flatMap((status) => SEALS.map((seal) => [`${status}, seal: ${seal}`, outcomeWith(status, seal)] as const));

/** Whether somebody who holds the claim and its outcome alone can look again: the source by its digest, the finding by its signature. */
const isSealed = (outcome: VerificationOutcome) =>
  outcome.source_digest !== null && outcome.artifact_signature !== null && isOutcomeSignedBy(outcome, VERIFIER.publicKey);

const isReachable = ({ envelope }: Travelling) => /^https?:/.test(envelope.verify_endpoint_hint ?? "");

const kindOf = (claim: Travelling | undefined): string => {
  if (claim === undefined) return "absent";
  const { outcome } = claim;
  return outcome === undefined ? (isReachable(claim) ? "sent" : "sent nowhere") : `${outcome.status}${isSealed(outcome) ? ", sealed" : ""}`;
};

/** Two claims on their way, each sent and checked once, by whoever tries whatever a document can lack (Pramana 6.3). */
export const envelopes = (reads: Readers = READERS): Machine<State> => ({
  name: "claims: envelopes",
  about: "claims sent and checked, with what they may lack; the real schemas of attestation/wire.ts and outcome.ts",
  initial: { claims: [undefined, undefined] },
  *moves({ claims }): Iterable<Move<State>> {
    for (const [index, claim] of claims.entries()) {
      const set = (next: Travelling): State => ({ claims: claims.with(index, next) });
      if (claim === undefined)
        for (const hint of [ENVELOPE.verify_endpoint_hint, undefined, "file:///etc/passwd"]) {
          const envelope = { ...ENVELOPE, verify_endpoint_hint: hint };
          if (reads.envelope(envelope))
            yield { label: `send ${index} to ${hint}`, next: set({ envelope: envelope as ClaimEnvelope, outcome: undefined }) };
        }
      else if (claim.outcome === undefined)
        for (const [label, outcome] of OUTCOMES)
          if (reads.outcome(outcome)) yield { label: `check ${index}: ${label}`, next: set({ ...claim, outcome }) };
    }
  },
  key: ({ claims }) => claims.map(kindOf).sort().join(" | "),
  invariants: [
    {
      name: "CA-1 every claim can be reached for verification",
      holds: ({ claims }) => claims.every((claim) => claim === undefined || isReachable(claim)),
    },
    {
      name: "CA-3 what was verified or rejected can be looked at again",
      holds: ({ claims }) =>
        claims.every((claim) => claim?.outcome === undefined || claim.outcome.status === "unverifiable" || isSealed(claim.outcome)),
    },
  ],
  end: ({ claims }) => claims.every((claim) => claim?.outcome !== undefined),
});

/** Readers with one check less each. */
export const ENVELOPE_MUTANTS: Readonly<Record<string, Readers>> = {
  "a claim travels without a place to verify it": { ...READERS, envelope: () => true },
  "a finding counts without its seal": { ...READERS, outcome: () => true },
  "anybody's seal is a verifier's": { ...READERS, outcome: (given) => verificationOutcomeSchema.safeParse(given).success },
};
