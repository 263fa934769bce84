import { z } from "zod";
import { AgentCityError, InvalidValue } from "../primitives/errors.ts";
import { type ClaimAttestation, claimDigest } from "./claims.ts";
import type { LifecycleEvent } from "./events.ts";
import { advance, type ClaimRecord } from "./lifecycle.ts";
import type { UnsignedOutcome, VerificationOutcome } from "./outcome.ts";
import { signOutcome } from "./outcome.ts";
import type { VerifierDeps } from "./ports.ts";
import { checkTrail, headOf, type SealedHead, sealHead, TrailBroken, type TrailEntry } from "./trail.ts";
import { verify } from "./verify.ts";
import { type ClaimEnvelope, claimEnvelopeSchema } from "./wire.ts";

/** Everything known about a claim. */
export interface ClaimFile {
  readonly envelope: ClaimEnvelope;
  readonly record: ClaimRecord;
  /** Unix milliseconds at which the claim becomes unverifiable (CA-2). */
  readonly due: number;
  readonly outcome: VerificationOutcome | undefined;
}

/** A step of a desk: its trail entry, and the claim or outcome it added. */
export interface DeskStep {
  readonly entry: TrailEntry;
  readonly envelope?: ClaimEnvelope | undefined;
  readonly outcome?: VerificationOutcome | undefined;
}

/** This claim was not emitted here. */
export class UnknownClaim extends AgentCityError {
  constructor(claim: string) {
    super("UnknownClaim", "No such claim was emitted here", { details: claim, action: "emit it first" });
  }
}

/** Rings once after `millis`; the returned function cancels it. A port, since time is one. */
export type Alarm = (millis: number, ring: () => void) => () => void;

/** Longest delay of a platform timer, milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** The platform's timer, cancelled when the check ends. A window of more than 24 days ends at the next access instead. */
const platformAlarm: Alarm = (millis, ring) => {
  if (millis > LONGEST) return () => {};
  const timer = setTimeout(ring, millis);
  return () => clearTimeout(timer);
};

export interface DeskDeps extends VerifierDeps {
  readonly alarm?: Alarm;
}

/**
 * Manages the lifecycle of claims: emitted, checked once and in time, suppressed or shown, with each step in the trail (Pramana 2.3). State
 * is in memory; `exportBundle` exports it whole, and `stepsFrom` incrementally, for resuming after a restart.
 */
export class AttestationDesk {
  readonly #deps: DeskDeps;
  readonly #files = new Map<string, ClaimFile>();
  readonly #trail: TrailEntry[] = [];
  /** Checks in progress: concurrent requests share one. */
  readonly #checks = new Map<string, Promise<VerificationOutcome>>();

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  /** Resumes a desk from its steps. Throws TrailBroken, LifecycleRefused if they do not belong to one desk. */
  static resumed(deps: DeskDeps, steps: readonly DeskStep[]): AttestationDesk {
    checkTrail(steps.map(({ entry }) => entry));
    const desk = new AttestationDesk(deps);
    for (const step of steps) desk.#retake(step);
    return desk;
  }

