import { z } from "zod";
import { addressSchema } from "../orchestrator/primitives/address.ts";
import { hexSchema } from "../orchestrator/primitives/hex.ts";
import { cityAddressesSchema } from "../orchestrator/protocol/addresses.ts";
import { genesisPlanSchema } from "./plan.ts";

/** `deployment.json`: what was asked for, by whom, where it is. Written when genesis begins, again when the city is sealed. */
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
      /** Genesis step → the contract it created: libraries, contracts, the mission template. */
      created: z.record(z.string(), addressSchema),
      /** Blocks that genesis lies between. */
      fromBlock: z.int().min(0),
      toBlock: z.int().min(0),
    })
    .nullable(),
});
export type Deployment = z.output<typeof deploymentSchema>;
export type FoundedCity = NonNullable<Deployment["city"]>;

/** One thing on chain that is not what the founders decided. */
const findingSchema = z.strictObject({
  subject: z.string(),
  expected: z.string(),
  found: z.string(),
  /** The adjudicators may change it after the seal: a change is reported, not refused. */
  amendable: z.boolean(),
});

/** What `verify` prints with --json. */
export const verificationSchema = z.strictObject({
  /** Nothing differs that must not change. */
  passed: z.boolean(),
  network: z.string(),
  chainId: z.int(),
  constitution: hexSchema,
  checks: z.array(z.strictObject({ name: z.string(), what: z.string(), verified: z.int().min(0), findings: z.array(findingSchema) })),
});
export type Verification = z.output<typeof verificationSchema>;
export type Finding = z.output<typeof findingSchema>;
