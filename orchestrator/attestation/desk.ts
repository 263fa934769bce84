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

/** All that is known of a claim. */
export interface ClaimFile {
  readonly envelope: ClaimEnvelope;
  readonly record: ClaimRecord;
  /** Milliseconds since 1970 at which the claim counts as unverifiable (CA-2). */
  readonly due: number;
  readonly outcome: VerificationOutcome | undefined;
}

/** A step of a desk: its entry of the trail, and what it brought. */
export interface DeskStep {
  readonly entry: TrailEntry;
  readonly envelope?: ClaimEnvelope | undefined;
  readonly outcome?: VerificationOutcome | undefined;
}

/** Nobody emitted this claim here. */
export class UnknownClaim extends AgentCityError {
  constructor(claim: string) {
    super("UnknownClaim", "No such claim was emitted here", { details: claim, action: "emit it first" });
  }
}

/** Rings once, after so many milliseconds; what it returns stops it. A port, since time is one. */
export type Alarm = (millis: number, ring: () => void) => () => void;

/** The longest that one timer of the platform waits. */
const LONGEST = 2 ** 31 - 1;

/** The platform's timer, stopped when the check ends. A window of more than 24 days ends when somebody looks. */
const platformAlarm: Alarm = (millis, ring) => {
  if (millis > LONGEST) return () => {};
  const timer = setTimeout(ring, millis);
  return () => clearTimeout(timer);
};

export interface DeskDeps extends VerifierDeps {
  readonly alarm?: Alarm;
}

/**
 * Keeps claims through their lives: emitted, checked once and in time, suppressed or shown, each step in the trail (Pramana 2.3).
 * State is in memory; `exportBundle` takes it out, whole, and `stepsFrom` as it grows, for whoever goes on with it after a restart.
 */
export class AttestationDesk {
  readonly #deps: DeskDeps;
  readonly #files = new Map<string, ClaimFile>();
  readonly #trail: TrailEntry[] = [];
  /** Checks under way: a claim is looked at once, however many ask. */
  readonly #checks = new Map<string, Promise<VerificationOutcome>>();

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  /** Goes on where a desk stopped that took these steps. Throws TrailBroken, LifecycleRefused where they are not one desk's. */
  static resumed(deps: DeskDeps, steps: readonly DeskStep[]): AttestationDesk {
    checkTrail(steps.map(({ entry }) => entry));
    const desk = new AttestationDesk(deps);
    for (const step of steps) desk.#retake(step);
    return desk;
  }

  /** What happened since so many steps. */
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

  /** All that is known of a claim; one whose window has closed is unverifiable whoever looks first. */
  file(claim: string): ClaimFile {
    if (this.#isLate(this.#known(claim))) this.#settle(claim, undefined);
    return this.#known(claim);
  }

  files(): readonly ClaimFile[] {
    this.expire();
    return [...this.#files.values()];
  }

  /** The trail's end, signed: a bundle cannot be cut short without this key. */
  sealedHead(): SealedHead {
    return sealHead(headOf(this.#trail), this.#deps.signer);
  }

  /** Takes a claim in. Throws InvalidValue for what is no envelope, as one without a place to verify it (CA-1), LifecycleRefused if it is known. */
  emit(input: ClaimEnvelope): void {
    const parsed = claimEnvelopeSchema.safeParse(input);
    if (!parsed.success)
      throw new InvalidValue("claim envelope", z.prettifyError(parsed.error), { action: "make it with `envelope`, or by its JSON Schema" });
    const envelope = parsed.data;
    const { claim_id: claim, claim_type: claimType, attester_id: attester } = envelope.attestation;
    const record = this.#step({ action: "emit", claim, claimType, attester, digest: claimDigest(envelope.attestation) });
    this.#files.set(claim, { envelope, record, due: this.#deps.now() + envelope.sla_window_ms, outcome: undefined });
  }

  /** Checks a claim; asked again it gives the same outcome. A check that outlives its window ends as unverifiable. */
  async verify(claim: string): Promise<VerificationOutcome> {
    const file = this.file(claim);
    if (file.outcome !== undefined) return file.outcome;
    const running = this.#checks.get(claim) ?? this.#check(claim, file).finally(() => this.#checks.delete(claim));
    this.#checks.set(claim, running);
    return running;
  }

  /** The check, or the end of the claim's window, whichever comes first: a source that never answers holds nobody up. */
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

  /** Ends every claim whose window closed (CA-2); returns their ids. */
  expire(): readonly string[] {
    const late = [...this.#files.values()].filter((file) => this.#isLate(file));
    return late.map(({ envelope }) => {
      const claim = envelope.attestation.claim_id;
      this.#settle(claim, undefined);
      return claim;
    });
  }

  /** Withdraws a claim that did not hold. */
  suppress(claim: string): void {
    this.file(claim);
    this.#update(claim, { action: "suppress", claim });
  }

  /** The claim, for a principal to see; the disclosure is on record before it is returned (P-4). */
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
