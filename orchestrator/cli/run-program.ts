import { type Command, CommanderError } from "commander";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import { stopWhenAsked } from "./interruption.ts";
import { asTyped } from "./shell.ts";

/** The operating system refused an operation: full disk, missing permission. */
export class SystemRefused extends AgentCityError {
  constructor(error: Error, code: string) {
    super("SystemRefused", error.message, { action: ACTIONS[code] ?? "check that path, then run the command again", cause: error });
  }
}

const MAY_WRITE = "set AGENTCITY_HOME (and AGENTCITY_CACHE) to a folder that you may write to, or correct the permissions of this one";
const ACTIONS: Readonly<Record<string, string>> = {
  ENOSPC: "make room on the disk, then run the command again to continue",
  EDQUOT: "make room within your quota, then run the command again to continue",
  EACCES: MAY_WRITE,
  EPERM: MAY_WRITE,
  EROFS: MAY_WRITE,
};

/** Runs the typed command and exits with a code of `EXIT`; with `--json` stdout gets exactly one document in every case. */
export async function runProgram(program: Command): Promise<void> {
  const json = process.argv.includes("--json");
  stopWhenAsked(json);
  process.on("uncaughtException", (error) => {
    report(error, json);
    process.exit(EXIT.FAILED);
  });
  // The reader has seen enough, as with `| head`.
  process.stdout.on("error", () => process.exit());
  const said: string[] = [];
  for (const command of [program, ...program.commands])
    command
      .addHelpText(
        "after",
        `\nExit codes:\n${EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n")}`,
      )
      .configureOutput(json ? { writeOut: (text) => said.push(text) } : {});
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      process.exitCode = EXIT.FAILED;
      report(error, json);
    } else if (error.exitCode === 0) {
      if (json) printDocument({ status: "done", text: said.join("") });
    } else {
      process.exitCode = EXIT.USAGE;
      if (json)
        printDocument({
          status: "error",
          error: { code: "Usage", message: error.message, action: "add --help for its arguments and options" },
        });
    }
  }
}

/** Prints what happened, the facts, and what to do; one JSON document with `--json`. Only internal errors show a stack. */
function report(thrown: unknown, json: boolean): void {
  const error = named(thrown);
  if (json) {
    const plain = error instanceof AgentCityError ? error.toPlain() : { code: "InternalError", message: messageOf(error) };
    printDocument({
      status: "error",
      error: "action" in plain && plain.action !== undefined ? { ...plain, action: asTyped(plain.action) } : plain,
    });
  }
  const text =
    error instanceof AgentCityError
      ? `${error.code}: ${error.message}`
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${asTyped(text)}\n`);
}

function named(error: unknown): unknown {
  const isSystem = error instanceof Error && !(error instanceof AgentCityError) && "syscall" in error && "code" in error;
  return isSystem && typeof error.code === "string" ? new SystemRefused(error, error.code) : error;
}

function printDocument(document: object): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}
