import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { type ByteSigner, isSignedBy } from "../primitives/signing.ts";
import { agreementHash, type KeyOf, messageBytes } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, identitySchema, type PartyIdentity, sameIdentity } from "./schema.ts";
import { type Determination, type Determining, determine, type Measured } from "./score.ts";
import { contentHash, type Deliverable, type StructuralPorts, verifyStructure } from "./structure.ts";

/** A question to an evaluator about one dimension of one deliverable, independent of all others. */
export interface Question {
  readonly dimension: string;
  readonly request: string;
  readonly rubric?: string | undefined;
  /** The model that the terms name. */
  readonly model?: string | undefined;
  /** The deliverable as data, between delimiters that it cannot contain. */
  readonly fenced: string;
}

export interface Answer {
  readonly value: number | boolean;
  /** The evidence; an answer without it does not count. */
  readonly evidence: string;
  /** 0–1. */
  readonly confidence: number;
  readonly cost_usd: number;
  readonly shadow?: number | boolean;
}

/** Port of an evaluator that understands the deliverable. */
export interface Evaluator {
  readonly identity: PartyIdentity;
  readonly model_family?: string;
  evaluate(question: Question): Promise<Answer>;
}

/** What a check found, alone or with its evidence. */
export type CheckFinding = number | boolean | { readonly value: number | boolean; readonly evidence: string };

/** A named check of the content: tests pass, citations exist. A gate or a dimension refers to it by its name. */
export type Checks = Readonly<Record<string, (content: Uint8Array) => Promise<CheckFinding>>>;

const value = z.union([z.number(), z.boolean()]);
const digest = z.custom<Hash>((hash) => typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash), "expected a SHA-256 digest");

const MOST_NOTES = 2_000;

export const resultSchema = z.strictObject({
  verification_id: z.string().min(1),
  agreement_id: z.string(),
  agreement_hash: digest,
  timestamp: z.iso.datetime({ precision: 0 }),
  evaluator: identitySchema,
  /** All measurements by dimension, shadow metric or check; the determination follows from them and the terms. */
  measured: z.record(z.string(), value),
  evidence: z.record(z.string(), z.string()),
  /** Composites of earlier deliveries, if a guarantee covers several. */
  history: z.array(z.int().min(0).max(10_000)).optional(),
  noise_seed: z.string().optional(),
  problems: z.array(z.string()),
  determination: z.strictObject({
    result: z.enum(["PASS", "FAIL", "incomplete"]),
    composite: z.int(),
    payment_release_percent: z.number(),
    confidence: z.number().min(0).max(1),
    /** The determination in words; nothing follows from it. */
    notes: z.string().max(MOST_NOTES).optional(),
  }),
  evidence_trail: z.strictObject({
    deliverable_hash: digest,
    /** `evaluationHash` of what was measured. */
    evaluation_hash: digest.optional(),
    /** By the evaluator's clock. */
    evaluation_duration_ms: z.int().nonnegative().optional(),
    evaluation_cost_usd: z.number().nonnegative(),
  }),
  signature: z.string(),
});
export type VerificationResult = z.infer<typeof resultSchema>;

export interface VerificationPorts extends StructuralPorts {
  readonly evaluator?: Evaluator;
  readonly checks?: Checks;
  /** The evaluator's clock, milliseconds. Without it the result does not say how long the evaluation took. */
  readonly millis?: () => number;
}

export interface Verifying extends Determining {
  readonly verification_id: string;
  readonly timestamp: string;
  /** When the provider's time started. */
  readonly startedAt: string;
  /** Hash of the delivery stated by the provider. */
  readonly deliverableHash: Hash;
  /** The evaluator's key. */
  readonly signer: ByteSigner;
  readonly identity: PartyIdentity;
}

/**
 * Evaluates a delivery and signs the result: the content matches the delivery; its structure; checks; then dimensions that need
 * understanding, one at a time and within the cost cap. A structural failure ends the evaluation before it costs anything. Throws
 * DeliverableMismatch, NoEvaluator, NotIndependent, CostTooHigh.
 */
