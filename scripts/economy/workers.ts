import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Cell, keptRun } from "../../orchestrator/economy/campaign.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { programUrl } from "../kept-program.ts";

/** A worker process ended before its runs were complete. */
export class WorkerFailed extends AgentCityError {
  constructor(seed: number, said: string) {
    super("WorkerFailed", `The runs of seed ${seed} ended early`, {
      details: said,
      action: "repeat the command with --resume: completed runs are kept",
    });
  }
}

/** Runs what is not stored yet, a process per seed, a limited number at a time. `done` is called with every run. */
export async function runAll(folder: string, cells: readonly Cell[], processes: number, done: (line: string) => void): Promise<void> {
  const worker = fileURLToPath(await programUrl(undefined, "economy-worker"));
  const missing = cells.filter((cell) => keptRun(folder, cell) === undefined);
  const waiting = [...Map.groupBy(missing, ({ seed }) => seed)];
  const next = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await runSeed(worker, folder, job, done);
  };
  await Promise.all(Array.from({ length: processes }, next));
}

async function runSeed(
  worker: string,
  folder: string,
  [seed, cells]: readonly [number, readonly Cell[]],
  done: (line: string) => void,
): Promise<void> {
  const child = spawn(process.execPath, [worker, folder, JSON.stringify(cells)], { stdio: ["pipe", "pipe", "pipe"] });
  // It ends with its input, so that none outlives a killed campaign.
  const stop = () => child.kill("SIGTERM");
  process.once("exit", stop);
  let said = "";
  child.stderr.on("data", (text) => {
    said += String(text);
  });
  createInterface(child.stdout).on("line", done);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  process.off("exit", stop);
  if (code !== 0) throw new WorkerFailed(seed, reasonIn(said));
}

/** The error's own line, if the process ended with one; otherwise its last output. */
function reasonIn(said: string): string {
  const lines = said.trim().split("\n");
  return lines.find((line) => /^\w*(Error|Reverted|Refuses|Invalid\w*|[A-Z]\w+): /.test(line)) ?? lines.slice(-3).join("\n");
}
