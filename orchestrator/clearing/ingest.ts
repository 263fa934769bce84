import type { Brand, Hash } from "../primitives/hex.ts";
import { type ClassName, meetAll } from "./admissibility.ts";
import type { BoundObligation } from "./bind.ts";
import type { ClassCheck, Deployment } from "./deployment.ts";
import { engineProblem } from "./engine.ts";
import {
  contentMatches,
  type EvidenceEnvelope,
  type EvidenceItem,
  envelopeId,
  envelopeSchema,
  type Hop,
  hopHash,
  itemHash,
} from "./evidence-envelope.ts";
import { read, secondsOf } from "./fields.ts";
import { actorsOf } from "./obligation.ts";
import { accept, type Checked, type Guard, type Refusal, refuse } from "./refusal.ts";
import { type Identity, inForce } from "./registry.ts";
import { hashOf, messageOf } from "./seal.ts";

/** An item whose provenance was proven, under the class that it proves. */
export interface AdmittedItem {
  readonly hash: Hash;
  readonly item: EvidenceItem;
  /** The meet of its claim and its hops. */
  readonly class: ClassName;
}

interface Ingested {
  readonly envelope: EvidenceEnvelope;
  readonly items: ReadonlyMap<Hash, AdmittedItem>;
  /** Attempts to rise are remembered: they feed the submitter's passport (RAILS 7.1). */
  readonly refusals: readonly Refusal[];
}

/** An envelope after ingest: what came through, and what was kept out. Only `ingest` makes one. */
export type AdmittedEnvelope = Brand<Ingested, "AdmittedEnvelope">;

const MAX_HOPS = 16;

/**
 * Envelope ingest, where FORGE-UP ends (RAILS 10.1). The envelope must be this obligation's and signed by who may act; then
 * each item stands alone: every hop's signature over this obligation and artifact, every issuer's registration for the class
 * it vouches for, and its disinterest. An item that fails is kept out; nothing ever enters above the meet of its chain.
 */
export function ingest(document: unknown, obligation: BoundObligation, deployment: Deployment): Checked<AdmittedEnvelope> {
  const parsed = read(envelopeSchema, document);
  if (!parsed.ok) return refuse("ENVELOPE_SHAPE", "envelope", parsed.problems);
  const envelope = parsed.value;
  const subject = envelope.envelope_id;
  if (envelope.obligation_hash !== obligation.obligation_hash) return refuse("OTHER_OBLIGATION", subject, envelope.obligation_hash);
  if (envelopeId(envelope) !== subject) return refuse("ENVELOPE_ID", subject, "the id is not the hash of the envelope");
  const submitter = deployment.registry.identity(envelope.submitted_by);
  // Where an actor is gone its engine may hand in what others vouched for: each item stands by its own hops all the same.
  const mayAct = actorsOf(obligation).includes(envelope.submitted_by) || fits(envelope.submitted_by, obligation, deployment);
  if (submitter === undefined || !mayAct) {
    return refuse("SUBMITTER_NOT_AUTHORISED", subject, envelope.submitted_by);
  }
  if (!deployment.verify(submitter.key, messageOf("envelope", subject), envelope.submission_signature)) {
    return refuse("SUBMISSION_SIGNATURE", subject, submitter.id);
  }
  const late = lateness(envelope, obligation);
  if (late !== undefined) return refuse("SUBMITTED_TOO_LATE", subject, late);

  const items = new Map<Hash, AdmittedItem>();
  const refusals: Refusal[] = [];
  const names = new Set<string>();
  for (const item of envelope.items) {
    if (names.has(item.id)) {
      refusals.push({ guard: "DUPLICATE_ITEM", subject: item.id, details: "an item of this name came first" });
      continue;
    }
    names.add(item.id);
    const checked = admitItem(item, envelope, obligation, deployment);
    if (checked.ok) items.set(checked.value.hash, checked.value);
    else refusals.push(...checked.refusals);
  }
  const ingested: Ingested = { envelope, items, refusals };
  return accept(ingested as AdmittedEnvelope);
}

/** One item against every guard. */
export function admitItem(
  item: EvidenceItem,
  envelope: Pick<EvidenceEnvelope, "submitted_at">,
  obligation: BoundObligation,
  deployment: Deployment,
): Checked<AdmittedItem> {
  const { admissibility } = deployment;
  if (!admissibility.elements.includes(item.class)) return refuse("UNKNOWN_ITEM_CLASS", item.id, item.class);
  if (!contentMatches(item)) return refuse("CONTENT_MISMATCH", item.id, "ref is not the digest of the content");
  if (item.provenance.length > MAX_HOPS) return refuse("CHAIN_TOO_LONG", item.id, `${item.provenance.length} hops, at most ${MAX_HOPS}`);
  if (item.provenance.length === 0 && item.class !== admissibility.bottom)
    return refuse("NO_PROVENANCE", item.id, `${item.class} claimed by nobody`);
  for (const [index, hop] of item.provenance.entries()) {
    const before = item.provenance[index - 1];
    const fault = faultOf(hop, before === undefined ? undefined : hashOf(before), item, envelope, obligation, deployment);
    if (fault !== undefined) return refuse(fault.guard, item.id, fault.details);
  }
  const stale = staleness(item, envelope, obligation);
  if (stale !== undefined) return refuse("STALE", item.id, stale);
  const proven = meetAll(
    admissibility,
    item.provenance.map((hop) => hop.class),
  );
  if (!admissibility.geq(proven, item.class)) return refuse("CLASS_ABOVE_PROVENANCE", item.id, `${item.class} claimed, ${proven} proven`);
  return accept({ hash: itemHash(item), item, class: admissibility.meet(item.class, proven) });
}

