import { z } from "zod";
import { messageOf } from "../../primitives/errors.ts";
import { assertJson, type JsonValue } from "../../primitives/json.ts";
import type { Job } from "./child.ts";
import type { Launch } from "./launch.ts";
import type { End } from "./launcher.ts";
import type { SandboxLimits } from "./limits.ts";
import type { RunRecorder } from "./recorder.ts";
import type { FailureKind } from "./result.ts";
import { explainCrash } from "./unavailable.ts";

/** A tool that a service may call by name. Rejections reach the service as an error's message. */
export type Tool = (args: JsonValue) => Promise<JsonValue>;

export interface ProcessRun {
  readonly launch: Launch;
  /** The service's script. */
  readonly code: Uint8Array;
  /** Canonical JSON. */
  readonly input: Uint8Array;
  readonly limits: SandboxLimits;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly recorder: RunRecorder;
}

export type ProcessEnd =
  | { readonly status: "ok"; readonly output: JsonValue }
  | { readonly status: "failed"; readonly kind: FailureKind; readonly details: string };

/** Messages of a child; anything else is garbage. */
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

/** Allowance for requests and framing in addition to the output itself, bytes. */
const TALK_BYTES = 1_048_576;
const UTF_8 = new TextEncoder();
const STDERR_BYTES = 8_192;
/** Time limit for evaluating a bundle, before its function is called, milliseconds. */
const LOAD_MS = 5_000;
/** Extra time of the child's own clock over the parent's, in case the parent is gone. */
const LAST_RESORT_MS = 1_000;

/** Launches a process, communicates with it until there is an outcome, kills it and waits for its end: it never outlives the call. */
export function runInProcess(run: ProcessRun): Promise<ProcessEnd> {
  const { limits, recorder } = run;
  const job: Job = {
    code: run.code.length,
    input: run.input.length,
    maxTools: limits.tools,
    maxMessages: limits.messages,
    maxOutput: limits.outputBytes,
    loadMs: Math.min(LOAD_MS, limits.wallClockMs),
    lastResortMs: limits.wallClockMs + LAST_RESORT_MS,
  };

  return new Promise((resolve, reject) => {
    let end: ProcessEnd | undefined;
    let stderr = "";
    const finish = (result: ProcessEnd): void => {
      end ??= result;
      child.kill();
    };
    const fail = (kind: FailureKind, details: string): void => finish({ status: "failed", kind, details });

    // Not `Promise.withResolvers`, since agents may run on Node 20.
    let expire = () => {};
    const expired = new Promise<void>((resolve) => {
      expire = resolve;
    });
    const clock = setTimeout(() => {
      fail("timeout", `no outcome within ${limits.wallClockMs} ms`);
      expire();
    }, limits.wallClockMs);
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
          else child.write(JSON.stringify({ id: line.id, ...(await callTool(run.tools, line.name, line.args, recorder)) }));
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
    const child = run.launch(limits.memoryMb, [UTF_8.encode(`${JSON.stringify(job)}\n`), run.code, run.input], {
      out: talk.push,
      err: (bytes) => {
        if (stderr.length < STDERR_BYTES) stderr += new TextDecoder().decode(bytes);
      },
      failed: (error) => {
        clearTimeout(clock);
        reject(error);
      },
      ended: async (how) => {
        if (how.tooLarge) fail("memory", tooMuchMemory(limits));
        if (end === undefined) await Promise.race([talk.idle(), expired]);
        clearTimeout(clock);
        resolve(end ?? diedOf(stderr, how, limits));
      },
    });
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

/** An end without an outcome. V8 aborts when the heap is full and reports it on stderr. */
function diedOf(stderr: string, { code, signal }: End, limits: SandboxLimits): ProcessEnd {
  if (/heap out of memory|Allocation failed|invalid array length/i.test(stderr)) {
    return { status: "failed", kind: "memory", details: tooMuchMemory(limits) };
  }
  const said = stderr.split("\n").find((line) => /\S/.test(line)) ?? "";
  return {
    status: "failed",
    kind: "crash",
    details: `the process exited with ${signal ?? code}${said === "" ? "" : `: ${said.slice(0, 300)}`}`,
  };
}

function tooMuchMemory({ memoryMb }: SandboxLimits): string {
  return `more than ${memoryMb} MiB of memory`;
}

/** Splits a stream into lines and handles them sequentially. */
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