export async function evaluateDelivery(
  agreement: Agreement,
  delivered: Deliverable,
  at: Verifying,
  { evaluator, checks = {}, millis, ...ports }: VerificationPorts = {},
): Promise<VerificationResult> {
  const began = millis?.();
  const hash = contentHash(delivered);
  if (hash !== at.deliverableHash) throw new AgreementRefused("DeliverableMismatch", "The content does not match the delivery", hash);
  const { depth = "structural" } = agreement.verification;
  const judge = depth === "structural" ? undefined : requireEvaluator(agreement, evaluator);
  const structure = verifyStructure(agreement, delivered, { ...ports, startedAt: at.startedAt });
  const measured: Record<string, number | boolean> = { ...structure.measured };
  const checked: Record<string, string> = {};
  if (structure.problems.length === 0)
    for (const [name, check] of Object.entries(checks)) {
      const found = await check(delivered.content);
      measured[name] = typeof found === "object" ? found.value : found;
      if (typeof found === "object") checked[name] = found.evidence;
    }
  const worthJudging = structure.problems.length === 0 && !failsAlready(agreement, measured);
  const judged =
    judge === undefined || !worthJudging ? NOTHING_JUDGED : await judgeDimensions(agreement, judge, { measured, delivered, hash });
  const { confidence, cost, evidence } = judged;
  const { problems, unseen } = structure;
  const measurement = { measured: { ...measured, ...judged.measured }, evidence: { ...checked, ...evidence }, problems, confidence, cost };
  const duration = began === undefined || millis === undefined ? undefined : Math.max(0, Math.round(millis() - began));
  const body = draftResult(agreement, { ...at, deliverableHash: hash }, { ...measurement, duration, unseen });
  return { ...body, signature: at.signer.sign(messageBytes("result", resultHash(body))) };
}

/** An evaluator's findings. */
export interface Measurement {
  readonly measured: Measured;
  readonly evidence: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
  /** 0–1: the lowest of all answers. */
  readonly confidence: number;
  /** Dollars. */
  readonly cost: number;
  /** Milliseconds. */
  readonly duration?: number | undefined;
  /** Terms that were not measured. */
  readonly unseen?: readonly string[];
}

/** Hash of what an evaluation found: of its measurements, their evidence and the problems of the structure. */
export function evaluationHash({ measured, evidence, problems }: Pick<VerificationResult, "measured" | "evidence" | "problems">): Hash {
  return sha256(canonicalJson({ measured, evidence, problems }));
}

/** The result that follows from the measurements, without the evaluator's signature. */
export function draftResult(
  agreement: Agreement,
  at: Omit<Verifying, "signer" | "startedAt">,
  { confidence, cost, duration, unseen = [], ...measurement }: Measurement,
): Omit<VerificationResult, "signature"> {
  const { history, noiseSeed } = at;
  const found = { measured: { ...measurement.measured }, evidence: { ...measurement.evidence }, problems: [...measurement.problems] };
  const follows = determinationOf(agreement, found, at);
  return {
    verification_id: at.verification_id,
    agreement_id: agreement.agreement_id,
    agreement_hash: agreementHash(agreement),
    timestamp: at.timestamp,
    evaluator: at.identity,
    ...found,
    ...(history === undefined ? {} : { history: [...history] }),
    ...(noiseSeed === undefined ? {} : { noise_seed: noiseSeed }),
    determination: { ...printed(follows), confidence, notes: notesOn(agreement, follows, { ...found, unseen }) },
    evidence_trail: {
      deliverable_hash: at.deliverableHash,
      evaluation_hash: evaluationHash(found),
      ...(duration === undefined ? {} : { evaluation_duration_ms: duration }),
      evaluation_cost_usd: cost,
    },
  };
}

interface Judged {
  readonly measured: Measured;
  readonly evidence: Record<string, string>;
  /** Lowest confidence of all answers. */
  readonly confidence: number;
  readonly cost: number;
}
const NOTHING_JUDGED: Judged = { measured: {}, evidence: {}, confidence: 1, cost: 0 };

