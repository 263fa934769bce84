import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { messageOf } from "../../orchestrator/primitives/errors.ts";

/**
 * Reads a script's flags. `--help` prints the usage and ends the process with 0; what the script does not take ends it with 2, as the
 * program's own commands do, and with `--json` as one document.
 */
export function flags<Options extends ParseArgsOptionsConfig>(usage: string, options: Options) {
  if (process.argv.includes("--help") || process.argv.includes("-h")) {
    process.stdout.write(`usage: ${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs<{ options: Options }>({ options }).values;
  } catch (error) {
    return refuseFlags(usage, messageOf(error));
  }
}

/** Ends the process: a flag has a value that it cannot have. */
export function refuseFlags(usage: string, message: string): never {
  if (process.argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ status: "error", error: { code: "Usage", message, action: usage } })}\n`);
  process.stderr.write(`error: ${message}\nusage: ${usage}\n`);
  process.exit(2);
}
