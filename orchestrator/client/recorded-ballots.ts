import type { Address } from "../primitives/hex.ts";
import type { CityClient } from "./client.ts";

/** A ranking as recorded on chain, packed. */
export interface RecordedBallot {
  readonly agent: Address;
  readonly ranking: bigint;
}

/** Every ballot of a session, in the order cast, with one request. */
export async function recordedBallots({ legislation }: CityClient, session: bigint): Promise<readonly RecordedBallot[]> {
  const { openedBlock } = await legislation.sessionOf(session);
  const events = await legislation.history("BallotCast", { session }, { fromBlock: BigInt(openedBlock) });
  return events.map(({ args: { agent, ranking } }) => ({ agent, ranking }));
}
