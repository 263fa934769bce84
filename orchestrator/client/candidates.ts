import { zip } from "../primitives/lists.ts";
import type { CityClient } from "./client.ts";
import { type ReadResult, readMany } from "./read.ts";

/** A law in a session, with its number. Candidate 0 is "no law". */
export type Candidate = ReadResult<"LegislativeProcedure", "candidateOf"> & { readonly candidate: number };

/** These laws of a session, in the given order. */
async function candidatesOf(client: CityClient, session: bigint, numbers: readonly number[]): Promise<readonly Candidate[]> {
  const args = numbers.map((candidate) => [session, candidate] as const);
  const held = await readMany(client, { contract: "LegislativeProcedure", functionName: "candidateOf", args });
  return zip(numbers, held).map(([candidate, law]) => ({ candidate, ...law }));
}

/** The ballot of a session as fixed on chain, by entry. Entry 0 is "no law". */
export async function ballotIn(client: CityClient, session: bigint): Promise<readonly Candidate[]> {
  return candidatesOf(client, session, await client.legislation.ballotOf(session));
}

/** All laws that were proposed in a session, in the order of their proposals. */
export async function proposedIn(client: CityClient, session: bigint): Promise<readonly Candidate[]> {
  const { candidates } = await client.legislation.sessionOf(session);
  return candidatesOf(
    client,
    session,
    Array.from({ length: Math.max(0, candidates - 1) }, (_, number) => number + 1),
  );
}
