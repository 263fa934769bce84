/**
 * Conducts a hundred missions in a served city, closes it, and measures how long `npm run city` takes to answer again, on either of its
 * chains. Writes bench/restart.json; `npm run docs` shows it in docs/throughput.md. Takes a quarter of an hour, so it is not part of
 * `npm run bench`.
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
import { type DevnetName, devnets, openCity } from "../../orchestrator/city/city.ts";
import { conduct } from "../../orchestrator/city/missions/conduct.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import { missionState } from "../../orchestrator/execution/chain-view.ts";
import { serveGateway } from "../../orchestrator/gateway/serve.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";
import { SEED, sampleMission } from "./bench-city.ts";

const MISSIONS = 100;
/** Concurrent missions: as many as the founders' stakes cover. */
const TOGETHER = 4;
const RESTART_FILE = join(root, "bench", "restart.json");

const chainSchema = z.strictObject({
  network: z.enum(devnets),
  missions: z.int().positive(),
  completed: z.int(),
  /** Blocks of the chain, which is replayed. */
  blocks: z.int().positive(),
  /** Seconds of wall time from the command to the line with its address. */
  seconds: z.number().positive(),
  /** Load average of the preceding minute. */
  load: z.number(),
});
const reportSchema = z.strictObject({ cores: z.int().positive(), chains: z.array(chainSchema).nonempty() });
type Restarted = z.infer<typeof chainSchema>;
export type RestartBench = z.infer<typeof reportSchema>;

export const readRestartBench = (): RestartBench => reportSchema.parse(JSON.parse(readFileSync(RESTART_FILE, "utf8")));

/** Conducts missions to their end, in the command line's city folder, with the gateway open. */
async function history(home: string, network: DevnetName, missions: number): Promise<Pick<Restarted, "completed" | "blocks">> {
  const { file, input } = sampleMission("missions/csv-estimates.yaml");
  const city = await openCity({
    ...{ dir: join(home, network), cacheDir: join(home, "cache"), network, seed: SEED, progress: () => {}, millis: wallTime.millis },
  });
  const gateway = await serveGateway(city, { port: 0, version: "bench", millis: wallTime.millis, sleep: wallTime.sleep });
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
    await gateway.sync();
    return { completed, blocks: Number(await city.chain.publicClient.getBlockNumber()) };
  } finally {
    await gateway.close();
    await city.close();
  }
}

/** Seconds until a closed city answers again. */
async function restart(home: string, network: DevnetName): Promise<number> {
  const began = performance.now();
  const place = ["--network", network, "--port", "0", "--open", "0"];
  const args = [join(root, "scripts/agentcity.js"), "city", ...place, "--seed", SEED, "--json"];
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

async function measure(network: DevnetName, missions: number): Promise<Restarted> {
  const home = mkdtempSync(join(tmpdir(), "agentcity-restart-"));
  try {
    const past = await history(home, network, missions);
    const seconds = tenths(await restart(home, network));
    const [load = 0] = loadavg();
    return { network, missions, ...past, seconds, load: tenths(load) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const tenths = (value: number): number => Number(value.toFixed(1));

if (import.meta.main) {
  const missions = z.coerce
    .number()
    .pipe(z.int().positive())
    .parse(process.argv[2] ?? MISSIONS);
  const chains: Restarted[] = [];
  for (const network of devnets) chains.push(await measure(network, missions));
  const report = reportSchema.parse({ cores: availableParallelism(), chains });
  console.log(JSON.stringify(report));
  if (missions === MISSIONS) writeFileSync(RESTART_FILE, `${JSON.stringify(report, null, 2)}\n`);
}
