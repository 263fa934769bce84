import { z } from "zod";
import { signMessage } from "../client/sign/sign-message.ts";
import { rankingSchema } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import { packRanking, tally as tallyOf } from "../rules/condorcet.ts";
import type { LegislatureContext } from "./context.ts";
import { TallyDisagrees } from "./errors.ts";
import { requestFor, tableOf } from "./propose.ts";
import type { SessionState } from "./state.ts";
import { surveySchema } from "./survey.ts";

const ballotsSchema = z.array(
  z.strictObject({ agent: addressSchema, ranking: hexSchema.transform(BigInt), deadline: z.int(), signature: hexSchema }),
);

const DEFAULT_BATCH = 4;

/** The ballot as the chain fixed it: entry → law. Entry 0 is "no law". */
export async function ballotPaper(context: LegislatureContext, session: bigint): Promise<{ candidate: number; specHash: Hash }[]> {
  const paper = [];
  for (const candidate of await context.client.legislation.ballotOf(session)) {
    paper.push({ candidate, specHash: (await context.client.legislation.candidateOf(session, candidate)).specHash });
  }
  return paper;
}

/** Stage 3: one full ranking from everybody, signed, submitted in batches, tallied on chain and off (AgentCity 3.4; decision 11). */
export function vote(context: LegislatureContext) {
  const { client, clerks, options } = context;

  return {
    /** Waits for the end of proposing when nothing found sponsors; the chain then ends the session. */
    async awaitVoting(state: SessionState): Promise<Partial<SessionState>> {
      const { deadline } = await client.legislation.sessionOf(BigInt(state.session));
      await client.chain.clock.sleepUntil(BigInt(deadline) + 1n);
      return {};
    },

    /** Sends: the Speaker fixes the ballot. */
    async openVoting(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      await clerks.speaker.openVoting(session, context.step("openVoting", state.session, context.note("voting", [state.session])));
      await context.cross("legislature:voting-opened");
      const { ballotSize } = await client.legislation.sessionOf(session);
      return ballotSize === 0 ? { outcome: "failed" } : {};
    },

    /** Thinks: some producers' rankings. Runs side by side. */
    async rank(input: {
      readonly agents: readonly Address[];
      readonly survey: ContentId;
      readonly table: ContentId | null;
      readonly session: string;
    }): Promise<Partial<SessionState>> {
      const shapes = new Map(tableOf(context, input.table).map(({ specHash, shape }) => [specHash, shape]));
      const paper = await ballotPaper(context, BigInt(input.session));
      const candidates = paper.map(({ specHash }, number) => ({ number, shape: shapes.get(specHash) ?? null }));
      const ranked = await Promise.all(
        input.agents.map(async (agent): Promise<[Address, ContentId][]> => {
          const request = requestFor(context, input.survey, agent);
          const ranking = await context.askOrAbstain(agent, "rank", rankingSchema, (mind) => mind.rank({ ...request, candidates }));
          return ranking === undefined ? [] : [[agent, context.save(ranking)]];
        }),
      );
      return { rankings: Object.fromEntries(ranked.flat()) };
    },

    /** Signs: every voter, in order of producer index. */
    async signBallots(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { deadline } = await client.legislation.sessionOf(session);
      const { voters } = context.load(state.survey, surveySchema);
      const signed: z.input<typeof ballotsSchema> = [];
      for (const { agent } of voters) {
        const order = rankingOf(context, state, agent);
        if (order === undefined) continue;
        const ranking = packRanking(order);
        const signature = await signMessage(client, context.producer(agent).account, "Ballot", { session, agent, ranking, deadline });
        signed.push({ agent, ranking: `0x${ranking.toString(16).padStart(16, "0")}`, deadline, signature });
      }
      const ballots = context.save(signed);
      await context.cross("legislature:ballots-signed");
      return { ballots };
    },

    /** Sends: the ballots in batches, sorted by producer index. */
    async castBallots(state: SessionState): Promise<Partial<SessionState>> {
      const ballots = context.load(state.ballots, ballotsSchema);
      const size = options.ballotBatch ?? DEFAULT_BATCH;
      for (let first = 0; first < ballots.length; first += size) {
        const batch = ballots.slice(first, first + size);
        const note = context.note("ballots", [state.session, ...batch.map(({ agent }) => agent)], state.ballots ?? undefined);
        await client.legislation.castBallots([BigInt(state.session), batch], context.step("castBallots", first, note));
        if (first + size < ballots.length) await context.cross("legislature:mid-ballots");
      }
      return {};
    },

    /** Waits until all have voted or voting is over. */
    async awaitBallots(state: SessionState): Promise<Partial<SessionState>> {
      const { ballots, electorate, deadline } = await client.legislation.sessionOf(BigInt(state.session));
      if (ballots < electorate) await client.chain.clock.sleepUntil(BigInt(deadline) + 1n);
      return {};
    },

    /** Sends: the tally; then compares it with what the recorded ballots give. */
    async tally(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      await client.legislation.tally(
        [session],
        context.step("tally", state.session, context.note("tally", [state.session], state.ballots ?? undefined)),
      );
      await context.cross("legislature:tallied");
      const { winner, ballotSize, ballots, tieSeed } = await client.legislation.sessionOf(session);
      if (winner === 0) return { outcome: "failed" };
      const cast = context.load(state.ballots, ballotsSchema);
      const computed = tallyOf(
        cast.map(({ ranking }) => ranking),
        ballotSize,
        tieSeed,
      );
      const paper = await client.legislation.ballotOf(session);
      if (cast.length !== ballots || paper[computed.winner] !== winner) {
        throw new TallyDisagrees(session, `${winner} of ${ballots} ballots`, `${paper[computed.winner]} of ${cast.length} ballots`);
      }
      return {};
    },
  };
}

/** An agent's recorded ranking of ballot ballotSize. */
function rankingOf(context: LegislatureContext, state: SessionState, agent: Address): readonly number[] | undefined {
  const record = state.rankings[agent];
  return record === undefined ? undefined : context.load(parseContentId(record), rankingSchema);
}
