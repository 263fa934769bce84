import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { assertJson, type JsonValue } from "../../primitives/json.ts";
import type { Job } from "./child.ts";
import { nodeFlags, RUNTIME_MIB, type SandboxLimits } from "./limits.ts";
import type { RunRecorder } from "./recorder.ts";
import type { FailureKind } from "./result.ts";
import { explainCrash } from "./unavailable.ts";

/** Something a service may call by name. What it rejects with, the service sees as an error's message. */
export type Tool = (args: JsonValue) => Promise<JsonValue>;

/** The process that would run services cannot be started: the machine's fault, not the service's. */
export class SandboxUnavailable extends AgentCityError {
  constructor(nodePath: string, cause: unknown) {
    super("SandboxUnavailable", "The process of a service cannot be started", {
      details: `${nodePath}: ${messageOf(cause)}`,
      action: "run under Node 24, as `npm run` does",
      cause,
    });
  }
}

export interface ProcessRun {
  readonly nodePath: string;
  readonly directory: string;
  /** The child's program. */
  readonly script: string;
  readonly realm: string;
  readonly bundlePath: string;
  readonly input: string;
  readonly limits: SandboxLimits;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly recorder: RunRecorder;
}

export type ProcessEnd =
  | { readonly status: "ok"; readonly output: JsonValue }
  | { readonly status: "failed"; readonly kind: FailureKind; readonly details: string };

/** What a child may say; anything else is garbage. */
const Line = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("tool"), id: z.int().positive(), name: z.string(), args: z.json() }),
  z.strictObject({ t: z.literal("message"), text: z.string() }),
  z.strictObject({ t: z.literal("done"), output: z.unknown() }),
  z.strictObject({
    t: z.literal("failed"),
    kind: z.enum(["timeout", "crash", "garbage", "empty", "too-large", "tools", "messages"]),
    message: z.string(),
  }),
]);
type Line = z.infer<typeof Line>;

/** Requests and framing beside the output itself, bytes. */
const TALK_BYTES = 1_048_576;
const STDERR_BYTES = 8_192;
/** Milliseconds in which a bundle must have run to its end once, before its function is called. */
const LOAD_MS = 5_000;
/** How much longer the child's own clock runs than the parent's, for the case that the parent is gone. */
const LAST_RESORT_MS = 1_000;
const MEMORY_CHECK_MS = 50;

