/**
 * Reproduces the figures of RAILS with this library, offline and seeded: the paper's figure, the closed form if there is one, ours,
 * and a verdict per row. Fails if a row should agree but does not, and on any violation of the floor.
 *
 * usage: npm run clearing -- scenarios|conformance|exposure|loss [--seed <seed>] [--json]
 */
import { whileWorking } from "../../orchestrator/cli/while-working.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import { conformance } from "./conformance.ts";
import { exposure } from "./exposure.ts";
import { loss } from "./loss.ts";
import { format, isReproduced, type Report } from "./report.ts";
import { scenarios } from "./scenarios.ts";

const COMMANDS: Readonly<Record<string, (seed: string) => Report | Promise<Report>>> = { scenarios, conformance, exposure, loss };
const USAGE = "usage: agentcity clearing scenarios|conformance|exposure|loss [--seed <seed>] [--json]";

/** Exit codes: 0 reproduced, 1 not reproduced, 2 usage error. */
async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help") || words.includes("-h")) {
    console.log(USAGE);
    return 0;
  }
  const rest = words.filter((word) => word !== "--json");
  const at = rest.indexOf("--seed");
  const seed = at === -1 ? "7" : rest[at + 1];
  const names = at === -1 ? rest : rest.toSpliced(at, 2);
  const command = COMMANDS[names[0] ?? ""];
  if (command === undefined || names.length !== 1 || seed === undefined) {
    if (words.includes("--json")) console.log(JSON.stringify({ status: "error", error: { code: "Usage", message: USAGE } }));
    console.error(USAGE);
    return 2;
  }
  const report = await whileWorking("events are simulated, up to a minute", () => command(seed));
  if (words.includes("--json"))
    console.log(JSON.stringify({ command: names[0], seed, ...report.data, rows: report.rows, notes: report.notes }));
  else console.log(format(report));
  return isReproduced(report) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
