import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { openCity } from "../../orchestrator/city/city.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "./cache.ts";

/** Thirty packages on which the three ways agree well enough. */
export const PACKAGES = readFileSync(join(import.meta.dirname, "../../missions/data/work-packages.csv"), "utf8");
/** Guesses so wide apart that no two services agree on any of them, whoever wins the slots: the mission runs out of attempts and fails. */
export const DISPUTED_PACKAGES =
  "package,optimistic,likely,pessimistic\nsurvey,1,2,30\nfoundation,2,3,50\nframe,1,3,40\nroof,1,2,25\nwiring,4,8,90\npaint,2,2,30\n";

/** All three tiers, redundant executors that differ somewhere, a report: small, and whole. */
export const SMALL_MISSION = `mission: packages
goal: Estimate work packages three ways.
budget: "600.00"
deadline: 20m
risk: LOW
input: { kind: csv, path: packages.csv }
tasks:
  read: { service: fetch-and-parse, over: input, tier: 1 }
  estimate:
    service: [estimate-by-pert, estimate-by-triangle, estimate-by-median]
    after: [read]
    tier: 2
    agree: { on: value, atLeast: 0.6 }
  report: { service: aggregate, after: [estimate], tier: 3 }
output: { task: report, format: markdown }
predicates: [every-input-covered, { maxBytes: 500000 }]
`;

export interface FinishedMission {
  readonly outcome: Outcome;
  /** The bundle's directory. */
  readonly bundle: string;
}

/** Founds a city in a folder, runs the small mission to its end, and closes the city: only the folder is left. */
export async function runSmallMission(folder: string, { seed = "7", cheat = false, packages = PACKAGES } = {}): Promise<FinishedMission> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "packages.csv"), packages);
  const file = parseMissionFile(SMALL_MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
  const input = readInput(file.input, folder);
  const city = await openCity({ dir: join(folder, "embedded"), cacheDir: cache, seed, progress: () => {}, millis: () => 0 });
  try {
    const order = { file, catalog: CATALOG, input, id: "small", judge: simulatedJudge(city.chain.id), cheat };
    const outcome = await runToEnd(city, order, SMALL_MISSION, folder);
    if (outcome.bundle === null) throw new Error(`the small mission made no bundle: ${outcome.status}`);
    return { outcome, bundle: join(folder, outcome.bundle) };
  } finally {
    await city.close();
  }
}
