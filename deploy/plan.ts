import { z } from "zod";
import { addressSchema } from "../orchestrator/primitives/address.ts";
import { hashSchema } from "../orchestrator/primitives/hex.ts";
import type { CityContract } from "../orchestrator/protocol/addresses.ts";
import { OFFICE_NAMES, type OfficeName } from "../orchestrator/protocol/offices.ts";

/** An office's authority. */
export interface Envelope {
  readonly office: OfficeName;
  readonly perSession: number;
  readonly permitted: Partial<Record<CityContract, readonly string[]>>;
}

const whole = z
  .string()
  .regex(/^(0|[1-9]\d*)$/)
  .transform(BigInt);
const named = z.strictObject({ address: addressSchema, principal: addressSchema });

/** Everything that a city's founders decide. As JSON in `deployment.json`, amounts in the smallest unit. */
export const genesisPlanSchema = z.strictObject({
  /** The mandate in words; its hash is on chain permanently. */
  mandate: z.string().min(1),
  /** Content-id digest of the mandate's bytes. */
  mandateDigest: hashSchema,
  /** One value per `Param`, in its order and unit. */
  parameters: z.array(whole),
  /** The settlement token; null deploys the devnet's test token. */
  token: addressSchema.nullable(),
  seats: z.array(z.strictObject({ adjudicator: addressSchema, principal: addressSchema })),
  clerks: z.array(z.strictObject({ office: z.enum(OFFICE_NAMES), ...named.shape })),
  /** `classes` is a bitmap over `EvidenceClass`. */
  issuers: z.array(z.strictObject({ ...named.shape, classes: z.int().positive() })),
  runners: z.array(named),
  monitors: z.array(named),
  verifiers: z.array(z.strictObject({ address: addressSchema, weight: z.int().positive() })),
  /** Artifacts that an office must obtain from a registered service. */
  mandates: z.array(
    z.strictObject({
      office: z.enum(OFFICE_NAMES),
      operation: hashSchema,
      service: hashSchema,
      needsIntermediate: z.boolean(),
      schemaHash: hashSchema,
    }),
  ),
  /** The treasury's initial funds (decision 43). */
  treasury: z.strictObject({ free: whole, insurance: whole }),
});
export type GenesisPlan = z.output<typeof genesisPlanSchema>;

/** Constructor arguments of the constitution. */
export type Constitution = Pick<GenesisPlan, "mandate" | "mandateDigest" | "parameters">;

/** A plan as JSON, which parses back to the same plan. */
export function planJson(plan: GenesisPlan): z.input<typeof genesisPlanSchema> {
  const { free, insurance } = plan.treasury;
  return {
    ...plan,
    parameters: plan.parameters.map(String),
    treasury: { free: free.toString(), insurance: insurance.toString() },
  };
}
