import { z } from "zod";
import type { BoundObligation } from "./bind.ts";
import { type ClearingDecision, isSigned } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import type { Docket } from "./docket.ts";
import { isEngineSignature, requireEngine } from "./engine.ts";
import type { EvidenceEnvelope } from "./evidence-envelope.ts";
import { digestSchema, nameSchema, QUESTIONS, read, secondsOf, timeOf, timeSchema } from "./fields.ts";
import { type AdmittedEnvelope, ingestAgain } from "./ingest.ts";
import { floorFor, performersOf } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, messageOf, signHash, without } from "./seal.ts";
import type { SettlementInstruction } from "./settlement-instruction.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** Characters that the grounds of an appeal may have, wherever it is filed. */
export const MAX_GROUNDS = 4_000;

/** A party's appeal against a provisional instruction, with evidence that nobody has judged yet (RAILS 6.3). */
export const appealSchema = z.strictObject({
  appeal_id: digestSchema,
  obligation_hash: digestSchema,
  /** The instruction that it asks to withdraw. */
  instruction_id: digestSchema,
  /** What is judged next: everything that was admitted before, and the new evidence. */
  envelope_id: digestSchema,
  filed_by: nameSchema,
  grounds: z.string().min(1).max(MAX_GROUNDS),
  signature: signatureSchema,
});
export type Appeal = z.infer<typeof appealSchema>;

/** An appeal as its engine received it, in time. */
export const appealRecordSchema = z.strictObject({
  ...appealSchema.shape,
  received_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type AppealRecord = z.infer<typeof appealRecordSchema>;

/** Signs an appeal. `envelope`: sealed by the same signer; it repeats the admitted items of the envelope that was decided. */
export function signAppeal(
  appellant: Signer,
  instruction: Pick<SettlementInstruction, "obligation_hash" | "instruction_id">,
  envelope: Pick<EvidenceEnvelope, "envelope_id">,
  grounds: string,
): Appeal {
  const { obligation_hash, instruction_id } = instruction;
  const body = { obligation_hash, instruction_id, envelope_id: envelope.envelope_id, filed_by: appellant.id, grounds };
  const id = hashOf(body);
  return { ...body, appeal_id: id, signature: signHash(appellant, "appeal", id) };
}

export interface AppealInput {
  /** The appeal and its envelope, as received. */
  readonly appeal: unknown;
  readonly envelope: unknown;
  readonly obligation: BoundObligation;
  /** What the appeal is about: the envelope that was decided, and its decision. */
  readonly decided: AdmittedEnvelope;
  readonly decision: ClearingDecision;
  readonly docket: Docket;
  readonly deployment: Deployment;
  readonly engine: Signer;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/** A received appeal, and the envelope for the next clearing. */
export interface Reopened {
  readonly record: AppealRecord;
  readonly envelope: AdmittedEnvelope;
}

/**
 * Receives an appeal and returns its obligation to verification: the instruction never becomes final, and only a decision on the new
 * envelope settles again. APPEAL_NOT_DUE: its filer is no party, its side (requestor or performers) has appealed already, it is not in the window,
 * not about the standing instruction and its decision, or has no new evidence at a floor. The envelope is judged as at ingest, but may be by
 * any party and outside the execution window; it must repeat what was admitted, which keeps its class. Throws NotTheEngine unless the caller
 * is an engine of this obligation.
 */
export function recordAppeal(input: AppealInput): Checked<Reopened> {
  const { obligation, decided, docket, deployment, engine, now } = input;
  requireEngine(engine.id, obligation, deployment);
  const parsed = read(appealSchema, input.appeal);
  if (!parsed.ok) return refuse("APPEAL_NOT_DUE", "appeal", parsed.problems);
  const appeal = parsed.value;
  const subject = appeal.appeal_id;
  const unsupported = docket.problem(obligation, deployment);
  if (unsupported !== undefined) return refuse("DOCKET_UNSUPPORTED", obligation.obligation_hash, unsupported);
  const problem = appealProblem(appeal, input);
  if (problem !== undefined) return refuse("APPEAL_NOT_DUE", subject, problem);
  const envelope = ingestAgain(input.envelope, obligation, deployment, { decided, appeal, now });
  if (!envelope.ok) return envelope;
  const { questions = QUESTIONS } = obligation.verifier_policy;
  const floors = questions.map((question) => floorFor(obligation, "fee_release", question));
  const isNew = [...envelope.value.items.values()].some(
    (item) => !decided.items.has(item.hash) && floors.some((floor) => deployment.admissibility.geq(item.class, floor)),
  );
  if (!isNew) return refuse("APPEAL_NOT_DUE", subject, "it has no new evidence at a floor, and less decides nothing");
  const body = { ...appeal, received_at: timeOf(now), clearing_engine: engine.id };
  const record = { ...body, clearing_engine_signature: signHash(engine, "appeal-record", hashOf(body)) };
  const reopened = docket.appeal(record);
  return reopened.ok ? accept({ record, envelope: envelope.value }) : reopened;
}

function appealProblem(appeal: Appeal, { obligation, decided, decision, docket, deployment, now }: AppealInput): string | undefined {
  const { registry } = deployment;
  const { filed_by, obligation_hash } = appeal;
  if (obligation_hash !== obligation.obligation_hash) return "it is about another obligation";
  if (![obligation.parties.requestor, ...performersOf(obligation)].includes(filed_by)) return `${filed_by} is no party`;
  if (!isAppealSigned(appeal, deployment)) return `${filed_by} has not signed it`;
  const house = (id: string) => registry.identity(id)?.principal ?? id;
  // Each side has one of LIMITS.appeals, so that neither uses up the other's, whatever their number.
  const side = (id: string) => (house(id) === house(obligation.parties.requestor) ? "requestor" : "performers");
  const before = docket.appeals(obligation_hash).find((each) => side(each.filed_by) === side(filed_by));
  if (before !== undefined) return `${before.filed_by} has appealed already, and the ${side(filed_by)} may once`;
  const standing = docket.standing(obligation_hash);
  if (standing === undefined || standing.instruction_id !== appeal.instruction_id) return "its instruction does not stand";
  if (standing.clearing_decision_hash !== decision.clearing_decision_hash || !isSigned(decision, deployment))
    return "the decision is not the one behind its instruction";
  if (decision.envelope_id !== decided.envelope.envelope_id) return "another envelope was decided";
  const until = decision.appeal_window_closes_at;
  return now <= BigInt(secondsOf(until)) ? undefined : `it could be filed until ${until}`;
}

/** Whether its party signed this appeal. */
export function isAppealSigned(appeal: Appeal, { registry, verify }: Pick<Deployment, "registry" | "verify">): boolean {
  const { appeal_id, obligation_hash, instruction_id, envelope_id, filed_by, grounds, signature } = appeal;
  const key = registry.identity(filed_by)?.key;
  const id = hashOf({ obligation_hash, instruction_id, envelope_id, filed_by, grounds });
  return id === appeal_id && key !== undefined && verify(key, messageOf("appeal", id), signature);
}

/** Whether a registered engine received this appeal of its party. */
export function isAppealReceived(record: AppealRecord, deployment: Deployment): boolean {
  const hash = hashOf(without(record, "clearing_engine_signature"));
  return (
    isAppealSigned(record, deployment) &&
    isEngineSignature(record.clearing_engine, "appeal-record", hash, record.clearing_engine_signature, deployment)
  );
}
