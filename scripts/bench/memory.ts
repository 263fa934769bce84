/**
 * Conducts hundreds of small missions one after the other in one city, whose chain is a separate Anvil, and writes the orchestrator's
 * memory after each tenth to bench/memory.json; `npm run docs` shows it in docs/throughput.md. Takes most of an hour, so it is not
 * part of `npm run bench`.
 *
 * usage: npm run bench:memory [-- <missions>]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { assemblySociety } from "../../orchestrator/city/founding/society.ts";
import { conduct } from "../../orchestrator/city/missions/conduct.ts";
import { missionState } from "../../orchestrator/execution/chain-view.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";
import { inBenchCity } from "./bench-city.ts";

const MISSIONS = 500;
const EVERY = 10;
const PRODUCERS = 6;
const NAME = "memory.yaml";
/** One node: the rows of a file are counted. */
const MISSION = `mission: count-rows
goal: Count the work packages.
budget: "30.00"
deadline: 20m
risk: LOW
input: { kind: csv, path: missions/data/work-packages.csv }
tasks:
  count: { service: count, over: input, tier: 1 }
output: { task: count, format: json }
`;
const MEMORY_FILE = join(root, "bench", "memory.json");

const sampleSchema = z.strictObject({
  /** Missions conducted. */
  missions: z.int().positive(),
  /** Bytes after a full collection: JavaScript heap, external memory (the database's WebAssembly), the process. */
  heap: z.int().positive(),
  external: z.int().positive(),
  resident: z.int().positive(),
});
const reportSchema = z.strictObject({
  completed: z.int(),
  seconds: z.number().positive(),
  samples: z.array(sampleSchema),
});
export type MemoryBench = z.infer<typeof reportSchema>;
export type MemorySample = z.infer<typeof sampleSchema>;

export const readMemoryBench = (): MemoryBench => reportSchema.parse(JSON.parse(readFileSync(MEMORY_FILE, "utf8")));

/** The mean over the second and over the last fifth of all missions: 100–200 and 400–500 of 500. */
export function fifthsOf({ samples }: MemoryBench, of: (sample: MemorySample) => number): readonly [early: number, late: number] {
  const most = samples.at(-1)?.missions ?? 0;
  const mean = (from: number, to: number) => {
    const inside = samples.filter(({ missions }) => missions > (from * most) / 5 && missions <= (to * most) / 5);
    return inside.reduce((sum, sample) => sum + of(sample), 0) / inside.length;
  };
  return [mean(1, 2), mean(4, 5)];
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return z.custom<() => void>((value) => typeof value === "function").parse(runInNewContext("gc"));
}

/** Results so far are written with every sample: the run takes hours. */
async function benchMemory(missions: number): Promise<void> {
  const collect = collector();
  const samples: MemorySample[] = [];
  const began = performance.now();
  let completed = 0;
  await inBenchCity({ network: "anvil", society: assemblySociety(PRODUCERS) }, async (city) => {
    const file = parseMissionFile(MISSION, { fileName: NAME, catalog: CATALOG, budgetCap: 10n ** 15n });
    const input = readInput(file.input, root);
    const judge = simulatedJudge(city.chain.id);
    for (let done = 1; done <= missions; done += 1) {
      const { mission } = await conduct(city, { file, input, catalog: CATALOG, id: `memory-${done}`, judge });
      if (mission !== undefined && (await missionState(city, mission)) === "COMPLETED") completed += 1;
      if (done % EVERY !== 0) continue;
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      samples.push({ missions: done, heap: heapUsed, external, resident: rss });
      const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
      writeFileSync(MEMORY_FILE, `${JSON.stringify({ completed, seconds, samples }, null, 2)}\n`);
      console.log(JSON.stringify({ ...samples.at(-1), completed, seconds }));
    }
  });
}

if (import.meta.main) await benchMemory(process.argv.length > 2 ? Number(process.argv[2]) : MISSIONS);
