import type { Wallet } from "ethers";
import { type City, Kind } from "./city-fixture.ts";

const HOUSE = 192n;

/** Word of a verifier's seat, as far as a market reads it (`contracts/libraries/Seat.sol`). */
export const seatWord = (verifier: string, house: bigint): bigint => BigInt(verifier) | (house << HOUSE);

/** The same of a verifier that is or was registered. */
export async function seatOf({ evidence, producers }: City, verifier: string): Promise<bigint> {
  return seatWord(verifier, await evidence.houseOf(await producers.principalOf(verifier)));
}

/** Seats a verifier on a panel of the mission. One that is not registered is, and leaves again: no later panel is drawn with it. */
export async function seatVerifier(city: City, mission: string, verifier: string): Promise<void> {
  const principal = await city.producers.principalOf(verifier);
  if ((await city.evidence.houseOf(principal)) === 0n) {
    await city.evidence.registerVerifier(verifier, 100);
    await city.evidence.revoke(verifier);
  }
  await city.execution.connect(await city.as(mission)).recordVerifiers([await seatOf(city, verifier)]);
}

/** The same of a principal without a verifier. */
export async function seatPrincipal(city: City, mission: string, principal: Wallet): Promise<void> {
  const { agent } = await city.register(`verifier of ${principal.address}`, { kind: Kind.VERIFIER, principal });
  await seatVerifier(city, mission, agent.address);
}
