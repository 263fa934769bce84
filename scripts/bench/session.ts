/**
 * Holds sessions of growing size on the embedded chain and writes duration and cost of each to bench/session.json; `npm run docs`
 * generates docs/scale.md from it. Part of `npm run bench`.
 *
 * usage: node scripts/bench/session.ts [voters …]   measures only these, with eight entries, and writes nothing
 */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { assemblySociety } from "../../orchestrator/city/founding/society.ts";
import { holdSession } from "../../orchestrator/city/missions/hold-session.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "../dev/files.ts";
import { inBenchCity, sampleMission } from "./bench-city.ts";
import { processorSeconds, referenceLoop } from "./measure.ts";

/** Entries that fit into a lane of 32 bits. */
const ENTRIES = 8;
/** Voters and ballot entries of each row: growth in n with eight entries, growth in m with two hundred voters. */
const SIZES: readonly (readonly [agents: number, candidates: number])[] = [
  [50, 8],
  [100, 8],
  [200, 4],
  [200, 8],
  [200, 12],
  [200, 16],
  [500, 8],
  [1_000, 8],
];
const MISSION = "missions/incident-notes.yaml";
const SESSION_FILE = join(root, "bench", "session.json");

const rowSchema = z.strictObject({
  agents: z.int().positive(),
  candidates: z.int().positive(),
  /** Seconds of wall time: for the founding, and from the session's opening to its end. */
  founding: z.number().positive(),
  session: z.number().positive(),
  /** Processor seconds of the session, in this process only. */
  processor: z.number().positive(),
  transactions: z.int().positive(),
  gas: z.int().positive(),
  gasPerBallot: z.int().positive(),
  status: z.enum(["deployed", "no-law"]),
});
/** `loop`: `referenceLoop` of the same run. */
const reportSchema = z.strictObject({ cores: z.int().positive(), loop: z.number().positive(), rows: z.array(rowSchema) });
export type SessionBench = z.infer<typeof reportSchema>;

export const readSessionBench = (): SessionBench => reportSchema.parse(JSON.parse(readFileSync(SESSION_FILE, "utf8")));

async function rowOf(agents: number, candidates: number): Promise<SessionBench["rows"][number]> {
  const began = performance.now();
  return inBenchCity({ society: assemblySociety(agents) }, async (city) => {
    const founded = performance.now();
    const used = process.cpuUsage();
    const { file, input } = sampleMission(MISSION);
    const { gas, status } = await holdSession(city, {
      file,
      inputs: { count: input.items.length, digest: input.digest },
      services: CATALOG,
      id: "bench",
      candidates,
      bloc: { size: 0, strategy: "identical" },
      judge: simulatedJudge(city.chain.id),
    });
    const processor = processorSeconds(used);
    const seconds = (from: number, to: number) => Number(((to - from) / 1000).toFixed(1));
    return {
      agents,
      candidates,
      founding: seconds(began, founded),
      session: seconds(founded, performance.now()),
      processor: Number(processor.toFixed(1)),
      transactions: gas.steps.reduce((sum, step) => sum + step.transactions, 0),
      gas: gas.total,
      gasPerBallot: gas.ballots.perBallot,
      status,
    };
  });
}

if (import.meta.main) {
  const named = process.argv.slice(2).map((agents) => [Number(agents), ENTRIES] as const);
  const loop = referenceLoop();
  const rows: SessionBench["rows"] = [];
  for (const [agents, candidates] of named.length > 0 ? named : SIZES) {
    const row = await rowOf(agents, candidates);
    rows.push(row);
    console.log(JSON.stringify(row));
  }
  if (named.length === 0) writeFileSync(SESSION_FILE, `${JSON.stringify({ cores: availableParallelism(), loop, rows }, null, 2)}\n`);
}
