import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { NEW_VERIFIER_WEIGHT, type WeightOf } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineRecord } from "./engine.ts";
import { digestSchema, nameSchema, read, secondsOf, timeOf, timeSchema } from "./fields.ts";
import { NO_RECORD, newPassport, type Passport, priorWeight, type TrackRecord, trackRecordSchema, weightOver } from "./passport.ts";
import { hashOf, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** The public record of a model: what the passports of all verifiers built on it say of their verdicts (RAILS 3). */
export const reportCardSchema = z.strictObject({
  card_id: digestSchema,
  model: nameSchema,
  /** Verifiers, by name, that the record is of. */
  verifiers: z.array(nameSchema).min(1).readonly(),
  record: trackRecordSchema,
  /** Covers every verdict counted in their passports until then. */
  as_of: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type ReportCard = z.infer<typeof reportCardSchema>;

/** The card would not be one that readers accept. */
export class InvalidReportCard extends AgentCityError {
  constructor(model: string, problems: string) {
    super("InvalidReportCard", `There is no report card of ${model || "a model without a name"}: ${problems}`, {
      action: "name the model, and hand in the passport of at least one verifier built on it",
    });
  }
}

/**
 * The report card of a model. `passports`: of the verifiers built on it, of each the last; a flagged one counts, since what it did wrong is the
 * model's record too. `now`: seconds since 1970. Throws InvalidReportCard if there are none, or the model has no name.
 */
export function reportCard(
  model: string,
  passports: readonly Pick<Passport, "subject" | "record">[],
  engine: Signer,
  now: bigint,
): ReportCard {
  const records = new Map(passports.map(({ subject, record }) => [subject, record]));
  const body = {
    model,
    verifiers: [...records.keys()].toSorted(),
    record: [...records.values()].reduce<TrackRecord>(added, NO_RECORD),
    as_of: timeOf(now),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  const card = read(reportCardSchema, { ...body, card_id: id, clearing_engine_signature: signHash(engine, "report-card", id) });
  if (!card.ok) throw new InvalidReportCard(model, card.problems);
  return card.value;
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
  return isEngineRecord(card, "report-card", "card_id", deployment);
}

/** The cards that a reader accepts, by the time until which they count; seconds since 1970, both included. */
export interface CardPeriod {
  readonly from: bigint;
  readonly until: bigint;
}

/**
 * W by verifier for `clear`, like `weightsFrom`: in place of a newcomer's even prior a verifier inherits that of the model it is built on, which
 * two verdicts of its own outweigh. Of a model's cards the newest counts, of two of one time the worse: whoever hands them in chooses none. Cards that no
 * engine signed, or from outside the period, count for nothing; flagged verifiers weigh nothing.
 */
export function weightsOverCards(
  passports: readonly Passport[],
  cards: readonly ReportCard[],
  modelOf: (verifier: string) => string | undefined,
  deployment: Deployment,
  period: CardPeriod,
): WeightOf {
  const known = new Map(passports.map((passport) => [passport.subject, passport]));
  const ratings = new Map(
    cards
      .filter((card) => isReportCardSigned(card, deployment) && isWithin(period, card))
      .map(({ model, record, as_of }) => ({ model, at: secondsOf(as_of), rating: priorWeight({ record, flagged: false }) }))
      .toSorted((one, other) => one.at - other.at || other.rating - one.rating)
      .map(({ model, rating }) => [model, rating] as const),
  );
  return (verifier) =>
    weightOver(ratings.get(modelOf(verifier) ?? "") ?? NEW_VERIFIER_WEIGHT, known.get(verifier) ?? newPassport(verifier));
}

function isWithin({ from, until }: CardPeriod, { as_of }: ReportCard): boolean {
  const at = BigInt(secondsOf(as_of));
  return from <= at && at <= until;
}