/** Queries every dimension that is not measured yet; answers without evidence are discarded. */
async function judgeDimensions(
  agreement: Agreement,
  judge: Evaluator,
  { measured, delivered, hash }: { readonly measured: Measured; readonly delivered: Deliverable; readonly hash: Hash },
): Promise<Judged> {
  const answers: Record<string, number | boolean> = {};
  const evidence: Record<string, string> = {};
  let [confidence, cost] = [1, 0];
  for (const { name, shadow_metric } of agreement.quality_criteria.dimensions) {
    if (Object.hasOwn(measured, name)) continue;
    const answer = await judge.evaluate(questionOf(agreement, name, delivered, hash));
    cost += answer.cost_usd;
    if (cost > (agreement.verification.cost_cap ?? Number.POSITIVE_INFINITY))
      throw new AgreementRefused("CostTooHigh", "The evaluation costs more than was agreed", `${cost} dollars`);
    if (answer.evidence.trim() === "") continue;
    answers[name] = answer.value;
    evidence[name] = answer.evidence;
    if (shadow_metric !== undefined && answer.shadow !== undefined) answers[shadow_metric] = answer.shadow;
    confidence = Math.min(confidence, answer.confidence);
  }
  return { measured: answers, evidence, confidence, cost };
}

/** Hash of a result without its signature. */
export function resultHash(result: Omit<VerificationResult, "signature"> & { readonly signature?: string }): Hash {
  const { signature: _, ...body } = result;
  return sha256(canonicalJson(body));
}

export interface ResultChecks {
  readonly keyOf: KeyOf;
  /** The drawn or named evaluator. */
  readonly assigned: PartyIdentity;
  readonly deliverableHash: Hash;
  /** Hashes of results already accepted. */
  readonly taken?: ReadonlySet<Hash>;
  /** Composites of earlier deliveries as known to the recipient; an evaluator's own statement of them proves nothing. */
  readonly history?: readonly number[];
}

/** Throws AgreementRefused for a malformed result. */
export function resultIn(document: unknown): VerificationResult {
  const parsed = resultSchema.safeParse(document);
  if (!parsed.success) throw new AgreementRefused("MalformedAgreement", "The result is malformed", z.prettifyError(parsed.error));
  return parsed.data;
}

/**
 * Validates a received result: for this agreement and this delivery, by the assigned evaluator, new, within the cost cap, and with the
 * determination that follows from its own measurements and the earlier deliveries. Throws AgreementRefused.
 */
export function readResult(agreement: Agreement, document: unknown, checks: ResultChecks): Determination {
  return checkResult(agreement, resultIn(document), checks).determination;
}

/** The same for a result that `resultIn` has read, with its hash. */
export function checkResult(
  agreement: Agreement,
  result: VerificationResult,
  { keyOf, assigned, deliverableHash, taken, history: known = [] }: ResultChecks,
): { readonly determination: Determination; readonly hash: Hash } {
  if (result.agreement_hash !== agreementHash(agreement)) throw new AgreementRefused("OtherTerms", "The result is for another agreement");
  if (result.evidence_trail.deliverable_hash !== deliverableHash)
    throw new AgreementRefused("DeliverableMismatch", "The result is for another delivery", result.evidence_trail.deliverable_hash);
  if (!sameIdentity(result.evaluator, assigned)) throw new AgreementRefused("WrongSender", "The result is not from the assigned evaluator");
  const key = keyOf(result.evaluator);
  if (key === undefined) throw new AgreementRefused("UnknownKey", "No key of the evaluator is known");
  const hash = resultHash(result);
  if (!isSignedBy(key, messageBytes("result", hash), result.signature as Hex))
    throw new AgreementRefused("BadSignature", "The evaluator has not signed this result");
  if (taken?.has(hash) === true) throw new AgreementRefused("Replayed", "This result has already been accepted");
  const { history = [], noise_seed: noiseSeed } = result;
  const { evaluation_cost_usd: cost, evaluation_hash: stated } = result.evidence_trail;
  if (stated !== undefined && stated !== evaluationHash(result))
    throw new AgreementRefused("WrongDetermination", "Its evaluation_hash is of other measurements", stated);
  if (cost > (agreement.verification.cost_cap ?? Number.POSITIVE_INFINITY))
    throw new AgreementRefused("CostTooHigh", "The evaluation costs more than was agreed", `${cost} dollars`);
  if (canonicalJson(history) !== canonicalJson(known))
    throw new AgreementRefused("WrongDetermination", "Its history does not match the earlier deliveries", canonicalJson(known));
  const follows = determinationOf(agreement, result, { history, ...(noiseSeed === undefined ? {} : { noiseSeed }) });
  const { result: word, composite, payment_release_percent } = result.determination;
  if (follows.result !== word || follows.composite !== composite || follows.release_percent !== payment_release_percent)
    throw new AgreementRefused("WrongDetermination", "Its determination does not follow from its measurements");
  return { determination: follows, hash };
}

