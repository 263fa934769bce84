import type { CityClient } from "../client/client.ts";
import type { Address } from "../primitives/hex.ts";
import { type SessionStateName, sessionTransitions } from "../rules/transitions/session.ts";
import type { SessionRecord } from "./metrics.ts";

/** Reads a session's on-chain record, from its events alone. */
export async function sessionRecord({ legislation }: CityClient, session: bigint): Promise<SessionRecord> {
  const { electorate, drafted } = await legislation.sessionOf(session);
  const proposals = await legislation.history("Proposed", { session });
  const sponsorships = await legislation.history("Sponsored", { session });
  const polled = await legislation.history("StrawPollCast", { session });
  const cast = await legislation.history("BallotCast", { session });
  const moves = await legislation.history("StateChanged", { session });
  const straws = new Map(polled.map(({ args }) => [args.agent, args.ranking]));
  const ballots = new Map(cast.map(({ args }) => [args.agent, args.ranking]));
  return {
    electorate,
    ballot: await legislation.ballotOf(session),
    proposed: proposals.map(({ args }) => args.candidate),
    straws,
    ballots,
    participants: new Set<Address>([
      // The Speaker does not belong to the electorate.
      ...proposals.flatMap(({ args }) => (args.candidate === drafted ? [] : [args.proposer])),
      ...sponsorships.map(({ args }) => args.agent),
      ...straws.keys(),
      ...ballots.keys(),
    ]),
    moves: moves.map(({ args }) => ({ from: nameOf(args.from), to: nameOf(args.to) })),
  };
}

function nameOf(state: number): SessionStateName {
  return sessionTransitions.states[state] ?? "NONE";
}
