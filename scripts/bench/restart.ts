/**
 * Conducts a hundred missions in a city on the embedded chain, closes it, and measures what `npm run city` takes to answer again. Writes
 * bench/restart.json; `npm run docs` shows it in docs/throughput.md. Takes ten minutes, so it is no part of `npm run bench`.
 *
 * usage: node scripts/bench/restart.ts [missions]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { openCity } from "../../orchestrator/city/city.ts";
import { conduct } from "../../orchestrator/city/missions/conduct.ts";
import { missionState } from "../../orchestrator/execution/chain-view.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";
import { SEED, sampleMission } from "./bench-city.ts";

const MISSIONS = 100;
/** So many at once as the stakes of the founders cover. */
const TOGETHER = 4;
export const RESTART_FILE = join(root, "bench", "restart.json");

const reportSchema = z.strictObject({
  cores: z.int().positive(),
  missions: z.int().positive(),
  completed: z.int(),
  /** Of the embedded chain, which is played again. */
  blocks: z.int().positive(),
  /** From the command to the line that names its address: seconds of wall time. */
  seconds: z.number().positive(),
  /** Mean of the minute before: what else the machine did. */
  load: z.number(),
});
export type RestartBench = z.infer<typeof reportSchema>;

export const readRestartBench = (): RestartBench => reportSchema.parse(JSON.parse(readFileSync(RESTART_FILE, "utf8")));

/** Missions to their end, in the folder where the command line keeps its embedded city. */
async function history(home: string, missions: number): Promise<Pick<RestartBench, "completed" | "blocks">> {
  const { file, input } = sampleMission("missions/csv-estimates.yaml");
  const city = await openCity({
    ...{ dir: join(home, "embedded"), cacheDir: join(home, "cache"), seed: SEED, tell: () => {}, millis: () => performance.now() },
  });
  try {
    const judge = simulatedJudge(city.chain.id);
    let completed = 0;
    for (let first = 0; first < missions; first += TOGETHER) {
      const ids = Array.from({ length: Math.min(TOGETHER, missions - first) }, (_, place) => `restart-${first + place}`);
      const ends = await Promise.all(
        ids.map((id) => city.chain.clock.run(() => conduct(city, { file, input, catalog: CATALOG, id, judge }))),
      );
      const states = await Promise.all(ends.flatMap(({ mission }) => (mission === undefined ? [] : [missionState(city, mission)])));
      completed += states.filter((state) => state === "COMPLETED").length;
      console.error(`${first + ids.length} of ${missions} missions, ${completed} completed`);
    }
    return { completed, blocks: Number(city.chain.head().number) };
  } finally {
    await city.close();
  }
}

/** Seconds until a city that was closed answers again. */
async function restart(home: string): Promise<number> {
  const began = performance.now();
  const args = [join(root, "scripts/agentcity.js"), "city", "--port", "0", "--open", "0", "--seed", SEED, "--json"];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, AGENTCITY_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const said = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended.then(() => undefined)]);
  const seconds = (performance.now() - began) / 1000;
  child.kill("SIGTERM");
  await ended;
  if (said === undefined) throw new Error(`the city ended with ${child.exitCode} before it answered`);
  return seconds;
}

if (import.meta.main) {
  const missions = z.coerce
    .number()
    .pipe(z.int().positive())
    .parse(process.argv[2] ?? MISSIONS);
  const home = mkdtempSync(join(tmpdir(), "agentcity-restart-"));
  try {
    const { completed, blocks } = await history(home, missions);
    const seconds = Number((await restart(home)).toFixed(1));
    const [load = 0] = loadavg();
    const report: RestartBench = { cores: availableParallelism(), missions, completed, blocks, seconds, load: Number(load.toFixed(1)) };
    console.log(JSON.stringify(report));
    if (missions === MISSIONS) writeFileSync(RESTART_FILE, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
