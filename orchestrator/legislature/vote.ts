import { recordedBallots } from "../client/recorded-ballots.ts";
import { tally as tallyOf } from "../rules/condorcet.ts";
import type { LegislatureContext } from "./context.ts";
import { debateRecord } from "./deliberate.ts";
import { TallyDisagrees } from "./errors.ts";
import { inBatches, signedRankingsSchema, signRankings } from "./rankings.ts";
import type { SessionState } from "./state.ts";

/**
 * Stage 3: every voter signs one full ranking; ballots are submitted in batches and tallied on chain and off (AgentCity 3.4; decision 11).
 */
export function vote(context: LegislatureContext) {
  const { client, clerks } = context;

  return {
    /** Waits for the end of proposing if nothing found sponsors; the chain then ends the session. */
    async awaitVoting(state: SessionState): Promise<Partial<SessionState>> {
      const { deadline } = await client.legislation.sessionOf(BigInt(state.session));
      await client.chain.clock.sleepUntil(BigInt(deadline) + 1n);
      return {};
    },

    /** Sends: the Speaker opens the vote on the debated ballot; the log records the debate with it. */
    async openVoting(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const note = context.note("voting", [state.session], debateRecord(context, state));
      await clerks.speaker.openVoting(session, context.stepInto(["VOTING"], "openVoting", session, note));
      await context.cross("legislature:voting-opened");
      const { ballotSize } = await client.legislation.sessionOf(session);
      return ballotSize === 0 ? { outcome: "failed" } : {};
    },

    /** Signs: every voter's ranking after the debate, by producer index. */
    async signBallots(state: SessionState): Promise<Partial<SessionState>> {
      const ballots = await signRankings(context, "Ballot", BigInt(state.session), state.opinions);
      await context.cross("legislature:ballots-signed");
      return { ballots };
    },

    /** Sends: the ballots in batches, sorted by producer index. */
    async castBallots(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      await inBatches(
        context,
        { what: "castBallots", session },
        context.load(state.ballots, signedRankingsSchema),
        (batch, name) => {
          const note = context.note("ballots", [state.session, ...batch.map(({ agent }) => agent)], state.ballots ?? undefined);
          return client.legislation.castBallots([session, batch], context.step("castBallots", `${session}/${name}`, note));
        },
        () => context.cross("legislature:mid-ballots"),
      );
      return {};
    },

    /** Waits until all have voted or voting is over. */
    async awaitBallots(state: SessionState): Promise<Partial<SessionState>> {
      const { ballots, electorate, deadline } = await client.legislation.sessionOf(BigInt(state.session));
      if (ballots < electorate) await client.chain.clock.sleepUntil(BigInt(deadline) + 1n);
      return {};
    },

    /** Sends: the tally; then compares it with the ballots on chain. */
    async tally(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      await client.legislation.tally(
        [session],
        context.stepInto(["TALLIED", "FAILED"], "tally", session, context.note("tally", [state.session], state.ballots ?? undefined)),
      );
      await context.cross("legislature:tallied");
      const { winner, ballotSize, ballots, tieSeed } = await client.legislation.sessionOf(session);
      if (winner === 0) return { outcome: "failed" };
      // The chain's ballots: a voter may have sent its own, and one that is gone may have voted before.
      const cast = await recordedBallots(client, session);
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
