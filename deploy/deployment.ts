import { z } from "zod";
import { addressSchema } from "../orchestrator/primitives/address.ts";
import { hexSchema } from "../orchestrator/primitives/hex.ts";
import { cityAddressesSchema } from "../orchestrator/protocol/addresses.ts";
import { genesisPlanSchema } from "./plan.ts";

/** `deployment.json`: plan, deployer and addresses of a city. Written when genesis starts, and again when the city is sealed. */
export const deploymentSchema = z.strictObject({
  network: z.string(),
  chainId: z.int().positive(),
  deployer: addressSchema,
  profile: z.enum(["default", "production"]),
  plan: genesisPlanSchema,
  /** Null until the city is sealed. */
  city: z
    .strictObject({
      addresses: cityAddressesSchema,
      /** Created contract by genesis step: libraries, contracts, the mission template. */
      created: z.record(z.string(), addressSchema),
      /** First and last block of genesis. */
      fromBlock: z.int().min(0),
      toBlock: z.int().min(0),
    })
    .nullable(),
});
export type Deployment = z.output<typeof deploymentSchema>;
export type FoundedCity = NonNullable<Deployment["city"]>;

/** A difference between the chain and the founders' plan. */
const findingSchema = z.strictObject({
  subject: z.string(),
  expected: z.string(),
  found: z.string(),
  /** Adjudicators may change it after the seal: reported, but not refused. */
  amendable: z.boolean(),
});

/** Output of `verify --json`. */
export const verificationSchema = z.strictObject({
  /** No immutable part differs. */
  passed: z.boolean(),
  network: z.string(),
  chainId: z.int(),
  constitution: hexSchema,
  checks: z.array(z.strictObject({ name: z.string(), what: z.string(), verified: z.int().min(0), findings: z.array(findingSchema) })),
});
export type Verification = z.output<typeof verificationSchema>;
export type Finding = z.output<typeof findingSchema>;
