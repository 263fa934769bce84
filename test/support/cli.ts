import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Outcome, outcomeSchema } from "../../orchestrator/protocol/outcome.ts";
import { cache } from "./cache.ts";

export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** What `bin` names: any command, on any Node. It starts in a third of the time that the sources take, being put together beforehand. */
export const PROGRAM = "scripts/agentcity.js";
/** An adjudicator's commands. */
export const OVERRIDE = "scripts/override/main.ts";
/** A command that takes longer hangs. */
const LIMIT_MS = 120_000;

export interface CliOptions {
  /** Where the city lives: AGENTCITY_HOME. */
  readonly home: string;
  /** Default: the project. */
  readonly cwd?: string;
  /** Beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Piped in, then the end; without it the input ends at once. */
  readonly stdin?: string;
  /** `<boundary>[@<occurrence>]`: where the process is killed. */
  readonly stopAt?: string;
  /** A signal sent once stderr says this. */
  readonly interrupt?: { readonly when: RegExp; readonly signal: NodeJS.Signals };
  readonly limitMs?: number;
  /** Another command line than `agentcity`. */
  readonly program?: typeof OVERRIDE | typeof PROGRAM;
}

export interface CliRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The boundary it reported before it was killed. */
  readonly stoppedAt: string | undefined;
}

/** Runs the command line as a user does, in a process of its own. Rejects when it hangs. */
export function runCli(
  args: readonly string[],
  { home, cwd = PROJECT, env = {}, stdin = "", stopAt, interrupt, limitMs = LIMIT_MS, program = PROGRAM }: CliOptions,
): Promise<CliRun> {
  const child = spawn(process.execPath, [join(PROJECT, program), ...args], {
    cwd,
    env: {
      ...process.env,
      ...env,
      AGENTCITY_HOME: home,
      AGENTCITY_CACHE: cache,
      ...(stopAt === undefined ? {} : { AGENTCITY_TEST_STOP_AT: stopAt }),
    },
    stdio: stopAt === undefined ? ["pipe", "pipe", "pipe"] : ["pipe", "pipe", "pipe", "ipc"],
  });
  const output = { stdout: "", stderr: "" };
  let stoppedAt: string | undefined;
  let hung = false;
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      hung = true;
      child.kill("SIGKILL");
    }, limitMs);
    child.stdout?.on("data", (chunk: Buffer) => {
      output.stdout += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      output.stderr += chunk.toString();
      if (interrupt?.when.test(output.stderr)) child.kill(interrupt.signal);
    });
    child.on("message", (message) => {
      stoppedAt = z.strictObject({ boundary: z.string() }).parse(message).boundary;
      child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(limit);
      if (hung) reject(new Error(`agentcity ${args.join(" ")} did not end within ${limitMs} ms:\n${output.stderr}`));
      else resolve({ code, signal, ...output, stoppedAt });
    });
    // A command that refuses before it reads breaks the pipe.
    child.stdin?.on("error", () => {});
    child.stdin?.end(stdin);
  });
}

/** The one document on stdout. */
export function outcomeIn({ stdout, stderr }: CliRun): Outcome {
  if (!stdout.startsWith("{")) throw new Error(`no document on stdout; stderr:\n${stderr}`);
  return outcomeSchema.parse(JSON.parse(stdout));
}

/** What `override --json` prints of an order that was signed, and of one that was carried out. */
export const signedSchema = z.object({ status: z.literal("signed"), file: z.string(), signatures: z.number(), needed: z.number() });
export const executedSchema = z.object({ status: z.literal("executed"), transaction: z.string().nullable() });

/** The refusal on stdout of a command with --json. */
export function refusalIn({ stdout, stderr }: CliRun): { readonly code: string; readonly message: string } {
  if (!stdout.startsWith("{")) throw new Error(`no document on stdout; stderr:\n${stderr}`);
  return z
    .looseObject({ status: z.literal("error"), error: z.looseObject({ code: z.string(), message: z.string() }) })
    .parse(JSON.parse(stdout)).error;
}
