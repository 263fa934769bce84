import { z } from "zod";
import { NEW_VERIFIER_WEIGHT, type WeightOf } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineSignature } from "./engine.ts";
import { digestSchema, nameSchema } from "./fields.ts";
import { NO_RECORD, newPassport, type Passport, priorWeight, type TrackRecord, trackRecordSchema, weightOver } from "./passport.ts";
import { hashOf, signHash, without } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** The public record of a model: what the passports of all verifiers built on it say of their verdicts (RAILS 3). */
export const reportCardSchema = z.strictObject({
  card_id: digestSchema,
  model: nameSchema,
  /** Verifiers, by name, that the record is of. */
  verifiers: z.array(nameSchema).min(1).readonly(),
  record: trackRecordSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type ReportCard = z.infer<typeof reportCardSchema>;

/**
 * The report card of a model. `passports`: of the verifiers built on it, of each the last; a flagged one counts, since what it did wrong is the
 * model's record too.
 */
export function reportCard(model: string, passports: readonly Pick<Passport, "subject" | "record">[], engine: Signer): ReportCard {
  const records = new Map(passports.map(({ subject, record }) => [subject, record]));
  const body = {
    model,
    verifiers: [...records.keys()].toSorted(),
    record: [...records.values()].reduce<TrackRecord>(added, NO_RECORD),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return { ...body, card_id: id, clearing_engine_signature: signHash(engine, "report-card", id) };
}

function added(one: TrackRecord, other: TrackRecord): TrackRecord {
  return {
    agreed: one.agreed + other.agreed,
    disagreed: one.disagreed + other.disagreed,
    audits: one.audits + other.audits,
    mismatches: one.mismatches + other.mismatches,
  };
}

/** Whether a registered engine signed this card. */
export function isReportCardSigned(card: ReportCard, deployment: Deployment): boolean {
  const id = hashOf(without(card, "card_id", "clearing_engine_signature"));
  return id === card.card_id && isEngineSignature(card.clearing_engine, "report-card", id, card.clearing_engine_signature, deployment);
}

/**
 * W by verifier for `clear`, like `weightsFrom`: in place of a newcomer's even prior a verifier inherits that of the model it is built on, which
 * two verdicts of its own outweigh. Cards that no engine signed count for nothing; flagged verifiers weigh nothing.
 */
export function weightsOverCards(
  passports: readonly Passport[],
  cards: readonly ReportCard[],
  modelOf: (verifier: string) => string | undefined,
  deployment: Deployment,
): WeightOf {
  const known = new Map(passports.map((passport) => [passport.subject, passport]));
  const ratings = new Map(
    cards
      .filter((card) => isReportCardSigned(card, deployment))
      .map(({ model, record }) => [model, priorWeight({ record, flagged: false })] as const),
  );
  return (verifier) =>
    weightOver(ratings.get(modelOf(verifier) ?? "") ?? NEW_VERIFIER_WEIGHT, known.get(verifier) ?? newPassport(verifier));
}
