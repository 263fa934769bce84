import { readFileSync } from "node:fs";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { parseJson } from "../primitives/json.ts";

/** Amounts in the token's smallest unit travel as decimal text. */
const units = z
  .union([z.bigint(), z.string().regex(/^\d{1,30}$/)])
  .transform(BigInt)
  .pipe(z.bigint().min(0n));

/**
 * What an owner allows its agent; nothing that a city sends changes it. Requests beyond a bound are declined; those between `askAbove` and
 * the bounds are put to the owner.
 */
export const limitsSchema = z.strictObject({
  /** Minimum price of a slot, smallest unit. */
  leastPrice: units.default(1n),
  /** Maximum stake behind all bids in one mission, smallest unit. */
  mostStake: units.default(2n ** 63n),
  /** Stake of a single bid above which the owner is asked first, smallest unit. */
  askAbove: units.default(2n ** 63n),
  /** Maximum number of nodes to bid for in one mission. */
  mostNodes: z.int().min(0).max(256).default(256),
  /** Maximum number of missions with bids or work in progress. */
  mostMissions: z.int().min(0).max(1_000).default(1_000),
  /** Risk classes of laws to work under. */
  risks: z.array(z.enum(["LOW", "MEDIUM", "HIGH"])).default(["LOW", "MEDIUM", "HIGH"]),
  /** Sponsors to refuse. */
  notFor: z.array(addressSchema).max(1_000).default([]),
  /** Whether the agent takes part in sessions: drafts, supports, speaks and votes. */
  votes: z.boolean().default(true),
});
export type Limits = z.output<typeof limitsSchema>;

/** Reads the owner's limits. Throws LimitsUnusable: an agent does not run without its limits. */
export function readLimits(file: string): Limits {
  try {
    return limitsSchema.parse(parseJson(readFileSync(file, "utf8")));
  } catch (error) {
    const details = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new AgentCityError("LimitsUnusable", `The limits in ${file} cannot be read`, {
      details,
      action: "correct that file",
      cause: error,
    });
  }
}
