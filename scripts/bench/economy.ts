/**
 * Runs the complete economy in its Full configuration at several sizes, each in its own process, and writes each result to
 * bench/economy-speed.json as soon as it is available; `npm run docs` generates its page. Part of `npm run bench`.
 *
 * usage: node scripts/bench/economy.ts [<agents> …]   measures these again and keeps the other rows
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { worldOf } from "../../orchestrator/economy/campaign.ts";
import { AS_WRITTEN, SCALED } from "../../orchestrator/economy/hypotheses.ts";
import { runEconomy } from "../../orchestrator/economy/run.ts";
import { root } from "../dev/files.ts";
import { originOfNow, originSchema } from "../economy/origin.ts";
import { processorSeconds } from "./measure.ts";

/** Numbers of agents; the largest also with tasks that grow with the city. */
const SIZES: readonly number[] = [50, 200, 500, 1000];
const FILE = join(root, "bench", "economy-speed.json");
const SELF = fileURLToPath(import.meta.url);
const MIB = 1024;

const rowSchema = z.strictObject({
  agents: z.int().positive(),
  variant: z.enum([AS_WRITTEN, SCALED]),
  tasks: z.int().positive(),
  rounds: z.int().positive(),
  /** Wall time, and processor seconds of the process including the chain's threads. */
  seconds: z.number().positive(),
  processor: z.number().positive(),
  /** Of these, until the first round: the city's founding and every agent's registration. */
  founding: z.number().positive(),
  /** Peak memory of the process, MiB. */
  memory: z.int().positive(),
  transactions: z.int().positive(),
  /** Gas after the founding. */
  gas: z.int().positive(),
});
const placedSchema = rowSchema.extend({ origin: originSchema });
const reportSchema = z.strictObject({ rows: z.array(placedSchema) });
type Row = z.infer<typeof rowSchema>;
export type EconomyBench = z.infer<typeof reportSchema>;

/** Undefined before the first measurement. */
export const readEconomyBench = (): EconomyBench | undefined =>
  existsSync(FILE) ? reportSchema.parse(JSON.parse(readFileSync(FILE, "utf8"))) : undefined;

const tenths = (value: number): number => Math.round(10 * value) / 10;

/** One complete run, in this process. */
async function measure(agents: number, variant: Row["variant"]): Promise<Row> {
  const world = worldOf({ variant, agents });
  const began = performance.now();
  const [before, founded] = [processorSeconds(), Promise.withResolvers<number>()];
  const run = await runEconomy({
    configuration: "full",
    agents,
    seed: 1,
    world,
    founded: () => founded.resolve(processorSeconds() - before),
  });
  return {
    agents,
    variant,
    tasks: world.tasks,
    rounds: world.rounds,
    seconds: tenths((performance.now() - began) / 1000),
    processor: tenths(processorSeconds() - before),
    founding: tenths(await founded.promise),
    memory: Math.round(process.resourceUsage().maxRSS / MIB),
    transactions: run.governance?.transactions ?? 0,
    gas: Object.values(run.governance?.gas ?? {}).reduce((sum, one) => sum + one, 0),
  };
}

/** Replaces the row of the same variant and size. */
function keep(row: z.infer<typeof placedSchema>): void {
  const others = (readEconomyBench()?.rows ?? []).filter(({ agents, variant }) => agents !== row.agents || variant !== row.variant);
  const rows = [...others, row].sort(
    (one, other) => Number(one.variant === SCALED) - Number(other.variant === SCALED) || one.agents - other.agents,
  );
  writeFileSync(FILE, `${JSON.stringify({ rows } satisfies EconomyBench, null, 2)}\n`);
}

/** Measures each size in its own process; other rows are kept. */
function benchEconomy(sizes: readonly number[] = SIZES): void {
  const cells = sizes.flatMap((agents) => [[agents, AS_WRITTEN] as const, ...(agents === SIZES.at(-1) ? [[agents, SCALED] as const] : [])]);
  for (const [agents, variant] of cells) {
    const text = execFileSync(process.execPath, [SELF, "--measure", String(agents), variant], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const row = rowSchema.parse(JSON.parse(text));
    console.log(JSON.stringify(row));
    if (SIZES.includes(agents)) keep({ ...row, origin: originOfNow() });
  }
}

if (import.meta.main) {
  const [first, agents, variant] = process.argv.slice(2);
  if (first === "--measure") process.stdout.write(JSON.stringify(await measure(Number(agents), rowSchema.shape.variant.parse(variant))));
  else benchEconomy(first === undefined ? SIZES : process.argv.slice(2).map(Number));
}
