import { z } from "zod";
import type { HonestTrace } from "../../orchestrator/execution/guardian/calibrate.ts";
import { type InputSource, readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { type RandomStream, randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { CATALOG } from "../../services/catalog.ts";
import type { Item, Service, ServiceOutput } from "../../services/shared/contract.ts";
import { root } from "../dev/files.ts";

/** Inputs present in every checkout, which change only with the lock file. */
const SOURCES: Readonly<Record<string, InputSource>> = {
  packages: { kind: "packages", path: "node_modules" },
  manuals: { kind: "files", path: "node_modules/undici/docs/docs/api" },
  contracts: { kind: "files", path: "node_modules/@openzeppelin/contracts" },
  estimates: { kind: "csv", path: "missions/data/work-packages.csv" },
};

/** Each trace: its service, input, and the services upstream. */
const PLAN: readonly { readonly source: keyof typeof SOURCES; readonly chain: readonly string[] }[] = [
  ...["packages", "manuals", "contracts", "estimates"].map((source) => ({ source, chain: ["fetch-and-parse"] })),
  ...["licence-by-spdx", "licence-by-text", "licence-by-headings", "classify"].map((last) => ({
    source: "packages",
    chain: ["fetch-and-parse", last],
  })),
  ...["estimate-by-median", "estimate-by-pert", "estimate-by-triangle"].map((last) => ({
    source: "estimates",
    chain: ["fetch-and-parse", last],
  })),
  { source: "manuals", chain: ["fetch-and-parse", "classify"] },
  { source: "contracts", chain: ["fetch-and-parse", "classify"] },
  { source: "contracts", chain: ["hash"] },
  { source: "packages", chain: ["fetch-and-parse", "licence-by-spdx", "aggregate"] },
  { source: "manuals", chain: ["fetch-and-parse", "classify", "aggregate"] },
  { source: "estimates", chain: ["fetch-and-parse", "estimate-by-pert", "aggregate"] },
  { source: "packages", chain: ["fetch-and-parse", "licence-by-text", "count"] },
  { source: "packages", chain: ["fetch-and-parse", "licence-by-text", "sort"] },
];

/** Default number of tasks of a trace: windows are full for half of them. */
export const DEFAULT_TASKS = 40;

/** Minimum and maximum number of items of a task: shards of a mission have similar sizes. */
const MIN_ITEMS = 4;
const MAX_ITEMS = 12;

const serviceSchema = z.object({ default: z.custom<Service>((value) => typeof value === "function") });

/**
 * Honest work: each trace is one service over `tasks` random parts of a real input, drawn from the seed. The services are
 * functions of their input; they run here without their sandbox, which does not change their output.
 */
export async function honestTraces(seed: Seed, tasks: number, only?: readonly string[]): Promise<readonly HonestTrace[]> {
  const inputs = new Map(Object.entries(SOURCES).map(([name, source]) => [name, readInput(source, root).items]));
  const traces: HonestTrace[] = [];
  for (const { source, chain } of PLAN) {
    const name = `${chain.at(-1)} over ${source}`;
    if (only !== undefined && !only.includes(name)) continue;
    const random = randomStream(seed, "honest trace", name);
    const services = await Promise.all(chain.map(serviceOf));
    const outputs: ServiceOutput[] = [];
    for (let task = 0; task < tasks; task += 1) outputs.push(await work(services, part(inputs.get(source) ?? [], random)));
    traces.push({ name, outputs });
  }
  return traces;
}

async function serviceOf(id: string): Promise<Service> {
  const entry = CATALOG.find((each) => each.id === id);
  if (entry === undefined) throw new RangeError(`no service ${id}`);
  return serviceSchema.parse(await import(entry.file)).default;
}

function part(items: readonly Item[], random: RandomStream): readonly Item[] {
  const count = MIN_ITEMS + random.int(MAX_ITEMS - MIN_ITEMS + 1);
  return random
    .shuffle(items)
    .slice(0, count)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function work(services: readonly Service[], items: readonly Item[]): Promise<ServiceOutput> {
  let output: ServiceOutput = { items };
  for (const [step, service] of services.entries()) {
    const upstream = step === 0 ? [] : [{ task: "before", node: "before-1", items: output.items, dissent: [] }];
    output = await service({ goal: "Calibrate the Guardian.", items: step === 0 ? items : [], upstream }, NO_TOOLS);
  }
  return output;
}

const NO_TOOLS = { tool: () => Promise.reject(new Error("no tools here")), message: () => undefined };
