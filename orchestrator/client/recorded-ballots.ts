import type { Address } from "../primitives/hex.ts";
import type { CityClient } from "./client.ts";

/** A ranking as the chain recorded it, packed. */
export interface RecordedBallot {
  readonly agent: Address;
  readonly ranking: bigint;
}

/** Every ballot of a session, in the order in which they were cast: one question, however many voted. */
export async function recordedBallots({ legislation }: CityClient, session: bigint): Promise<readonly RecordedBallot[]> {
  const { openedBlock } = await legislation.sessionOf(session);
  const events = await legislation.history("BallotCast", { session }, { fromBlock: BigInt(openedBlock) });
  return events.map(({ args: { agent, ranking } }) => ({ agent, ranking }));
}
