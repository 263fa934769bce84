import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { metricsSchema } from "./metrics.ts";

const hex = z.string().regex(/^0x[0-9a-f]*$/i);
const entry = z.int().min(0).max(15);
const count = z.int().min(0);

const candidateSchema = z.strictObject({
  /** Position on the ballot, used by rankings, `pairwise`, `order` and `winner`. 0 is "no law". */
  entry,
  letter: z.string(),
  title: z.string(),
  proposer: z.string().nullable(),
  sponsors: count,
  /** Two per duel won, one per tie (Copeland). */
  points: count,
  /** Largest number of ballots that prefer one rival (Minimax). */
  worst: count,
});

const blocSchema = z.strictObject({
  /** The member with whose ranking the others were compared. */
  leader: z.string(),
  members: z.array(z.string()).min(2),
  /** The lowest similarity of a member to the leader: Kendall's τ and Jaccard index of the first places, ten-thousandths. */
  tau: z.int().min(-BASIS_POINTS).max(BASIS_POINTS),
  jaccard: z.int().min(0).max(BASIS_POINTS),
});

const rulingSchema = z.strictObject({
  released: z.boolean(),
  adjudicators: z.array(z.string()),
  /** Only a simulation decided. */
  simulated: z.boolean(),
  justification: z.string(),
});

/** The one document that `npm run session -- --json` prints; the screen is rendered from it alone. Independent of the wall clock. */
export const sessionReportSchema = z.strictObject({
  status: z.enum(["deployed", "no-law"]),
  /** Why there is no law; null if there is one. */
  reason: z.string().nullable(),
  name: z.string(),
  network: z.string(),
  chainId: z.int(),
  seed: z.string(),
  session: z.string(),
  /** Address of the law's mission. */
  mission: hex.nullable(),
  electorate: z.strictObject({
    agents: count,
    principals: count,
    /** Number of agents by persona. */
    personas: z.record(z.string(), count),
    /** Agents that vote as directed (`--bloc`), their leader first. */
    planted: z.array(z.string()),
  }),
  candidates: z.array(candidateSchema),
  /** Entries, best first. */
  order: z.array(entry),
  /** One per voter: ballot entries, best first. */
  ballots: z.array(z.strictObject({ agent: z.string(), persona: z.string(), ranking: z.array(entry) })),
  /** pairwise[i][j]: voters who rank entry i above entry j, as the chain counted. */
  pairwise: z.array(z.array(count)),
  /** Null when no vote was taken; entry 0 when "no law" won. */
  winner: z.strictObject({ entry, letter: z.string(), title: z.string(), by: z.enum(["duels", "smallest defeat", "seed"]) }).nullable(),
  pivotal: z.strictObject({
    /** Voters each of whom alone decided the outcome. */
    alone: z.array(z.string()),
    /** The smallest number of voters who could have changed the winner by ranking `rival` above it. */
    swing: z.strictObject({ rival: entry, voters: count, adjacent: count }).nullable(),
    /** The winner without the ballots of flagged voters. */
    withoutFlagged: entry.nullable(),
  }),
  /** Flagged by the Regulator; the contract verified each from the recorded rankings. */
  blocs: z.array(blocSchema),
  delay: z.strictObject({
    /** Voters flagged on chain, and the share of ballots (basis points) from which approval waits for adjudicators. */
    flagged: count,
    criticalShare: count,
    delayed: z.boolean(),
    ruling: rulingSchema.nullable(),
  }),
  metrics: metricsSchema,
  gas: z.strictObject({
    total: count,
    ballots: z.strictObject({ transactions: count, gas: count, perBallot: count }),
    steps: z.array(z.strictObject({ step: z.string(), transactions: count, gas: count })),
  }),
  finalBlock: z.strictObject({ number: count, hash: hex }),
});

export type SessionReport = z.infer<typeof sessionReportSchema>;
