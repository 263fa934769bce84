import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { BoundObligation } from "./bind.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineRecord, requireEngine } from "./engine.ts";
import { amountSchema, digestSchema, nameSchema, QUESTIONS, shareSchema, timeOf, timeSchema } from "./fields.ts";
import type { AdmittedEnvelope } from "./ingest.ts";
import { actorsOf, floorFor } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** Passport field: number of obligations for which an upheld appeal pays the provider less than their clearing did. */
export const UPHELD_DISPUTES = "upheld_disputes";

/** A human's ruling on the money. */
const rulingSchema = z.strictObject({
  score: shareSchema,
  payees: z.array(nameSchema).max(16).readonly(),
  /** Hashes of the items that the ruling rests on; none if it changes an outcome that already passed on evidence. */
  basis: z.array(digestSchema).max(256).readonly(),
  /** What the rail took of whose collateral until then, the ruling's own included; absent if nothing is said of the collateral. */
  slashed: z.record(nameSchema, amountSchema).readonly().optional(),
});
export type Ruling = z.infer<typeof rulingSchema>;

/**
 * The effect of a human act on a clearing (RAILS 6.3; decision 80), so that every movement of money in the documents has a document. The
 * act itself is signed elsewhere, as `receipt` says.
 */
export const overrideRecordSchema = z.strictObject({
  override_id: digestSchema,
  obligation_hash: digestSchema,
  /** The previous decision, if there was one. */
  clearing_decision_hash: digestSchema.optional(),
  act: nameSchema,
  acted_by: z.array(nameSchema).min(1).max(64).readonly(),
  /** Hash of the stated reasons. */
  justification: digestSchema,
  /** The signed act and its public location. */
  receipt: nameSchema,
  /** Absent if the act does not concern money. */
  ruling: rulingSchema.optional(),
  /** Subjects cleared of a failure; absent if none. */
  exonerated: z.array(nameSchema).min(1).max(16).readonly().optional(),
  acted_at: timeSchema,
  /** End of the ruling's provisional period. */
  appeal_window_closes_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type OverrideRecord = z.infer<typeof overrideRecordSchema>;

/** The observed act. Times are in seconds since 1970. */
export interface HumanDeed extends Pick<OverrideRecord, "act" | "acted_by" | "justification" | "receipt" | "ruling"> {
  readonly decision?: Hash | undefined;
  readonly at: bigint;
  readonly appealsUntil: bigint;
  readonly exonerated?: readonly string[] | undefined;
}

export interface OverrideInput {
  readonly obligation: BoundObligation;
  /** The envelope of the ruling's basis; required if it has one. */
  readonly envelope?: AdmittedEnvelope | undefined;
  readonly deed: HumanDeed;
  readonly deployment: Deployment;
  readonly engine: Signer;
}

/**
 * Records a human act. Humans decide disputes, never admissibility: a ruling's basis must be ⪰ the floors, and the subjects it pays, slashes or clears
 * of a failure must work under the obligation. Throws NotTheEngine if the signer is not an engine of this obligation.
 */
export function recordOverride({ obligation, envelope, deed, deployment, engine }: OverrideInput): Checked<OverrideRecord> {
  requireEngine(engine.id, obligation, deployment);
  const { decision, at, appealsUntil, ruling, exonerated = [], ...said } = deed;
  const actors = actorsOf(obligation);
  const stranger = [...(ruling?.payees ?? []), ...Object.keys(ruling?.slashed ?? {}), ...exonerated].find(
    (named) => !actors.includes(named),
  );
  if (stranger !== undefined) return refuse("OVERRIDE_OF_STRANGER", obligation.obligation_id, `${stranger} does none of the work`);
  const { questions = QUESTIONS } = obligation.verifier_policy;
  const purposes = ruling?.slashed === undefined ? (["fee_release"] as const) : (["fee_release", "collateral_hold"] as const);
  const floors = purposes.flatMap((purpose) => questions.map((question) => floorFor(obligation, purpose, question)));
  for (const hash of ruling?.basis ?? []) {
    const item = envelope?.items.get(hash);
    if (item === undefined || !floors.every((floor) => deployment.admissibility.geq(item.class, floor)))
      return refuse("OVERRIDE_BELOW_FLOOR", obligation.obligation_id, `it rests on ${hash}, ${item?.class ?? "which was not admitted"}`);
  }
  const body = {
    obligation_hash: obligation.obligation_hash,
    ...(decision === undefined ? {} : { clearing_decision_hash: decision }),
    ...said,
    ...(ruling === undefined ? {} : { ruling }),
    ...(exonerated.length === 0 ? {} : { exonerated }),
    acted_at: timeOf(at),
    appeal_window_closes_at: timeOf(appealsUntil),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return accept({ ...body, override_id: id, clearing_engine_signature: signHash(engine, "override", id) });
}

/** Whether a registered engine signed the override record. Its receipt proves that the act took place. */
export function isOverrideSigned(override: OverrideRecord, deployment: Deployment): boolean {
  return isEngineRecord(override, "override", "override_id", deployment);
}