/** Starts the process, talks with it until there is an outcome, kills it and waits for its end: it never outlives the call. */
export function runInProcess(run: ProcessRun): Promise<ProcessEnd> {
  const { limits, recorder } = run;
  const child = spawn(run.nodePath, [...nodeFlags(run.bundlePath, limits.memoryMb), "--eval", run.script], {
    cwd: run.directory,
    env: {},
    stdio: "pipe",
    windowsHide: true,
  });

  return new Promise((resolve, reject) => {
    let end: ProcessEnd | undefined;
    let stderr = "";
    const finish = (result: ProcessEnd): void => {
      end ??= result;
      child.kill("SIGKILL");
    };
    const fail = (kind: FailureKind, details: string): void => finish({ status: "failed", kind, details });

    const expired = Promise.withResolvers<void>();
    const clock = setTimeout(() => {
      fail("timeout", `no outcome within ${limits.wallClockMs} ms`);
      expired.resolve();
    }, limits.wallClockMs);
    const memory = setInterval(() => {
      const mib = residentMib(child);
      if (mib > limits.memoryMb + RUNTIME_MIB) fail("memory", `more than ${limits.memoryMb} MiB of memory`);
    }, MEMORY_CHECK_MS);

    const answer = async (line: Line): Promise<void> => {
      if (end !== undefined) return;
      switch (line.t) {
        case "done":
          assertJson(line.output);
          finish({ status: "ok", output: line.output });
          return;
        case "failed":
          fail(line.kind, line.kind === "crash" ? explainCrash(line.message) : line.message);
          return;
        case "message":
          if (recorder.message(line.text) > limits.messages) fail("messages", `more than ${limits.messages} messages`);
          return;
        case "tool":
          if (recorder.tool(line.name, line.args) > limits.tools) fail("tools", `more than ${limits.tools} tool calls`);
          else child.stdin.write(`${JSON.stringify({ id: line.id, ...(await callTool(run.tools, line.name, line.args, recorder)) })}\n`);
      }
    };

    const talk = lineQueue(
      limits.outputBytes + TALK_BYTES,
      () => fail("too-large", `more than ${limits.outputBytes} bytes`),
      async (text) => {
        try {
          await answer(Line.parse(JSON.parse(text)));
        } catch (error) {
          fail("garbage", messageOf(error));
        }
      },
    );
    child.stdout.on("data", talk.push);
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < STDERR_BYTES) stderr += chunk.toString("utf8");
    });
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => {
      clearTimeout(clock);
      clearInterval(memory);
      if (child.pid === undefined) reject(new SandboxUnavailable(run.nodePath, error));
    });
    child.on("close", async (code, signal) => {
      clearInterval(memory);
      if (end === undefined) await Promise.race([talk.idle(), expired.promise]);
      clearTimeout(clock);
      resolve(end ?? diedOf(stderr, code, signal, limits));
    });

    const job: Job = {
      bundle: run.bundlePath,
      realm: run.realm,
      input: run.input,
      maxTools: limits.tools,
      maxMessages: limits.messages,
      maxOutput: limits.outputBytes,
      loadMs: Math.min(LOAD_MS, limits.wallClockMs),
      lastResortMs: limits.wallClockMs + LAST_RESORT_MS,
    };
    child.stdin.write(`${JSON.stringify(job)}\n`);
  });
}

async function callTool(
  tools: Readonly<Record<string, Tool>>,
  name: string,
  args: JsonValue,
  recorder: RunRecorder,
): Promise<{ value: string } | { problem: string }> {
  try {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (tool === undefined) throw new Error(`there is no tool ${JSON.stringify(name)}`);
    const value = await tool(args);
    recorder.toolResult({ value });
    return { value: JSON.stringify(value) };
  } catch (error) {
    const problem = messageOf(error).toWellFormed();
    recorder.toolResult({ problem });
    return { problem };
  }
}

/** An end without an outcome. V8 aborts when the heap is full and says so on stderr. */
function diedOf(stderr: string, code: number | null, signal: NodeJS.Signals | null, limits: SandboxLimits): ProcessEnd {
  if (/heap out of memory|Allocation failed|invalid array length/i.test(stderr)) {
    return { status: "failed", kind: "memory", details: `more than ${limits.memoryMb} MiB of memory` };
  }
  const said = stderr.split("\n").find((line) => /\S/.test(line)) ?? "";
  return {
    status: "failed",
    kind: "crash",
    details: `the process ended with ${signal ?? code}${said === "" ? "" : `: ${said.slice(0, 300)}`}`,
  };
}

/** Cuts a stream into lines and handles them one after the other, however long one takes. */
function lineQueue(maxBytes: number, tooMuch: () => void, handle: (line: string) => Promise<void>) {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let bytes = 0;
  let work = Promise.resolve();
  return {
    push: (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        tooMuch();
        return;
      }
      const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
      parts.push(first);
      for (const next of rest) {
        const line = parts.join("");
        parts = [next];
        work = work.then(() => handle(line));
      }
    },
    idle: (): Promise<void> => work,
  };
}

/** Resident memory of a process in MiB where the system tells (Linux), else 0: buffers lie outside V8's heap limit. */
function residentMib(child: ChildProcessWithoutNullStreams): number {
  if (process.platform !== "linux" || child.pid === undefined) return 0;
  try {
    const pages = Number(readFileSync(`/proc/${child.pid}/statm`, "latin1").split(" ")[1]);
    return (pages * 4_096) / 1_048_576;
  } catch {
    return 0;
  }
}
