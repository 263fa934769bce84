import type { Address } from "../primitives/hex.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import type { CityClient } from "./client.ts";
import { readMany } from "./read.ts";

/** `Kind.PRODUCER` on chain. */
const PRODUCER = 1;

/** Why the contracts currently refuse this producer's votes and bids; undefined if they accept them. */
export async function exclusionOf({ agents, constitution }: CityClient, agent: Address): Promise<string | undefined> {
  if (await agents.isEligible(agent, PRODUCER)) return undefined;
  const [{ banned }, reputation, floor] = await Promise.all([
    agents.agentOf(agent),
    agents.reputationOf(agent),
    constitution.param(parameterIndex("REPUTATION_FLOOR")),
  ]);
  if (banned) return "it is banned";
  if (reputation < floor) return `its reputation is ${reputation}, below the floor of ${floor}`;
  return "it is leaving the city, or its principal's portfolio is frozen";
}

/** The producers whose votes and bids the contracts currently accept. */
export async function eligibleAmong(client: CityClient, producers: readonly Address[]): Promise<ReadonlySet<Address>> {
  const args = producers.map((agent) => [agent, PRODUCER] as const);
  const eligible = await readMany(client, { contract: "ProducerContract", functionName: "isEligible", args });
  return new Set(producers.filter((_, place) => eligible[place]));
}

/** The producers with a vote: founders, and those that were paid for a slot or vouched for since (decision 91). */
export async function electorsAmong(client: CityClient, producers: readonly Address[]): Promise<ReadonlySet<Address>> {
  const args = producers.map((agent) => [agent] as const);
  const votes = await readMany(client, { contract: "ProducerContract", functionName: "hasSuffrage", args });
  return new Set(producers.filter((_, place) => votes[place]));
}

/** Why a producer's stake could back no bid, even without other bids; undefined if it can back one of `least`, smallest unit. */
export async function stakeShortageOf({ agents, constitution }: CityClient, agent: Address, least: bigint): Promise<string | undefined> {
  const [{ held }, registration] = await Promise.all([
    agents.stakeOf(agent),
    constitution.paramInUnits(parameterIndex("REGISTRATION_STAKE")),
  ]);
  return held >= registration + least ? undefined : "its stake backs no bid any more";
}