  /** The steps after the first `count`. */
  stepsFrom(count: number): readonly DeskStep[] {
    return this.#trail.slice(count).map((entry) => {
      const file = this.#files.get(entry.event.claim);
      return {
        entry,
        ...(entry.event.action === "emit" ? { envelope: file?.envelope } : {}),
        ...(entry.event.action === "verify" ? { outcome: file?.outcome } : {}),
      };
    });
  }

  #retake({ entry, envelope, outcome }: DeskStep): void {
    const { event, at, sequence } = entry;
    const known = this.#files.get(event.claim);
    const lacks = (what: string) => new TrailBroken(sequence, `it lacks ${what}`);
    const { record } = advance(known?.record, headOf(this.#trail), event, at);
    if (event.action === "emit") {
      if (envelope === undefined || claimDigest(envelope.attestation) !== event.digest) throw lacks("the claim that it tells of");
      this.#files.set(event.claim, { envelope, record, due: Date.parse(at) + envelope.sla_window_ms, outcome: undefined });
    } else if (known !== undefined) {
      if (event.action === "verify" && outcome?.status !== event.status) throw lacks("the outcome that it tells of");
      this.#files.set(event.claim, { ...known, record, outcome: outcome ?? known.outcome });
    }
    this.#trail.push(entry);
  }

  get trail(): readonly TrailEntry[] {
    return this.#trail;
  }

  /** Everything known about a claim; one whose window has closed is unverifiable from then on. */
  file(claim: string): ClaimFile {
    if (this.#isLate(this.#known(claim))) this.#settle(claim, undefined);
    return this.#known(claim);
  }

  files(): readonly ClaimFile[] {
    this.expire();
    return [...this.#files.values()];
  }

  /** The signed end of the trail: a bundle cannot be truncated without this key. */
  sealedHead(): SealedHead {
    return sealHead(headOf(this.#trail), this.#deps.signer);
  }

  /**
   * Accepts a claim. Throws InvalidValue for an invalid envelope, such as one without a verification endpoint (CA-1), LifecycleRefused for
   * a known claim.
   */
  emit(input: ClaimEnvelope): void {
    const parsed = claimEnvelopeSchema.safeParse(input);
    if (!parsed.success)
      throw new InvalidValue("claim envelope", z.prettifyError(parsed.error), { action: "make it with `envelope`, or by its JSON Schema" });
    const envelope = parsed.data;
    const { claim_id: claim, claim_type: claimType, attester_id: attester } = envelope.attestation;
    const record = this.#step({ action: "emit", claim, claimType, attester, digest: claimDigest(envelope.attestation) });
    this.#files.set(claim, { envelope, record, due: this.#deps.now() + envelope.sla_window_ms, outcome: undefined });
  }

  /** Checks a claim once; repeated requests get the same outcome. A check that outlives its window ends as unverifiable. */
  async verify(claim: string): Promise<VerificationOutcome> {
    const file = this.file(claim);
    if (file.outcome !== undefined) return file.outcome;
    const running = this.#checks.get(claim) ?? this.#check(claim, file).finally(() => this.#checks.delete(claim));
    this.#checks.set(claim, running);
    return running;
  }

  /** The check, or the end of the claim's window, whichever comes first, so that an unresponsive source blocks no one. */
  #check(claim: string, { envelope, due }: ClaimFile): Promise<VerificationOutcome> {
    const { alarm = platformAlarm, now } = this.#deps;
    return new Promise((resolve, reject) => {
      const end = (found: VerificationOutcome | undefined) => {
        try {
          resolve(this.#settle(claim, found));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const stop = alarm(due + 1 - now(), () => end(undefined));
      void verify(envelope.attestation, this.#deps, envelope.source_digest).then((found) => {
        stop();
        end(found);
      });
    });
  }

  /** Ends every claim whose window has closed (CA-2); returns their ids. */
  expire(): readonly string[] {
    const late = [...this.#files.values()].filter((file) => this.#isLate(file));
    return late.map(({ envelope }) => {
      const claim = envelope.attestation.claim_id;
      this.#settle(claim, undefined);
      return claim;
    });
  }

  /** Withdraws a claim that was not verified. */
  suppress(claim: string): void {
    this.file(claim);
    this.#update(claim, { action: "suppress", claim });
  }

  /** Discloses a claim to a principal; the disclosure is recorded before it is returned (P-4). */
  show(claim: string, principal: string): ClaimAttestation {
    this.file(claim);
    this.#update(claim, { action: "show", claim, principal });
    return this.file(claim).envelope.attestation;
  }

  #known(claim: string): ClaimFile {
    const file = this.#files.get(claim);
    if (file === undefined) throw new UnknownClaim(claim);
    return file;
  }

  #isLate({ outcome, due }: ClaimFile): boolean {
    return outcome === undefined && due < this.#deps.now();
  }

  #settle(claim: string, found: VerificationOutcome | undefined): VerificationOutcome {
    const { outcome: already, due } = this.#known(claim);
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
    const file = this.#known(claim);
    this.#files.set(claim, { ...file, record: this.#step(event), outcome: outcome ?? file.outcome });
  }

  #step(event: LifecycleEvent): ClaimRecord {
    const known = this.#files.get(event.claim)?.record;
    const { record, entry } = advance(known, headOf(this.#trail), event, new Date(this.#deps.now()).toISOString());
    this.#trail.push(entry);
    return record;
  }
}
