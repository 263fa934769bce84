import { z } from "zod";
import type { BoundObligation } from "./bind.ts";
import type { Deployment } from "./deployment.ts";
import type { Docket } from "./docket.ts";
import { isEngineRecord, requireEngine } from "./engine.ts";
import { digestSchema, nameSchema, timeOf, timeSchema } from "./fields.ts";
import { performersOf } from "./obligation.ts";
import type { Checked } from "./refusal.ts";
import { hashOf, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** Passport field: number of obligations that a party bound itself to. What it ended by name is a part of these; the rest is open. */
const BOUND_OBLIGATIONS = "bound_obligations";

/** The binding event, which is published to the parties' passports (RAILS 6.1, stage 3): from here on the obligation is immutable. */
export const bindingRecordSchema = z.strictObject({
  binding_id: digestSchema,
  obligation_hash: digestSchema,
  passport_delta: z.record(nameSchema, z.int()).readonly(),
  published_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type BindingRecord = z.infer<typeof bindingRecordSchema>;

export interface BindingInput {
  readonly obligation: BoundObligation;
  readonly deployment: Deployment;
  readonly engine: Signer;
  readonly docket: Docket;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/**
 * Opens the obligation's docket with its binding; the first record of one stays. SETTLED_ALREADY: the docket has a later stage. Throws
 * NotTheEngine unless the caller is an engine of this obligation.
 */
export function recordBinding({ obligation, deployment, engine, docket, now }: BindingInput): Checked<BindingRecord> {
  requireEngine(engine.id, obligation, deployment);
  const bound = [...new Set([obligation.parties.requestor, ...performersOf(obligation)])];
  const body = {
    obligation_hash: obligation.obligation_hash,
    passport_delta: Object.fromEntries(bound.map((each) => [`${each}.${BOUND_OBLIGATIONS}`, 1])),
    published_at: timeOf(now),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return docket.bind({ ...body, binding_id: id, clearing_engine_signature: signHash(engine, "binding", id) });
}

/** Whether a registered engine signed this binding record. */
export function isBindingSigned(record: BindingRecord, deployment: Deployment): boolean {
  return isEngineRecord(record, "binding", "binding_id", deployment);
}
