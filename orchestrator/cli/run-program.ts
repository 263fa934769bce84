import { type Command, CommanderError } from "commander";
import { AgentCityError, messageOf } from "../primitives/errors.ts";

/** Exit code of a command that was used wrongly. */
const USAGE = 2;

/** Runs the command that was typed; exit codes: 0 done, 2 used wrongly, `failed` for everything else. */
export async function runProgram(program: Command, failed: number): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : USAGE;
    } else {
      process.exitCode = failed;
      report(error);
    }
  }
}

/** What happened, the facts, what to do; one JSON document with `--json`. A defect of ours keeps its stack. */
function report(error: unknown): void {
  if (process.argv.includes("--json")) {
    const plain = error instanceof AgentCityError ? error.toPlain() : { code: "InternalError", message: messageOf(error) };
    process.stdout.write(`${JSON.stringify({ status: "error", error: plain })}\n`);
  }
  const text =
    error instanceof AgentCityError
      ? `${error.code}: ${error.message}`
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
}
