import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { metricsSchema } from "./metrics.ts";

const hex = z.string().regex(/^0x[0-9a-f]*$/i);
const entry = z.int().min(0).max(15);
const count = z.int().min(0);

const candidateSchema = z.strictObject({
  /** Place on the ballot: what rankings, `pairwise`, `order` and `winner` count in. 0 is "no law". */
  entry,
  letter: z.string(),
  title: z.string(),
  proposer: z.string().nullable(),
  sponsors: count,
  /** Two for each duel won, one for each drawn (Copeland). */
  points: count,
  /** Most ballots that put one rival before it (Minimax). */
  worst: count,
});

const blocSchema = z.strictObject({
  /** Whose ranking the members' were compared with; a member too. */
  leader: z.string(),
  members: z.array(z.string()).min(2),
  /** The members least alike their leader: Kendall's τ and Jaccard index of the first places, ten-thousandths. */
  tau: z.int().min(-BASIS_POINTS).max(BASIS_POINTS),
  jaccard: z.int().min(0).max(BASIS_POINTS),
});

const rulingSchema = z.strictObject({
  released: z.boolean(),
  adjudicators: z.array(z.string()),
  /** Nobody but a simulation decided. */
  simulated: z.boolean(),
  justification: z.string(),
});

/** The one document `npm run session -- --json` prints; the screen is drawn from it alone. Nothing in it depends on the wall clock. */
export const sessionReportSchema = z.strictObject({
  status: z.enum(["deployed", "no-law"]),
  /** Why there is no law, in words; null when there is one. */
  reason: z.string().nullable(),
  name: z.string(),
  network: z.string(),
  chainId: z.int(),
  seed: z.string(),
  session: z.string(),
  /** Address of the mission that the law became. */
  mission: hex.nullable(),
  electorate: z.strictObject({
    agents: count,
    principals: count,
    /** Agents of each persona. */
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
    /** Voters any one of whom decided. */
    alone: z.array(z.string()),
    /** The fewest voters who, putting `rival` before the winner, would have changed who wins. */
    swing: z.strictObject({ rival: entry, voters: count, adjacent: count }).nullable(),
    /** Who wins when the ballots of flagged voters are left out. */
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
