import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Hash } from "../primitives/hex.ts";
import { type BindingRecord, isBindingSigned } from "./binding.ts";
import { type ClearingDecision, NEW_VERIFIER_WEIGHT, type WeightOf } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineSignature, NotTheEngine } from "./engine.ts";
import { type ExitRecord, isExitSigned } from "./exit.ts";
import { digestSchema, nameSchema, timeSchema } from "./fields.ts";
import { anchorOf, type FinalityEvaluation, isEvaluationSigned } from "./finality.ts";
import type { OverrideRecord } from "./override.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash, without } from "./seal.ts";
import type { SettlementInstruction } from "./settlement-instruction.ts";
import { type Signer, signatureSchema } from "./signature.ts";

const stepSchema = z.string().regex(/^[+-][1-9]\d{0,8}$/, "expected +1, -1 …");

/** Change of one passport by one final decision (A.3.6). */
export const passportDeltaSchema = z.strictObject({
  agent_id: nameSchema,
  delta_id: digestSchema,
  source_clearing_decision: digestSchema,
  applied_at: timeSchema,
  applied_conditional_on: z.literal("no appeal filed by appeal_window_closes_at"),
  fields: z.record(nameSchema, stepSchema).readonly(),
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type PassportDelta = z.infer<typeof passportDeltaSchema>;

/** A verifier's verdicts compared with final decisions, and audit results of its declared bases. */
export const trackRecordSchema = z.strictObject({
  agreed: z.int().nonnegative(),
  disagreed: z.int().nonnegative(),
  audits: z.int().nonnegative(),
  mismatches: z.int().nonnegative(),
});
export type TrackRecord = z.infer<typeof trackRecordSchema>;

/** Record of an agent, tool, provider or verifier across transactions (RAILS 3). */
export const passportSchema = z.strictObject({
  subject: nameSchema,
  fields: z.record(nameSchema, z.int()).readonly(),
  record: trackRecordSchema,
  /** Suspended: its weight is 0 until the flag is lifted. */
  flagged: z.boolean(),
  /** Applied decisions with their delta's id, oldest first; exits by their own id, bindings by their obligation's hash: each counts once. */
  history: z.array(z.strictObject({ source_clearing_decision: digestSchema, delta_id: digestSchema })).readonly(),
});
export type Passport = z.infer<typeof passportSchema>;

export const NO_RECORD: TrackRecord = { agreed: 0, disagreed: 0, audits: 0, mismatches: 0 };

export function newPassport(subject: string): Passport {
  return { subject, fields: {}, record: NO_RECORD, flagged: false, history: [] };
}

/**
 * The deltas that an instruction announces, one per subject; they take effect when ϕ fires. `decision`: the instruction's basis. Throws
 * NotTheEngine if the signer is not its engine. For `exonerated` subjects only forgeries are recorded: an appeal cleared them of the failure.
 */
export function deltasOf(
  instruction: SettlementInstruction,
  decision: ClearingDecision | OverrideRecord,
  engine: Signer,
  exonerated: readonly string[] = [],
): PassportDelta[] {
  if (engine.id !== decision.clearing_engine) throw new NotTheEngine(engine.id, `${decision.clearing_engine} decided it`);
  const changes = { ...instruction.penalty_action?.passport_delta, ...instruction.reputation_action?.passport_delta };
  const bySubject = new Map<string, Record<string, string>>();
  for (const { subject, field, step } of stepsIn(changes)) {
    if (exonerated.includes(subject) && field !== "forge_up_attempts") continue;
    const fields = bySubject.get(subject) ?? {};
    if (step !== 0) fields[field] = step > 0 ? `+${step}` : String(step);
    bySubject.set(subject, fields);
  }
  return [...bySubject].map(([agent, fields]) => {
    const body = {
      agent_id: agent,
      source_clearing_decision: anchorOf(decision),
      applied_at: decision.appeal_window_closes_at,
      applied_conditional_on: "no appeal filed by appeal_window_closes_at" as const,
      fields,
      clearing_engine: engine.id,
    };
    const id = hashOf(body);
    return { ...body, delta_id: id, clearing_engine_signature: signHash(engine, "passport-delta", id) };
  });
}

/** Announced changes, written `subject.field`: a subject may contain dots, a field none. */
function stepsIn(changes: Readonly<Record<string, number>>) {
  return Object.entries(changes).map(([name, step]) => {
    const dot = name.lastIndexOf(".");
    return { subject: name.slice(0, dot), field: name.slice(dot + 1), step };
  });
}

export function deltaId(delta: PassportDelta): Hash {
  return hashOf(without(delta, "delta_id", "clearing_engine_signature"));
}

/** Applies a delta to its passport once finality is proven. A decision counts once, and an engine cannot change passports of its own principal. */
export function applyDelta(
  passport: Passport,
  delta: PassportDelta,
  evaluation: FinalityEvaluation,
  deployment: Deployment,
): Checked<Passport> {
  const refused = (details: string) => refuse("DELTA_NOT_DUE", delta.agent_id, details);
  const { registry } = deployment;
  if (delta.agent_id !== passport.subject) return refused(`a delta of ${delta.agent_id}`);
  if (deltaId(delta) !== delta.delta_id) return refused("its hash is not its own");
  const { clearing_engine: engine, delta_id, clearing_engine_signature } = delta;
  if (!isEngineSignature(engine, "passport-delta", delta_id, clearing_engine_signature, deployment))
    return refused("no engine signed the delta");
  if (!isEvaluationSigned(evaluation, deployment)) return refused("no engine signed the evaluation");
  const houses = [engine, evaluation.clearing_engine].map((id) => registry.identity(id)?.principal);
  if (houses.includes(registry.identity(passport.subject)?.principal)) return refused("its engine has the subject's own principal");
  if (!evaluation.phi_result || evaluation.clearing_decision_hash !== delta.source_clearing_decision)
    return refused("its decision is not final");
  if (passport.history.some((entry) => entry.source_clearing_decision === delta.source_clearing_decision))
    return refused("the decision counts already");
  const fields = { ...passport.fields };
  for (const [field, step] of Object.entries(delta.fields)) fields[field] = (fields[field] ?? 0) + Number(step);
  const entry = { source_clearing_decision: delta.source_clearing_decision, delta_id: delta.delta_id };
  return accept({ ...passport, fields, history: [...passport.history, entry] });
}

/** Whose passports a binding, or the end of an obligation without finality, changes. */
export function subjectsOf({ passport_delta }: Pick<ExitRecord, "passport_delta">): readonly string[] {
  return [...new Set(stepsIn(passport_delta).map(({ subject }) => subject))];
}

/** Applies the end of an obligation without finality to a passport that it names: the record is signed, and final as it is. It counts once. */
export function applyExit(passport: Passport, exit: ExitRecord, deployment: Deployment): Checked<Passport> {
  if (!isExitSigned(exit, deployment)) return refuse("DELTA_NOT_DUE", passport.subject, "no engine signed the exit");
  return applyEvent(passport, { ...exit, once: exit.exit_id, id: exit.exit_id }, deployment);
}

/** Applies the binding of an obligation to a passport that it names (RAILS 6.1). An obligation is bound once, whoever publishes it again. */
export function applyBinding(passport: Passport, binding: BindingRecord, deployment: Deployment): Checked<Passport> {
  if (!isBindingSigned(binding, deployment)) return refuse("DELTA_NOT_DUE", passport.subject, "no engine signed the binding");
  return applyEvent(passport, { ...binding, once: binding.obligation_hash, id: binding.binding_id }, deployment);
}

interface PassportEvent extends Pick<ExitRecord, "passport_delta" | "clearing_engine"> {
  /** What counts once. */
  readonly once: Hash;
  readonly id: Hash;
}

function applyEvent(
  passport: Passport,
  { passport_delta, clearing_engine, once, id }: PassportEvent,
  deployment: Deployment,
): Checked<Passport> {
  const refused = (details: string) => refuse("DELTA_NOT_DUE", passport.subject, details);
  const { registry } = deployment;
  if (registry.identity(clearing_engine)?.principal === registry.identity(passport.subject)?.principal)
    return refused("its engine has the subject's own principal");
  const own = stepsIn(passport_delta).filter(({ subject }) => subject === passport.subject);
  if (own.length === 0) return refused("the record is not about it");
  if (passport.history.some((entry) => entry.source_clearing_decision === once)) return refused("the record counts already");
  const fields = { ...passport.fields };
  for (const { field, step } of own) fields[field] = (fields[field] ?? 0) + step;
  return accept({ ...passport, fields, history: [...passport.history, { source_clearing_decision: once, delta_id: id }] });
}

/** The passport after one more verdict was compared with the final decision. */
export function compared(passport: Passport, agreed: boolean): Passport {
  const { record } = passport;
  return { ...passport, record: agreed ? { ...record, agreed: record.agreed + 1 } : { ...record, disagreed: record.disagreed + 1 } };
}

/** The passport after a basis audit. */
export function audited(passport: Passport, matches: boolean): Passport {
  const { record } = passport;
  return { ...passport, record: { ...record, audits: record.audits + 1, mismatches: record.mismatches + (matches ? 0 : 1) } };
}

/** How many verdicts of its own a newcomer's prior is worth: a uniform one (A.4.2). */
const PRIOR_WORTH = 2;

/** W in basis points: the posterior mean of its verdicts and audits under a uniform prior, so 5000 for a newcomer (A.4.2); 0 while flagged. */
export function priorWeight(passport: Pick<Passport, "record" | "flagged">): number {
  return weightOver(NEW_VERIFIER_WEIGHT, passport);
}

/** The same under a prior of another mean, basis points. */
export function weightOver(mean: number, { record, flagged }: Pick<Passport, "record" | "flagged">): number {
  if (flagged) return 0;
  const good = record.agreed + record.audits - record.mismatches;
  const all = record.agreed + record.disagreed + record.audits;
  return Math.floor((BASIS_POINTS * good + PRIOR_WORTH * mean) / (all + PRIOR_WORTH));
}

/** W by verifier for `clear`; verifiers without a passport have a newcomer's. */
export function weightsFrom(passports: Iterable<Pick<Passport, "subject" | "record" | "flagged">>): WeightOf {
  const weights = new Map([...passports].map((passport) => [passport.subject, priorWeight(passport)]));
  return (verifier) => weights.get(verifier) ?? NEW_VERIFIER_WEIGHT;
}
