import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineRecord } from "./engine.ts";
import { digestSchema, nameSchema, read, timeOf, timeSchema } from "./fields.ts";
import { type Passport, trackRecordSchema } from "./passport.ts";
import { hashOf, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/**
 * A passport as its engine publishes it: what it says, without the decisions that it counts. Passports only grow, so the record of a shorter
 * period is the difference of two cards.
 */
export const passportCardSchema = z.strictObject({
  card_id: digestSchema,
  subject: nameSchema,
  fields: z.record(nameSchema, z.int()).readonly(),
  record: trackRecordSchema,
  flagged: z.boolean(),
  /** Number of decisions, exits and bindings counted in `fields`. */
  counted: z.int().nonnegative(),
  /** `hashOf` the whole passport: a card says no more than that does, and a city posts its digest. */
  passport_digest: digestSchema,
  /** Covers what was final in it. */
  period: z.strictObject({ from: timeSchema, until: timeSchema }),
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type PassportCard = z.infer<typeof passportCardSchema>;

/** The card would not be one that readers accept. */
export class InvalidPassportCard extends AgentCityError {
  constructor(subject: string, problems: string) {
    super("InvalidPassportCard", `There is no card of the passport of ${subject}: ${problems}`, {
      action: "name a period that ends no earlier than it begins",
    });
  }
}

/** The card of a passport. `period`: seconds since 1970, both included. Throws InvalidPassportCard if that ends before it begins. */
export function passportCard(
  passport: Passport,
  { from, until }: { readonly from: bigint; readonly until: bigint },
  engine: Signer,
): PassportCard {
  if (until < from) throw new InvalidPassportCard(passport.subject, "its period ends before it begins");
  const { subject, fields, record, flagged, history } = passport;
  const body = {
    ...{ subject, fields, record, flagged, counted: history.length, passport_digest: hashOf(passport) },
    period: { from: timeOf(from), until: timeOf(until) },
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  const card = read(passportCardSchema, { ...body, card_id: id, clearing_engine_signature: signHash(engine, "passport-card", id) });
  if (!card.ok) throw new InvalidPassportCard(subject, card.problems);
  return card.value;
}

/** Whether a registered engine signed this card. */
export function isPassportCardSigned(card: PassportCard, deployment: Pick<Deployment, "registry" | "verify">): boolean {
  return isEngineRecord(card, "passport-card", "card_id", deployment);
}
