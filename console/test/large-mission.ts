/** The largest law there is, from a real mission: drafted, voted, compiled, deployed; it stands still before any work is routed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import type { DraftRequest } from "../../orchestrator/minds/mind.ts";
import type { LawShape } from "../../orchestrator/protocol/law-shape.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { WillingMind } from "../../test/support/willing-mind.ts";

/** 15 tasks of 17 parts each, and one that brings them together: 256 nodes, the most that a law has. */
const TASKS = 15;
const WIDE = 17;
export const LARGEST = { nodes: TASKS * WIDE + 1, tasks: TASKS + 1, parts: WIDE } as const;

const names = Array.from({ length: TASKS }, (_, task) => `read-${String.fromCharCode(97 + task)}`);
const MISSION = `mission: largest
goal: Read the same packages fifteen times, in parts.
budget: "900.00"
deadline: 20m
risk: LOW
input: { kind: csv, path: many.csv }
tasks:
${names.map((name) => `  ${name}: { service: fetch-and-parse, over: input, tier: 1 }`).join("\n")}
  report: { service: aggregate, after: [${names.join(", ")}], tier: 1 }
output: { task: report, format: markdown }
`;
const ROWS = ["package,optimistic,likely,pessimistic", ...Array.from({ length: WIDE }, (_, row) => `package-${row},3,6,9`)];

/** Would have every task that reads the input in as many parts as there are rows. */
class WideMind extends WillingMind {
  override async draft(request: DraftRequest): Promise<LawShape> {
    const { tasks } = await super.draft(request);
    const wide = tasks.map((task) => (task.task === "report" ? task : { ...task, shards: WIDE, weight: task.weight * WIDE }));
    return { title: `${TASKS} tasks in ${WIDE} parts each`, tasks: wide };
  }
}

/** Ends the mission where it stands. */
class Stopped extends Error {}

export interface LargeMission {
  readonly city: City;
  /** Resolved with the mission's contract once its law is deployed. */
  readonly deployed: Promise<string>;
  /** Ends the mission and closes the city. */
  close(): Promise<void>;
}

/** Opens a city in a folder and has it make the largest law. */
export async function openLargeMission(folder: string): Promise<LargeMission> {
  writeFileSync(join(folder, "many.csv"), `${ROWS.join("\n")}\n`);
  const reached = Promise.withResolvers<string>();
  const mayEnd = Promise.withResolvers<void>();
  const city = await openCity({
    dir: join(folder, "embedded"),
    cacheDir: join(folder, "cache"),
    seed: "7",
    progress: () => {},
    millis: () => 0,
    async boundary(name) {
      if (name !== "legislature:deployed") return;
      const [approved] = await city.client.legislation.history("Approved");
      reached.resolve(approved?.args.mission ?? "");
      await mayEnd.promise;
      throw new Stopped("the test has seen enough");
    },
  });
  const file = parseMissionFile(MISSION, { fileName: "largest.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
  const input = readInput(file.input, folder);
  const order = { file, catalog: CATALOG, input, id: "largest", judge: simulatedJudge(city.chain.id), cheat: false };
  const mission = runToEnd(city, { ...order, makeMind: (seat) => new WideMind(seat) }, MISSION, folder);
  mission.catch((error: unknown) => reached.reject(error));
  return {
    city,
    deployed: reached.promise,
    async close() {
      mayEnd.resolve();
      await mission.catch(() => {});
      await city.close();
    },
  };
}
