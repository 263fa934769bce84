import { readFileSync } from "node:fs";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { parseJson } from "../primitives/json.ts";

/** Whole numbers of the token's smallest unit travel as decimal text. */
const units = z
  .union([z.bigint(), z.string().regex(/^\d{1,30}$/)])
  .transform(BigInt)
  .pipe(z.bigint().min(0n));

/**
 * What an owner allows its agent. Nothing that a city sends changes it. What lies beyond a bound is declined; between `askAbove` and
 * the bounds the owner is asked.
 */
export const limitsSchema = z.strictObject({
  /** Least price of a slot, smallest unit. */
  leastPrice: units.default(1n),
  /** Most stake behind the offers of one mission, smallest unit. */
  mostStake: units.default(2n ** 63n),
  /** Stake behind one offer above which the owner is asked first, smallest unit. */
  askAbove: units.default(2n ** 63n),
  /** Nodes of one mission that it offers for. */
  mostNodes: z.int().min(0).max(256).default(256),
  /** Missions that it has offers or work in at once. */
  mostMissions: z.int().min(0).max(1_000).default(1_000),
  /** Risks of law that it works under. */
  risks: z.array(z.enum(["LOW", "MEDIUM", "HIGH"])).default(["LOW", "MEDIUM", "HIGH"]),
  /** Sponsors whose missions it does not touch. */
  notFor: z.array(addressSchema).max(1_000).default([]),
  /** Whether it takes part in sessions: drafts, supports, speaks and votes. */
  votes: z.boolean().default(true),
});
export type Limits = z.output<typeof limitsSchema>;

/** The owner's file of limits. Throws LimitsUnusable: an agent without its limits does not run. */
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
