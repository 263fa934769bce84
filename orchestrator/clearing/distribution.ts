import { z } from "zod";
import { split } from "../rules/payout.ts";
import { amountSchema, nameSchema } from "./fields.ts";
import type { ReleaseRule } from "./obligation.ts";

/** The division of one promised price: price = paid + fee + insurance + discount + returned. */
export const distributionLineSchema = z.strictObject({
  payee: nameSchema,
  price: amountSchema,
  /** ψ of the payee in thousandths; absent if nothing is released. */
  multiplier: z.int().nonnegative().optional(),
  paid: amountSchema,
  /** Maximum requested from another source in addition; not part of the price. */
  premium: amountSchema,
  fee: amountSchema,
  insurance: amountSchema,
  discount: amountSchema,
  returned: amountSchema,
});
export type DistributionLine = z.infer<typeof distributionLineSchema>;

/** Multiplier by payee, in thousandths, from its record before this outcome. */
export type Multipliers = Readonly<Record<string, number>>;

/** A score in basis points, and its payees. */
export interface Release {
  readonly score: number;
  readonly payees: readonly string[];
}

/** Equation 9 over every promise of a release rule, to the unit (AgentCity B.6). Throws RangeError for a payee without a multiplier. */
export function distributionOf(
  { promises, protocol_fee_bps, insurance_bps }: ReleaseRule,
  { score, payees }: Release,
  multipliers: Multipliers,
): DistributionLine[] {
  return promises.map(({ payee, price }) => {
    if (!payees.includes(payee)) return { payee, price, paid: 0, premium: 0, fee: 0, insurance: 0, discount: 0, returned: price };
    const multiplier = multipliers[payee];
    if (multiplier === undefined) throw new RangeError(`no multiplier of ${payee}`);
    const part = split(BigInt(price), BigInt(protocol_fee_bps), BigInt(insurance_bps), BigInt(score), BigInt(multiplier));
    return {
      payee,
      price,
      multiplier,
      paid: Number(part.paid),
      premium: Number(part.premium),
      fee: Number(part.fee),
      insurance: Number(part.insurance),
      discount: Number(part.discount),
      returned: Number(part.toSponsor),
    };
  });
}
