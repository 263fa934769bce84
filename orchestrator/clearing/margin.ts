import { z } from "zod";
import { EXPOSURE_BANDS } from "../protocol/exposure.ts";
import type { BoundObligation } from "./bind.ts";
import type { Deployment } from "./deployment.ts";
import type { Docket } from "./docket.ts";
import { isEngineRecord, requireEngine } from "./engine.ts";
import { intensityFor, marginFor } from "./exposure.ts";
import { amountSchema, digestSchema, nameSchema, timeOf, timeSchema } from "./fields.ts";
import { executionBegins } from "./obligation.ts";
import { type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** Execution is paused, since its exposure has risen: it resumes when the margin is posted (RAILS 6.2). */
export const pauseRecordSchema = z.strictObject({
  pause_id: digestSchema,
  obligation_hash: digestSchema,
  band: z.enum(EXPOSURE_BANDS),
  /** The collateral that its band demands in all, in place of the agreed one. */
  margin: amountSchema,
  paused_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type PauseRecord = z.infer<typeof pauseRecordSchema>;

/** The margin is posted, and execution resumes. */
export const marginRecordSchema = z.strictObject({
  margin_id: digestSchema,
  obligation_hash: digestSchema,
  pause_id: digestSchema,
  /** All that is now at stake. */
  amount: amountSchema,
  /** Where the rail says so. */
  receipt: nameSchema,
  resumed_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type MarginRecord = z.infer<typeof marginRecordSchema>;

/** A collateral on the rail: a deployment must know of it (`Deployment.posted`). */
export type Posting = Pick<MarginRecord, "amount" | "receipt">;

export interface MarginInput {
  readonly obligation: BoundObligation;
  readonly deployment: Deployment;
  readonly engine: Signer;
  readonly docket: Docket;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/**
 * Pauses execution. MARGIN_NOT_DUE: the obligation's exposure, as the deployment sees it now, demands no more than is at stake, or execution
 * is not under way. Until the margin is posted nothing is settled; once it is, the execution window is longer by the pause. The engine vouches
 * that no evidence was handed in before. Throws NotTheEngine unless the caller is an engine of this obligation.
 */
export function recordPause({ obligation, deployment, engine, docket, now }: MarginInput): Checked<PauseRecord> {
  requireEngine(engine.id, obligation, deployment);
  const { obligation_hash, economic_terms, deadlines } = obligation;
  const no = (details: string) => refuse("MARGIN_NOT_DUE", obligation_hash, details);
  const unsupported = docket.problem(obligation, deployment);
  if (unsupported !== undefined) return refuse("DOCKET_UNSUPPORTED", obligation_hash, unsupported);
  const { exposure } = deployment;
  if (exposure === undefined) return no("its exposure is not known");
  const intensity = intensityFor(exposure.of(obligation), exposure.config);
  const margin = marginFor(economic_terms.principal ?? economic_terms.fee, intensity);
  const { posted = economic_terms.collateral, paused } = docket.margin(obligation_hash);
  if (margin <= posted) return no(`${posted} is at stake, its band demands ${margin}`);
  const begins = executionBegins(obligation);
  if (begins === undefined) return no("another clock keeps its execution window");
  const ends = begins + deadlines.execution_window_hours * 3600 + paused;
  if (Number(now) < begins || Number(now) > ends) return no("it is not executed now");
  const body = { obligation_hash, band: intensity.band, margin, paused_at: timeOf(now), clearing_engine: engine.id };
  const id = hashOf(body);
  return docket.pause({ ...body, pause_id: id, clearing_engine_signature: signHash(engine, "pause", id) });
}

/**
 * Resumes execution. MARGIN_NOT_DUE: nothing is paused, the posting is below what the pause demands, or the deployment does not know of it.
 * Throws NotTheEngine unless the caller is an engine of this obligation.
 */
export function recordMargin({ posting, ...input }: MarginInput & { readonly posting: Posting }): Checked<MarginRecord> {
  const { obligation, deployment, engine, docket, now } = input;
  requireEngine(engine.id, obligation, deployment);
  const { obligation_hash } = obligation;
  const no = (details: string) => refuse("MARGIN_NOT_DUE", obligation_hash, details);
  const unsupported = docket.problem(obligation, deployment);
  if (unsupported !== undefined) return refuse("DOCKET_UNSUPPORTED", obligation_hash, unsupported);
  const { owed } = docket.margin(obligation_hash);
  if (owed === undefined) return no("it is not paused");
  if (posting.amount < owed.margin) return no(`${posting.amount} is posted, ${owed.margin} is due`);
  if (!deployment.posted(obligation, posting)) return no(`the rail knows of no such margin at ${posting.receipt}`);
  const body = {
    ...{ obligation_hash, pause_id: owed.pause_id, amount: posting.amount, receipt: posting.receipt },
    ...{ resumed_at: timeOf(now), clearing_engine: engine.id },
  };
  const id = hashOf(body);
  return docket.post({ ...body, margin_id: id, clearing_engine_signature: signHash(engine, "margin", id) });
}

/** Whether a registered engine signed this pause. */
export function isPauseSigned(record: PauseRecord, deployment: Deployment): boolean {
  return isEngineRecord(record, "pause", "pause_id", deployment);
}

/** Whether a registered engine signed this margin. */
export function isMarginSigned(record: MarginRecord, deployment: Deployment): boolean {
  return isEngineRecord(record, "margin", "margin_id", deployment);
}