/** The determination that follows from the measurements: structural problems fail it, whatever the scores are. */
export function determinationOf(
  agreement: Agreement,
  { measured, problems }: { readonly measured: Measured; readonly problems: readonly string[] },
  determining: Determining,
): Determination {
  const done = determine(agreement, measured, determining);
  return problems.length === 0 ? done : { ...done, result: "FAIL", release_percent: 0 };
}

function printed({ result, composite, release_percent }: Determination) {
  return { result, composite, payment_release_percent: release_percent };
}

/** A determination in words, by its own figures. */
function notesOn(
  { quality_criteria }: Agreement,
  found: Determination,
  { problems, unseen }: { readonly problems: readonly string[]; readonly unseen: readonly string[] },
): string {
  const missed = found.dimensions.flatMap(({ name, slo_met }) => (slo_met === false ? [name] : []));
  const words = [
    ...problems,
    found.gates_passed ? [] : "A gate failed or was not checked",
    missed.length === 0 ? "All measured SLOs met" : `SLOs missed: ${missed.join(", ")}`,
    `Composite score ${(found.composite / 100).toFixed(2)}, threshold ${quality_criteria.composite_threshold}`,
    unseen.length === 0 ? [] : `Not checked: ${unseen.join(", ")}`,
  ].flat();
  return `${words.join(". ")}.`.slice(0, MOST_NOTES).toWellFormed();
}

function requireEvaluator({ parties, verification }: Agreement, evaluator: Evaluator | undefined): Evaluator {
  if (evaluator === undefined)
    throw new AgreementRefused("NoEvaluator", `The depth ${verification.depth} requires an evaluator; a structural check is not enough`);
  const families = [parties.client, parties.provider].map(({ model_family }) => model_family);
  const own = evaluator.model_family !== undefined && families.includes(evaluator.model_family);
  const party = [parties.client, parties.provider].some(({ identity }) => sameIdentity(identity, evaluator.identity));
  if (own || party) throw new AgreementRefused("NotIndependent", "The evaluator is a party, or of a party's model family");
  const agreed = parties.evaluator.config?.model_family;
  if (agreed !== undefined && agreed !== evaluator.model_family)
    throw new AgreementRefused(
      "NoEvaluator",
      "The evaluator is of another model family than agreed",
      evaluator.model_family,
      `ask one of ${agreed}`,
    );
  return evaluator;
}

/** Whether a gate has already failed, so that the rest need not be paid for. */
function failsAlready({ quality_criteria }: Agreement, measured: Measured): boolean {
  return (quality_criteria.quality_gates ?? []).some(({ condition, type }) => type === "boolean" && measured[condition] === false);
}

/** The question about one dimension. */
export function questionOf({ service, parties }: Agreement, dimension: string, { content }: Deliverable, hash: Hash): Question {
  const mark = `deliverable ${hash}`;
  const text = new TextDecoder().decode(content);
  return {
    dimension,
    request: service.description,
    rubric: parties.evaluator.config?.rubric_id,
    model: parties.evaluator.config?.model,
    fenced: `<${mark}>\n${text}\n</${mark}>`,
  };
}
