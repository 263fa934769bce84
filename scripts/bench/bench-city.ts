/** A city for one measurement, in a temporary folder. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type City, type CityOptions, openCity } from "../../orchestrator/city/city.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";

/** Seed of every measured city, so that each run makes the same random choices. */
export const SEED = "7";

/** One of the project's sample missions, with its input. */
export function sampleMission(fileName: string) {
  const file = parseMissionFile(readFileSync(join(root, fileName), "utf8"), { fileName, catalog: CATALOG, budgetCap: 10n ** 15n });
  return { file, input: readInput(file.input, dirname(join(root, fileName))) };
}

/** Founds a city, lets it be used, and removes it. */
export async function inBenchCity<T>(options: Pick<CityOptions, "network" | "society">, use: (city: City) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "agentcity-bench-"));
  try {
    const city = await openCity({
      dir: join(home, "city"),
      cacheDir: join(tmpdir(), "agentcity-bench-cache"),
      seed: SEED,
      progress: () => {},
      millis: () => performance.now(),
      ...options,
    });
    try {
      return await use(city);
    } finally {
      await city.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
