import { join } from "node:path";
import { findLivingCity } from "../chain/city-file.ts";
import { requestHearingBundle } from "../city/bundle/bundle-requests.ts";
import { HearingNotOver, writeHearingBundle } from "../city/bundle/hearing-bundle.ts";
import { openCity } from "../city/city.ts";
import { foundedSeed } from "../city/founding/city-folder.ts";
import { InvalidValue } from "../primitives/errors.ts";
import { hashSchema } from "../primitives/hex.ts";
import { home } from "./home.ts";
import { lastingNetwork, placeOf } from "./network.ts";
import { withProgress } from "./progress.ts";
import { wallTime } from "./wall-time.ts";

/**
 * Writes what a panel of this folder's city judged of a job that is over into a bundle, for anybody to verify with `audit`. A running city
 * writes it itself.
 */
export async function hearing(
  key: string,
  { network, json = false }: { readonly network?: string; readonly json?: boolean },
): Promise<void> {
  const { data: hash } = hashSchema.safeParse(key.toLowerCase());
  if (hash === undefined) throw new InvalidValue("key", `${key} is not 0x and 64 hex digits`, { action: "give a key of list_hearings" });
  const { name, devnet, rpcUrl, live } = placeOf({ network: network ?? lastingNetwork() });
  const { root, dir, cacheDir } = home(name);
  const seed = foundedSeed(dir);
  if (seed === undefined) throw new HearingNotOver(hash);
  const directory = join(root, "hearings", hash);
  const isAlive = () => findLivingCity(dir) !== undefined;
  await withProgress(async ({ progress }) => {
    if (isAlive() && (await requestHearingBundle(dir, hash, directory, { sleep: wallTime.sleep, isAlive }))) return;
    const city = await openCity({ dir, cacheDir, network: devnet, rpcUrl, live, seed, progress, millis: wallTime.millis });
    try {
      await writeHearingBundle(city, hash, directory);
    } finally {
      await city.close();
    }
  });
  process.stdout.write(json ? `${JSON.stringify({ bundle: directory })}\n` : `BUNDLE ${directory}\nCHECK  npm run audit -- ${hash}\n`);
}
