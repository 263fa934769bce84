import { z } from "zod";
import type { CityClient } from "../client/client.ts";
import { readMany } from "../client/read.ts";
import type { CityFacts, ProducerFacts } from "../minds/goal.ts";
import { addressSchema } from "../primitives/address.ts";
import type { Address } from "../primitives/hex.ts";
import { zip } from "../primitives/lists.ts";

/** Amounts in records are decimal text. */
const unitsSchema = z
  .string()
  .regex(/^(0|[1-9]\d*)$/)
  .transform(BigInt);
const floorSchema = z.enum(["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"]);
const bandSchema = z.enum(["LOW", "MODERATE", "ELEVATED", "CRITICAL"]);
const producerSchema = z.strictObject({
  agent: addressSchema,
  principal: addressSchema,
  reputation: z.int(),
  capabilities: z.array(z.int()).length(10).readonly(),
});

/** Facts of the city at a session's start: all later decisions rest on this record, not on the chain's state by then. */
export const surveySchema = z.strictObject({
  /** Voters, by producer index. */
  voters: z.array(producerSchema).readonly(),
  /** Principal that may not bid: the sponsor. */
  sponsor: addressSchema,
  verifiers: z.int(),
  minSponsors: z.int(),
  limits: z.strictObject({
    edition: z.int(),
    maxNodeTimeout: z.int(),
    minReview: z.int(),
    maxReview: z.int(),
    maxDuration: z.int(),
    minFloor: z.tuple([floorSchema, floorSchema, floorSchema]).readonly(),
    minPanel: z.tuple([z.int(), z.int(), z.int()]).readonly(),
    minBand: z.tuple([bandSchema, bandSchema, bandSchema]).readonly(),
    minRedundancy: z.tuple([z.int(), z.int(), z.int()]).readonly(),
    jaccardThreshold: z.int(),
    numericTolerance: z.int(),
    mediumRiskFrom: unitsSchema,
    highRiskFrom: unitsSchema,
    parentFloor: floorSchema.optional(),
  }),
});
export type Survey = z.output<typeof surveySchema>;

/** Facts on which agents may base decisions: those about producers that can also bid. */
export function factsOf(survey: Survey): CityFacts {
  return {
    producers: survey.voters.filter(({ principal }) => principal !== survey.sponsor),
    verifiers: survey.verifiers,
    limits: survey.limits,
  };
}

/** A survey as recorded, with amounts as decimal text. */
export function surveyRecord(survey: Survey): z.input<typeof surveySchema> {
  const { limits } = survey;
  return {
    ...survey,
    limits: { ...limits, mediumRiskFrom: limits.mediumRiskFrom.toString(), highRiskFrom: limits.highRiskFrom.toString() },
  };
}

/** Current on-chain facts of producers, in the given order, and each one's number among all that ever had a vote. */
export async function producerFacts(
  client: CityClient,
  agents: readonly Address[],
): Promise<readonly { readonly index: number; readonly facts: ProducerFacts }[]> {
  const of = { contract: "ProducerContract", args: agents.map((agent) => [agent] as const) } as const;
  const [known, reputations, capabilities] = await Promise.all([
    readMany(client, { ...of, functionName: "agentOf" }),
    readMany(client, { ...of, functionName: "reputationOf" }),
    readMany(client, { ...of, functionName: "capabilitiesOf" }),
  ]);
  return zip(agents, known, reputations, capabilities).map(([agent, { index, principal }, reputation, word]) => {
    const levels = Array.from({ length: 10 }, (_, dimension) => Number((word >> BigInt(16 * dimension)) & 0xffffn));
    return { index, facts: { agent, principal, reputation: Number(reputation), capabilities: levels } };
  });
}
