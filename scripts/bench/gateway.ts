/**
 * Measures a city's gateway with 200 concurrent clients, and the slowdown of a mission meanwhile; writes bench/gateway.json. The clients
 * are a separate process on the same machine, so the gateway shares its cores with them.
 *
 * usage: node scripts/bench/gateway.ts
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { conduct } from "../../orchestrator/city/missions/conduct.ts";
import { serveGateway } from "../../orchestrator/gateway/serve.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";
import { inBenchCity, sampleMission } from "./bench-city.ts";
import { processorSeconds } from "./measure.ts";

const CLIENTS = 200;
const SECONDS = 10;
/** Milliseconds between two requests of a client that watches a mission. */
const WATCHING = 1_000;
/** Missions of each kind, alternately: the speed of a shared machine varies. */
const MISSIONS = 3;
/** Promised limits (issue L). */
const LIMITS = { readsP99Ms: 250, signedP99Ms: 1_000, signedPerSecond: 150, slowerPercent: 15 };

const loadSchema = z.strictObject({
  requests: z.int().positive(),
  perSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** Processor time of a request in the clients' process. */
  clientCpuMs: z.number(),
  statuses: z.record(z.string(), z.int()),
});
/** `cityCpuMs`: processor time per request in this process: threads of gateway, city, chain and records. */
type Load = z.infer<typeof loadSchema> & { readonly cityCpuMs: number };

const CLIENTS_PROGRAM = join(root, "scripts/bench/gateway-clients.ts");
async function load(url: string, kind: "reads" | "signed", pause: number, seconds: number): Promise<Load> {
  const args = [CLIENTS_PROGRAM, url, kind, String(CLIENTS), String(seconds), String(pause)];
  const before = process.cpuUsage();
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const processor = processorSeconds(before);
  const asked = loadSchema.parse(JSON.parse(stdout));
  return { ...asked, cityCpuMs: round((1_000 * processor) / asked.requests) };
}

/** Wall-clock seconds of one mission, and processor seconds of the city's own thread, which do not depend on other load. */
async function mission(city: City, id: string): Promise<{ readonly seconds: number; readonly ofThread: number }> {
  const { file, input } = sampleMission("missions/csv-estimates.yaml");
  const [began, before] = [performance.now(), process.threadCpuUsage()];
  await city.chain.clock.run(() => conduct(city, { file, input, catalog: CATALOG, id, judge: simulatedJudge(city.chain.id) }));
  const { user, system } = process.threadCpuUsage(before);
  return { seconds: (performance.now() - began) / 1_000, ofThread: (user + system) / 1_000_000 };
}

const round = (value: number) => Number(value.toFixed(2));
type Taken = Awaited<ReturnType<typeof mission>>;
const least = (of: readonly Taken[], name: keyof Taken) => Math.min(...of.map((each) => each[name]));

/** The machine's load average, without which the figures cannot be compared. */
const [loadBefore = 0] = loadavg();
const result = await inBenchCity({}, async (city) => {
  const millis = () => performance.timeOrigin + performance.now();
  const pause = (time: number) => sleep(time, undefined);
  // Every client here has the same address.
  const limits = { burst: 10_000_000, perSecond: 10_000_000, connectionsEach: 2_048 };
  const thread = new URL("../gateway-thread.ts", import.meta.url);
  const gateway = await serveGateway(city, { port: 0, version: "bench", millis, sleep: pause, limits, thread });
  try {
    await mission(city, "warm");
    const reads = await load(gateway.url, "reads", 0, SECONDS);
    const signed = await load(gateway.url, "signed", 0, SECONDS);
    const alone: Taken[] = [];
    const watched: Taken[] = [];
    const watching: Load[] = [];
    for (let at = 0; at < MISSIONS; at += 1) {
      alone.push(await mission(city, `alone-${at}`));
      const clients = load(gateway.url, "reads", WATCHING, 2 * Math.ceil(alone.at(-1)?.seconds ?? 1) + 1);
      // Its process must have started before the mission.
      await sleep(1_000);
      watched.push(await mission(city, `watched-${at}`));
      watching.push(await clients);
    }
    const slower = (name: keyof Taken) => round(100 * (least(watched, name) / least(alone, name) - 1));
    return {
      cores: availableParallelism(),
      loadBefore: round(loadBefore),
      clients: CLIENTS,
      reads,
      signed,
      mission: {
        aloneSeconds: round(least(alone, "seconds")),
        watchedSeconds: round(least(watched, "seconds")),
        slowerPercent: slower("seconds"),
        /** Processor time of the city's thread, which does not depend on other load. */
        thread: {
          aloneSeconds: round(least(alone, "ofThread")),
          watchedSeconds: round(least(watched, "ofThread")),
          morePercent: slower("ofThread"),
        },
        readsPerSecond: round(watching.reduce((sum, each) => sum + each.perSecond, 0) / watching.length),
      },
    };
  } finally {
    await gateway.close();
  }
});
writeFileSync(join(root, "bench/gateway.json"), `${JSON.stringify({ limits: LIMITS, ...result }, null, 2)}\n`);
console.log(JSON.stringify(result, null, 2));
const isRefused = ({ statuses }: Load) => Object.keys(statuses).some((status) => status !== "200");
if (isRefused(result.reads) || isRefused(result.signed)) throw new Error("some requests were refused");
