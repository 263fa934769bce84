import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { BoundObligation } from "./bind.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineSignature, requireEngine } from "./engine.ts";
import { digestSchema, nameSchema, QUESTIONS, shareSchema, timeOf, timeSchema } from "./fields.ts";
import type { AdmittedEnvelope } from "./ingest.ts";
import { actorsOf, floorFor } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash, without } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** Field of passports: obligations for which an upheld appeal pays the provider less than their clearing did. */
export const UPHELD_DISPUTES = "upheld_disputes";

/** What a human ruled about the money. */
const rulingSchema = z.strictObject({
  score: shareSchema,
  payees: z.array(nameSchema).max(16).readonly(),
  /** Items that the ruling rests on, by hash; none where it changes what already passed on evidence. */
  basis: z.array(digestSchema).max(256).readonly(),
});
export type Ruling = z.infer<typeof rulingSchema>;

/**
 * A human act that took a clearing further (RAILS 6.3; decision 80). The act itself is signed elsewhere, where `receipt` says; this is
 * what became of it here, so that no money moves in the documents for which no document stands.
 */
export const overrideRecordSchema = z.strictObject({
  override_id: digestSchema,
  obligation_hash: digestSchema,
  /** The decision that stood until then, where there was one. */
  clearing_decision_hash: digestSchema.optional(),
  act: nameSchema,
  acted_by: z.array(nameSchema).min(1).max(64).readonly(),
  /** Hash of the reasons that were given. */
  justification: digestSchema,
  /** What was signed, where: anybody can look it up. */
  receipt: nameSchema,
  /** Absent where the act rules on no money. */
  ruling: rulingSchema.optional(),
  /** Whom it frees of a failure that was found; absent if nobody. */
  exonerated: z.array(nameSchema).min(1).max(16).readonly().optional(),
  acted_at: timeSchema,
  /** The ruling is provisional until then. */
  appeal_window_closes_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type OverrideRecord = z.infer<typeof overrideRecordSchema>;

/** What happened, as whoever watched it tells. Times are seconds since 1970. */
export interface HumanDeed extends Pick<OverrideRecord, "act" | "acted_by" | "justification" | "receipt" | "ruling"> {
  readonly decision?: Hash | undefined;
  readonly at: bigint;
  readonly appealsUntil: bigint;
  readonly exonerated?: readonly string[] | undefined;
}

export interface OverrideInput {
  readonly obligation: BoundObligation;
  /** What the ruling's basis is in; needed where it has one. */
  readonly envelope?: AdmittedEnvelope | undefined;
  readonly deed: HumanDeed;
  readonly deployment: Deployment;
  readonly engine: Signer;
}

/**
 * Writes a human act down. A human decides disputes, never admissibility: what a ruling rests on is ⪰ the floors, and whom it pays or frees of a
 * failure works under the obligation. Throws NotTheEngine to anybody but an engine of this obligation.
 */
export function recordOverride({ obligation, envelope, deed, deployment, engine }: OverrideInput): Checked<OverrideRecord> {
  requireEngine(engine.id, obligation, deployment);
  const { decision, at, appealsUntil, ruling, exonerated = [], ...said } = deed;
  const actors = actorsOf(obligation);
  const stranger = [...(ruling?.payees ?? []), ...exonerated].find((named) => !actors.includes(named));
  if (stranger !== undefined) return refuse("OVERRIDE_OF_STRANGER", obligation.obligation_id, `${stranger} does none of the work`);
  const { questions = QUESTIONS } = obligation.verifier_policy;
  const floors = questions.map((question) => floorFor(obligation, "fee_release", question));
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

/** Whether an override record is what a registered engine signed. Whether the act took place, its receipt tells. */
export function isOverrideSigned(override: OverrideRecord, deployment: Deployment): boolean {
  const id = hashOf(without(override, "override_id", "clearing_engine_signature"));
  return (
    id === override.override_id &&
    isEngineSignature(override.clearing_engine, "override", id, override.clearing_engine_signature, deployment)
  );
}
