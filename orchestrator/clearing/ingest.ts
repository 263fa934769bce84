import type { Brand, Hash } from "../primitives/hex.ts";
import { type ClassName, meetAll } from "./admissibility.ts";
import type { Appeal } from "./appeal.ts";
import type { BoundObligation } from "./bind.ts";
import type { ClassCheck, Deployment } from "./deployment.ts";
import type { Docket } from "./docket.ts";
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
import { read, secondsOf, timeOf } from "./fields.ts";
import { actorsOf, executionBegins } from "./obligation.ts";
import { accept, type Checked, type Guard, type Refusal, refuse } from "./refusal.ts";
import { type Identity, inForce } from "./registry.ts";
import { hashOf, messageOf } from "./seal.ts";

/** An item with proven provenance. */
export interface ProvenItem {
  readonly item: EvidenceItem;
  /** Its proven class: the meet of its claimed class and its hops. */
  readonly class: ClassName;
}

/** The same in an envelope, under the name that a basis gives it. */
export interface AdmittedItem extends ProvenItem {
  readonly hash: Hash;
}

interface Ingested {
  readonly envelope: EvidenceEnvelope;
  readonly items: ReadonlyMap<Hash, AdmittedItem>;
  /** Attempted class inflation, recorded for the submitter's passport (RAILS 7.1). */
  readonly refusals: readonly Refusal[];
  /** If an appeal reopened the obligation: the appeal, and what was decided before it. */
  readonly reopened?: { readonly appeal: Hash; readonly decided: AdmittedEnvelope };
}

/** An envelope after ingest: admitted and rejected items. Only `ingest` and `ingestAgain` make one. */
export type AdmittedEnvelope = Brand<Ingested, "AdmittedEnvelope">;

const MAX_HOPS = 16;

/**
 * Envelope ingest, which prevents FORGE-UP (RAILS 10.1). The envelope must be for this obligation and signed by an authorised party. Each
 * item is then checked on its own: every hop's signature over this obligation and artifact, every issuer's registration for its class, and
 * its independence. A failing item is rejected; nothing is ever admitted above the meet of its chain. `docket`: where execution was paused, the
 * window is longer by that.
 */
export function ingest(
  document: unknown,
  obligation: BoundObligation,
  deployment: Deployment,
  docket?: Pick<Docket, "margin">,
): Checked<AdmittedEnvelope> {
  return admitted(document, obligation, deployment, { paused: docket?.margin(obligation.obligation_hash).paused ?? 0 });
}

