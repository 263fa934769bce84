/** The numbers of producers, as if many had been given: nobody can register 65,535 times in a test. */
import { type City, ethers, networkHelpers } from "./city-fixture.ts";

/** Of a city in which three producers of three principals are registered. `active`: how many of them count. */
export async function giveNumbers(city: City, count: bigint, active: bigint): Promise<void> {
  const { PRODUCERS } = city.addresses;
  // Numbers given, those of them that count, and principals.
  const census = (producers: bigint) => producers | (active << 16n) | (3n << 32n);
  const slots = Array.from({ length: 16 }, (_, slot) => slot);
  const words = await Promise.all(slots.map((slot) => ethers.provider.getStorage(PRODUCERS, slot)));
  const [place, ...others] = slots.filter((slot) => BigInt(words[slot] ?? 0) === census(3n));
  if (place === undefined || others.length > 0) throw new Error("the census is not found by its numbers");
  await networkHelpers.setStorageAt(PRODUCERS, place, census(count));
}
