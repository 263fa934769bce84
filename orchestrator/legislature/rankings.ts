import { z } from "zod";
import { ballotIn } from "../client/candidates.ts";
import { eligibleAmong } from "../client/eligibility.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { unlessAbsent } from "../minds/absence.ts";
import { addressSchema } from "../primitives/address.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import { type Opinions, opinionsSchema } from "../protocol/debate.ts";
import { packRanking } from "../rules/condorcet.ts";
import { sendBatch } from "./acts.ts";
import type { LegislatureContext } from "./context.ts";

const DEFAULT_BATCH = 4;
/** Minds asked concurrently. */
const COHORT = 50;

/** Rankings with their voters' signatures, as `strawPoll` and `castBallots` expect them. */
export const signedRankingsSchema = z.array(
  z.strictObject({ agent: addressSchema, ranking: hexSchema.transform(BigInt), deadline: z.int(), signature: hexSchema }),
);
export type SignedRanking = z.output<typeof signedRankingsSchema>[number];

/** A law on the ballot. Candidate 0 is "no law", which has no proposer. */
export interface BallotEntry {
  readonly candidate: number;
  readonly specHash: Hash;
  readonly proposer: Address;
}

/** The ballot as fixed on chain, by entry. Entry 0 is "no law". */
export async function ballotPaper({ client }: LegislatureContext, session: bigint): Promise<readonly BallotEntry[]> {
  return ballotIn(client, session);
}

/** Asks every voter, in groups; returns the answers in the order of the voters, without abstentions. */
export async function askAll<Voter, Answer>(
  voters: readonly Voter[],
  ask: (voter: Voter) => Promise<Answer | undefined>,
): Promise<Answer[]> {
  const answers: (Answer | undefined)[] = [];
  for (let first = 0; first < voters.length; first += COHORT)
    answers.push(...(await Promise.all(voters.slice(first, first + COHORT).map(ask))));
  return answers.filter((answer) => answer !== undefined);
}

/** Has eligible voters sign their rankings, by producer index. Returns the record. */
export async function signRankings(
  context: LegislatureContext,
  name: "StrawPoll" | "Ballot",
  session: bigint,
  opinions: ContentId | null,
): Promise<ContentId> {
  const { deadline } = await context.client.legislation.sessionOf(session);
  const signed: z.input<typeof signedRankingsSchema> = [];
  const asked = opinionsIn(context, opinions);
  // A slash in another mission may have cost a voter its vote meanwhile; the chain would then refuse the whole batch.
  const eligible = await eligibleAmong(
    context.client,
    asked.map(({ agent }) => agent),
  );
  for (const { agent, ranking: order } of asked) {
    if (!eligible.has(agent)) continue;
    const ranking = packRanking(order);
    const message = { session, agent, ranking, deadline };
    const signature = await unlessAbsent(() => signMessage(context.client, context.producer(agent).account, name, message));
    if (signature === undefined) continue;
    signed.push({ agent, ranking: `0x${ranking.toString(16).padStart(16, "0")}`, deadline, signature });
  }
  return context.save(signed);
}

/** Submits rankings in batches, each under the number of its first; `between` is crossed if more follow. */
export async function inBatches(
  context: LegislatureContext,
  step: { readonly what: "strawPoll" | "castBallots"; readonly session: bigint },
  rankings: readonly SignedRanking[],
  submit: (batch: readonly SignedRanking[], name: string) => Promise<unknown>,
  between: () => Promise<void>,
): Promise<void> {
  const size = context.options.ballotBatch ?? DEFAULT_BATCH;
  for (let first = 0; first < rankings.length; first += size) {
    await sendBatch(context, step, rankings.slice(first, first + size), (part, name) => submit(part, `${first}${name}`));
    if (first + size < rankings.length) await between();
  }
}

export function opinionsIn(context: LegislatureContext, record: ContentId | null): Opinions {
  return record === null ? [] : context.load(record, opinionsSchema);
}

/** Rankings by agent. */
export function opinionOf(opinions: Opinions): ReadonlyMap<Address, readonly number[]> {
  return new Map(opinions.map(({ agent, ranking }) => [agent, ranking]));
}
