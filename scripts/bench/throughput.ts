/**
 * Conducts one, eight and thirty-two missions concurrently in one city on the embedded chain and writes their speed to
 * bench/throughput.json; `npm run docs` generates docs/throughput.md from it. Part of `npm run bench`.
 *
 * usage: node scripts/bench/throughput.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { assemblySociety } from "../../orchestrator/city/founding/society.ts";
import { conduct } from "../../orchestrator/city/missions/conduct.ts";
import { missionState } from "../../orchestrator/execution/chain-view.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";
import { inBenchCity, sampleMission } from "./bench-city.ts";
import { processorSeconds, referenceLoop } from "./measure.ts";

/** Concurrent missions. */
const SIZES: readonly number[] = [1, 8, 32];
const MISSION = "missions/csv-estimates.yaml";
/** Enough to cover the stakes of thirty-two missions. */
const PRODUCERS = 16;
const THROUGHPUT_FILE = join(root, "bench", "throughput.json");

const rowSchema = z.strictObject({
  missions: z.int().positive(),
  completed: z.int(),
  nodes: z.int(),
  /** From the first session's opening to the last mission's settlement: seconds of wall time, and processor seconds of this process. */
  seconds: z.number().positive(),
  processor: z.number().positive(),
  transactions: z.int().positive(),
  gas: z.int().positive(),
});
/** `loop`: `referenceLoop` of the same run. */
const reportSchema = z.strictObject({ cores: z.int().positive(), loop: z.number().positive(), rows: z.array(rowSchema) });
export type ThroughputBench = z.infer<typeof reportSchema>;
type Row = z.infer<typeof rowSchema>;

export const readThroughputBench = (): ThroughputBench => reportSchema.parse(JSON.parse(readFileSync(THROUGHPUT_FILE, "utf8")));

/** All missions concurrently; chain time jumps when all of them wait. */
async function missionsIn(city: City, count: number): Promise<Row> {
  const { file, input } = sampleMission(MISSION);
  const judge = simulatedJudge(city.chain.id);
  const before = city.chain.head().number;
  const began = performance.now();
  const used = process.cpuUsage();
  const all = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      city.chain.clock.run(() => conduct(city, { file, input, catalog: CATALOG, id: `bench-${number}`, judge })),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  const processor = processorSeconds(used);
  const missions = all.flatMap(({ mission }) => mission ?? []);
  const states = await Promise.all(missions.map((mission) => missionState(city, mission)));
  let [transactions, gas] = [0, 0n];
  for (let block = before + 1n; block <= city.chain.head().number; block += 1n) {
    const { transactions: own, gasUsed } = await city.chain.publicClient.getBlock({ blockNumber: block });
    transactions += own.length;
    gas += gasUsed;
  }
  return {
    missions: count,
    completed: states.filter((state) => state === "COMPLETED").length,
    nodes: missions.reduce((sum, { document }) => sum + document.nodes.length, 0),
    seconds: Number(seconds.toFixed(1)),
    processor: Number(processor.toFixed(1)),
    transactions,
    gas: Number(gas),
  };
}

/** Conducts each number of missions in a separate city. */
async function benchThroughput(sizes: readonly number[] = SIZES): Promise<void> {
  const loop = referenceLoop();
  const rows: Row[] = [];
  for (const count of sizes) {
    const row = await inBenchCity({ society: assemblySociety(PRODUCERS) }, (city) => missionsIn(city, count));
    rows.push(row);
    console.log(JSON.stringify(row));
  }
  if (sizes === SIZES) writeFileSync(THROUGHPUT_FILE, `${JSON.stringify({ cores: availableParallelism(), loop, rows }, null, 2)}\n`);
}

if (import.meta.main) await benchThroughput(process.argv.length > 2 ? process.argv.slice(2).map(Number) : SIZES);
