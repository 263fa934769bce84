/** Runs `agentcity <command>`: the city's own commands, and the programs that study or judge a city. */
import { devnets } from "../orchestrator/city/city.ts";
import { messageOf } from "../orchestrator/primitives/errors.ts";
import { compileProduction, provideContracts } from "./dev/compile.ts";

/** Loaded from the sources: studies are rare, and need no place in the program. */
const fromSources = (path: string) => () => import(new URL(path, import.meta.url).href);

/** Programs with a command line of their own, by the command that runs them. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  override: () => import("./override/main.ts"),
  console: fromSources("./console/main.ts"),
  clearing: fromSources("./clearing/main.ts"),
  agreement: fromSources("./agreement/main.ts"),
  watchdog: fromSources("./watchdog/main.ts"),
  deterrence: fromSources("./deterrence/main.ts"),
  economy: () => import("./economy/main.ts"),
  calibrate: fromSources("./calibrate/main.ts"),
  modelcheck: fromSources("../test/modelcheck/run.ts"),
  bench: fromSources("./bench/main.ts"),
};
const NEED_CONTRACTS = ["start", "mission", "session", "audit", "agreement", "economy"];
/** On a devnet they need only the contracts; a public network gets the production profile's code. */
const FOUND_AND_VERIFY = ["genesis", "verify"];

const [command = "", ...rest] = process.argv.slice(2);
/** `--network <devnet>`, in either way of writing it. */
function namesDevnet(): boolean {
  return devnets.some(
    (name) => rest.includes(`--network=${name}`) || rest.some((word, at) => word === name && rest[at - 1] === "--network"),
  );
}

/** Provides the contracts that a command needs; prints a failure as the program prints its own. */
async function provide(): Promise<void> {
  try {
    if (NEED_CONTRACTS.includes(command) || (FOUND_AND_VERIFY.includes(command) && namesDevnet())) provideContracts();
    else if (FOUND_AND_VERIFY.includes(command)) await compileProduction();
  } catch (error) {
    const message = messageOf(error);
    if (rest.includes("--json")) process.stdout.write(`${JSON.stringify({ status: "error", error: { code: "NotCompiled", message } })}\n`);
    process.stderr.write(`NotCompiled: ${message}\n`);
    process.exit(1);
  }
}

const asksOnly = rest.some((word) => word === "--help" || word === "-h");
if (!asksOnly) await provide();
const program = Object.hasOwn(PROGRAMS, command) ? PROGRAMS[command] : undefined;
if (program !== undefined) process.argv.splice(2, 1);
await (program ?? (() => import("../orchestrator/cli/main.ts")))();
