import { AgentCityError } from "../primitives/errors.ts";
import { type ClaimAttestation, claimDigest } from "./claims.ts";
import type { LifecycleEvent } from "./events.ts";
import { advance, type ClaimRecord } from "./lifecycle.ts";
import type { UnsignedOutcome, VerificationOutcome } from "./outcome.ts";
import { signOutcome } from "./outcome.ts";
import type { VerifierDeps } from "./ports.ts";
import { headOf, type TrailEntry } from "./trail.ts";
import { verify } from "./verify.ts";
import { type ClaimEnvelope, claimEnvelopeSchema } from "./wire.ts";

/** All that is known of a claim. */
export interface ClaimFile {
  readonly envelope: ClaimEnvelope;
  readonly record: ClaimRecord;
  /** Milliseconds since 1970 at which the claim counts as unverifiable (CA-2). */
  readonly due: number;
  readonly outcome: VerificationOutcome | undefined;
}

/** Nobody emitted this claim here. */
export class UnknownClaim extends AgentCityError {
  constructor(claim: string) {
    super("UnknownClaim", "No such claim was emitted here", { details: claim, action: "emit it first" });
  }
}

/**
 * Keeps claims through their lives: emitted, checked once and in time, suppressed or shown, each step in the trail (Pramana 2.3).
 * State is in memory; `exportBundle` takes it out, whole.
 */
export class AttestationDesk {
  readonly #deps: VerifierDeps;
  readonly #files = new Map<string, ClaimFile>();
  readonly #trail: TrailEntry[] = [];
  /** Checks under way: a claim is looked at once, however many ask. */
  readonly #checks = new Map<string, Promise<VerificationOutcome>>();

  constructor(deps: VerifierDeps) {
    this.#deps = deps;
  }

  get trail(): readonly TrailEntry[] {
    return this.#trail;
  }

  file(claim: string): ClaimFile {
    const file = this.#files.get(claim);
    if (file === undefined) throw new UnknownClaim(claim);
    return file;
  }

  files(): readonly ClaimFile[] {
    return [...this.#files.values()];
  }

  /** Takes a claim in. Throws a ZodError without a place to verify it (CA-1), LifecycleRefused if it is known. */
  emit(input: ClaimEnvelope): void {
    const envelope = claimEnvelopeSchema.parse(input);
    const { claim_id: claim, claim_type: claimType, attester_id: attester } = envelope.attestation;
    const record = this.#step({ action: "emit", claim, claimType, attester, digest: claimDigest(envelope.attestation) });
    this.#files.set(claim, { envelope, record, due: this.#deps.now() + envelope.sla_window_ms, outcome: undefined });
  }

  /** Checks a claim; asked again it gives the same outcome. A check that outlives its window ends as unverifiable. */
  async verify(claim: string): Promise<VerificationOutcome> {
    const { outcome, envelope } = this.file(claim);
    if (outcome !== undefined) return outcome;
    const running =
      this.#checks.get(claim) ??
      verify(envelope.attestation, this.#deps, envelope.source_digest)
        .then((found) => this.#settle(claim, found))
        .finally(() => this.#checks.delete(claim));
    this.#checks.set(claim, running);
    return running;
  }

  /** Ends every claim whose window closed (CA-2); returns their ids. */
  expire(): readonly string[] {
    const late = this.files().filter(({ outcome, due }) => outcome === undefined && due < this.#deps.now());
    return late.map(({ envelope }) => {
      const claim = envelope.attestation.claim_id;
      this.#settle(claim, undefined);
      return claim;
    });
  }

  /** Withdraws a claim that did not hold. */
  suppress(claim: string): void {
    this.#update(claim, { action: "suppress", claim });
  }

  /** The claim, for a principal to see; the disclosure is on record before it is returned (P-4). */
  show(claim: string, principal: string): ClaimAttestation {
    this.#update(claim, { action: "show", claim, principal });
    return this.file(claim).envelope.attestation;
  }

  #settle(claim: string, found: VerificationOutcome | undefined): VerificationOutcome {
    const { outcome: already, due } = this.file(claim);
    if (already !== undefined) return already;
    const outcome = found === undefined || this.#deps.now() > due ? this.#tooLate() : found;
    this.#update(claim, { action: "verify", claim, status: outcome.status, verifier: outcome.verifier_id }, outcome);
    return outcome;
  }

  #tooLate(): VerificationOutcome {
    const { verifierId: verifier_id, now, signer } = this.#deps;
    const outcome: UnsignedOutcome = {
      status: "unverifiable",
      method: "sla-window-closed",
      evidence: { problem: "no answer within the window that the claim declares" },
      verifier_id,
      verified_at: new Date(now()).toISOString(),
      source_digest: null,
    };
    return signOutcome(outcome, signer);
  }

  #update(claim: string, event: LifecycleEvent, outcome?: VerificationOutcome): void {
    const file = this.file(claim);
    this.#files.set(claim, { ...file, record: this.#step(event), outcome: outcome ?? file.outcome });
  }

  #step(event: LifecycleEvent): ClaimRecord {
    const known = this.#files.get(event.claim)?.record;
    const { record, entry } = advance(known, headOf(this.#trail), event, new Date(this.#deps.now()).toISOString());
    this.#trail.push(entry);
    return record;
  }
}