interface Fault {
  readonly guard: Guard;
  readonly details: string;
}

function faultOf(
  hop: Hop,
  previous: Hash | undefined,
  item: EvidenceItem,
  { submitted_at }: Pick<EvidenceEnvelope, "submitted_at">,
  obligation: BoundObligation,
  { admissibility, registry, verify, classChecks }: Deployment,
): Fault | undefined {
  const { emitter, class: claimed, signature } = hop;
  if (!admissibility.elements.includes(claimed)) return { guard: "UNKNOWN_ITEM_CLASS", details: claimed };
  if (hop.previous !== previous) return { guard: "HOP_SIGNATURE", details: `${emitter} vouched after another hop than this chain's` };
  // A self-reporting hop vouches for nothing; it only weakens what passes through it.
  if (claimed === admissibility.bottom) return undefined;
  const issuer = registry.identity(emitter);
  if (issuer === undefined) return { guard: "UNKNOWN_EMITTER", details: emitter };
  if (signature === undefined) return { guard: "HOP_UNSIGNED", details: `${emitter} vouches for ${claimed} without a signature` };
  if (claimed !== "SIGN" && !issuer.issues.includes(claimed))
    return { guard: "NOT_REGISTERED_FOR_CLASS", details: `${emitter}: ${claimed}` };
  if (!inForce(issuer, hop.issued_at)) return { guard: "REGISTRATION_NOT_IN_FORCE", details: `${emitter} at ${hop.issued_at}` };
  if (secondsOf(hop.issued_at) > secondsOf(submitted_at))
    return { guard: "HOP_IN_THE_FUTURE", details: `${hop.issued_at}, submitted ${submitted_at}` };
  const party = interest(issuer, claimed, obligation, { admissibility, registry });
  if (party !== undefined) return { guard: "INTERESTED_ISSUER", details: `${emitter} belongs to ${issuer.principal}, as ${party} does` };
  if (!verify(issuer.key, messageOf("hop", hopHash(obligation.obligation_hash, item, hop)), signature)) {
    return { guard: "HOP_SIGNATURE", details: `${emitter}'s signature is not over this artifact under this obligation` };
  }
  const check = classChecks[claimed];
  if (check === undefined ? claimed === admissibility.top : !holds(check, item, hop, obligation))
    return { guard: "PROOF_NOT_CHECKED", details: `${claimed} by ${emitter}` };
  return undefined;
}

/** Who acts cannot witness himself; a receipt and all above it come from outside the deal altogether (RAILS 5.1, A.2). */
function interest(
  issuer: Identity,
  claimed: ClassName,
  obligation: BoundObligation,
  { admissibility, registry }: Pick<Deployment, "admissibility" | "registry">,
): string | undefined {
  const barred = admissibility.geq(claimed, "REC")
    ? [...actorsOf(obligation), obligation.parties.requestor]
    : admissibility.geq(claimed, "WIT")
      ? actorsOf(obligation)
      : [];
  return barred.find((id) => registry.identity(id)?.principal === issuer.principal);
}

/** Whether somebody is the engine of an obligation that named it, or leaves that open. */
function fits(id: string, obligation: BoundObligation, deployment: Deployment): boolean {
  return engineProblem(id, obligation, deployment) === undefined;
}

function holds(check: ClassCheck, item: EvidenceItem, hop: Hop, obligation: BoundObligation): boolean {
  try {
    return check(item, hop, obligation);
  } catch {
    return false;
  }
}

function lateness({ submitted_at }: EvidenceEnvelope, { bound_at, deadlines }: BoundObligation): string | undefined {
  if (bound_at === undefined) return undefined;
  const [from, until] = [secondsOf(bound_at), secondsOf(bound_at) + deadlines.execution_window_hours * 3600];
  const at = secondsOf(submitted_at);
  if (deadlines.execution_begins !== undefined) return from <= at ? undefined : `${submitted_at}; it was bound at ${bound_at}`;
  return from <= at && at <= until ? undefined : `${submitted_at}; the window is ${deadlines.execution_window_hours} h from ${bound_at}`;
}

function staleness(
  item: EvidenceItem,
  { submitted_at }: Pick<EvidenceEnvelope, "submitted_at">,
  obligation: BoundObligation,
): string | undefined {
  const limit = obligation.evidence_requirements?.find(({ type }) => type === item.type)?.max_age_seconds;
  if (limit === undefined) return undefined;
  const ages = item.provenance.map((hop) => secondsOf(submitted_at) - secondsOf(hop.issued_at));
  return Math.max(0, ...ages) <= limit ? undefined : `${Math.max(...ages)} s old, at most ${limit}`;
}