/** What an appeal reopens. */
export interface Reopening {
  readonly appeal: Appeal;
  /** The envelope that was decided. */
  readonly decided: AdmittedEnvelope;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/**
 * Ingest of an appeal's envelope: by the appellant, whenever it may appeal. It repeats every item that was admitted before, which keeps its
 * class and is no older for it, so that an appeal can add evidence but neither drop nor outlast any.
 */
export function ingestAgain(
  document: unknown,
  obligation: BoundObligation,
  deployment: Deployment,
  reopening: Reopening,
): Checked<AdmittedEnvelope> {
  return admitted(document, obligation, deployment, { paused: 0, reopening });
}

function admitted(
  document: unknown,
  obligation: BoundObligation,
  deployment: Deployment,
  { paused, reopening }: { readonly paused: number; readonly reopening?: Reopening },
): Checked<AdmittedEnvelope> {
  const parsed = read(envelopeSchema, document);
  if (!parsed.ok) return refuse("ENVELOPE_SHAPE", "envelope", parsed.problems);
  const envelope = parsed.value;
  const subject = envelope.envelope_id;
  if (envelope.obligation_hash !== obligation.obligation_hash) return refuse("OTHER_OBLIGATION", subject, envelope.obligation_hash);
  if (envelopeId(envelope) !== subject) return refuse("ENVELOPE_ID", subject, "the id is not the hash of the envelope");
  const submitter = deployment.registry.identity(envelope.submitted_by);
  // If an actor is gone its engine may submit items vouched for by others: each item is checked by its own hops anyway.
  const mayAct =
    reopening === undefined
      ? actorsOf(obligation).includes(envelope.submitted_by) || fits(envelope.submitted_by, obligation, deployment)
      : envelope.submitted_by === reopening.appeal.filed_by;
  if (submitter === undefined || !mayAct) {
    return refuse("SUBMITTER_NOT_AUTHORISED", subject, envelope.submitted_by);
  }
  if (!deployment.verify(submitter.key, messageOf("envelope", subject), envelope.submission_signature)) {
    return refuse("SUBMISSION_SIGNATURE", subject, submitter.id);
  }
  const late = reopening === undefined ? lateness(envelope, obligation, paused) : outOfOrder(envelope, reopening);
  if (late !== undefined) return refuse("SUBMITTED_TOO_LATE", subject, late);
  if (reopening !== undefined && reopening.appeal.envelope_id !== subject)
    return refuse("OTHER_ENVELOPE", subject, `the appeal names ${reopening.appeal.envelope_id}`);

  const items = new Map<Hash, AdmittedItem>();
  const refusals: Refusal[] = [];
  const names = new Set<string>();
  for (const item of envelope.items) {
    if (names.has(item.id)) {
      refusals.push({ guard: "DUPLICATE_ITEM", subject: item.id, details: "an item of this name came first" });
      continue;
    }
    names.add(item.id);
    const hash = itemHash(item);
    const known = reopening?.decided.items.get(hash);
    const checked = known === undefined ? admitItem(item, envelope, obligation, deployment) : accept(known);
    if (checked.ok) items.set(hash, { hash, ...checked.value });
    else refusals.push(...checked.refusals);
  }
  const missing = [...(reopening?.decided.items.values() ?? [])].find(({ hash }) => !items.has(hash));
  if (missing !== undefined) return refuse("EVIDENCE_LEFT_OUT", subject, `${missing.item.id} was admitted before`);
  const ingested: Ingested = {
    ...{ envelope, items, refusals },
    ...(reopening === undefined ? {} : { reopened: { appeal: reopening.appeal.appeal_id, decided: reopening.decided } }),
  };
  return accept(ingested as AdmittedEnvelope);
}

/** Checks one item with every guard. */
export function admitItem(
  item: EvidenceItem,
  envelope: Pick<EvidenceEnvelope, "submitted_at">,
  obligation: BoundObligation,
  deployment: Deployment,
): Checked<ProvenItem> {
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
  return accept({ item, class: admissibility.meet(item.class, proven) });
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
  // A self-reporting hop proves nothing; it can only weaken the item.
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

/** An actor cannot be its own witness; a receipt and everything above must come from outside the deal (RAILS 5.1, A.2). */
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

/** Whether `id` is the named engine of an obligation, or any engine if none is named. */
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

function lateness({ submitted_at }: EvidenceEnvelope, { bound_at, deadlines }: BoundObligation, paused: number): string | undefined {
  if (bound_at === undefined) return undefined;
  const from = executionBegins({ bound_at, deadlines }) ?? secondsOf(bound_at);
  const until = from + deadlines.execution_window_hours * 3600 + paused;
  const at = secondsOf(submitted_at);
  if (deadlines.execution_begins !== undefined) return from <= at ? undefined : `${submitted_at}; it was bound at ${bound_at}`;
  return from <= at && at <= until
    ? undefined
    : `${submitted_at}; the window is ${deadlines.execution_window_hours} h from ${timeOf(BigInt(from))}`;
}

/** An appeal's envelope comes after the one that was decided, and not from the future. */
function outOfOrder({ submitted_at }: EvidenceEnvelope, { decided, now }: Reopening): string | undefined {
  const [at, before] = [secondsOf(submitted_at), decided.envelope.submitted_at];
  return secondsOf(before) <= at && BigInt(at) <= now ? undefined : `${submitted_at}; ${before} was decided, it is ${timeOf(now)}`;
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
