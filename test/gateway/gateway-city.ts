import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { PostedMissions } from "../../orchestrator/city/missions/posted-missions.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { type Gateway, type ServeOptions, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "../support/cache.ts";
import { PACKAGES, SMALL_MISSION } from "../support/mission-bundle.ts";

/** The machine's clock of these tests: it stands still unless a test moves it. Milliseconds. */
export const wall = { now: 1_800_000_000_000.25 };

export const serveOptions: ServeOptions = {
  port: 0,
  version: "test",
  millis: () => wall.now,
  // Soon, but not at once: a hub that never waits takes a core while a test waits for anything else.
  sleep: (millis) => wait(Math.min(millis, 20)),
  campaigns: { published: join(import.meta.dirname, "../../bench"), own: join(import.meta.dirname, "nowhere") },
  limits: { burst: 1_000_000, perSecond: 1_000_000 },
};

export interface ServedCity {
  readonly city: City;
  readonly gateway: Gateway;
  readonly outcome: Outcome;
}

/** Runs the small mission in a city that is served; `meanwhile` happens once its first work is committed. */
export async function servedCity(folder: string, meanwhile: (gateway: Gateway) => Promise<void>): Promise<ServedCity> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "packages.csv"), PACKAGES);
  const file = parseMissionFile(SMALL_MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
  let happened = false;
  let gateway: Gateway | undefined;
  const city = await openCity({
    dir: join(folder, "embedded"),
    cacheDir: cache,
    seed: "7",
    progress: () => {},
    millis: () => 0,
    copyFounding: true,
    async boundary(name) {
      if (name !== "execution:committed" || happened) return;
      happened = true;
      const { millis, sleep } = serveOptions;
      const posted = new PostedMissions(city, { home: folder, judge: simulatedJudge(city.chain.id), millis, sleep });
      gateway = await serveGateway(city, { ...serveOptions, bundles: join(folder, "missions"), posted });
      await meanwhile(gateway);
    },
  });
  const order = {
    file,
    catalog: CATALOG,
    input: readInput(file.input, folder),
    id: "small",
    judge: simulatedJudge(city.chain.id),
    cheat: false,
  };
  const outcome = await runToEnd(city, order, SMALL_MISSION, folder);
  if (gateway === undefined) throw new Error("nothing was committed");
  await gateway.sync();
  return { city, gateway, outcome };
}
