/**
 * The process of one service run. Passed to `node --permission --eval`; reads the realm's script, one job and the answers to tool calls
 * from stdin, writes requests and one outcome to stdout, one JSON text per line. It evaluates the service in a separate realm, and may have
 * been started ahead of the job.
 */
import { readSync, writeSync } from "node:fs";
import { constants, createContext, Script } from "node:vm";
import type { Realm } from "./realm.ts";

/** The second line of stdin; the first is the script that defines `service.openRealm`. The service's script and its input follow. */
export interface Job {
  /** Length, UTF-8 bytes. */
  readonly code: number;
  readonly input: number;
  readonly maxTools: number;
  readonly maxMessages: number;
  readonly maxOutput: number;
  /** Time limit for loading the bundle, milliseconds. */
  readonly loadMs: number;
  /** Time after which the realm's jobs end even if the parent is gone, milliseconds. */
  readonly lastResortMs: number;
}

interface Reply {
  readonly id: number;
  readonly value?: string;
  readonly problem?: string;
}

const { exit } = process;
const encoder = new TextEncoder();
const { nextLine, nextText } = reader();

const context = createContext(constants.DONT_CONTEXTIFY, {
  codeGeneration: { strings: false, wasm: false },
  microtaskMode: "afterEvaluate",
});
const own = (script: Script): unknown => script.runInContext(context);

own(new Script(JSON.parse(nextLine()), { filename: "realm" }));
const realm = own(new Script("{const opened=service.openRealm();service=undefined;opened}")) as Realm;
leaveNothingBehind();

const job: Job = JSON.parse(nextLine());
const code = nextText(job.code);
const input = nextText(job.input);
const evaluate = (script: Script, timeout = job.lastResortMs): unknown => script.runInContext(context, { timeout });
try {
  evaluate(new Script(code, { filename: "service" }), job.loadMs);
} catch (error) {
  const message = isTimeout(error)
    ? `the file itself does not end within ${job.loadMs} ms: is there a loop outside its functions?`
    : describe(error);
  finish(JSON.stringify({ t: "failed", kind: isTimeout(error) ? "timeout" : "crash", message }));
}
realm.begin(input, job.maxTools, job.maxMessages, job.maxOutput);
serve();

/** Runs the realm until it waits for a tool, and answers, until there is an outcome. */
function serve(): void {
  const turn = new Script("0");
  for (let open = 0; ; open -= 1) {
    try {
      evaluate(turn);
    } catch (error) {
      finish(JSON.stringify({ t: "failed", kind: isTimeout(error) ? "timeout" : "crash", message: describe(error) }));
    }
    for (let request = realm.take(); request !== undefined; request = realm.take()) {
      if (request.startsWith('{"t":"tool"')) open += 1;
      writeLine(request);
    }
    const outcome = realm.outcome();
    if (outcome !== undefined) finish(outcome);
    if (open === 0) finish(JSON.stringify({ t: "failed", kind: "empty", message: "the service's promise can never settle" }));
    const reply: Reply = JSON.parse(nextLine());
    realm.settle(reply.id, reply.value, reply.problem ?? "");
  }
}

/** Removes everything from this process's global object that a bare realm lacks, so that nothing leads to Node. */
function leaveNothingBehind(): void {
  const names = own(new Script("Object.getOwnPropertyNames(globalThis).join()"));
  const bare = new Set(String(names).split(","));
  for (const key of Reflect.ownKeys(globalThis)) {
    if (typeof key !== "string" || !bare.has(key)) Reflect.deleteProperty(globalThis, key);
  }
}

function finish(line: string): never {
  writeLine(line);
  return exit(0);
}

function writeLine(line: string): void {
  const bytes = encoder.encode(`${line}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
}

/** The error belongs to the interrupted realm, so `instanceof Error` fails. */
function isTimeout(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function describe(error: unknown): string {
  try {
    return String(error).slice(0, 500);
  } catch {
    return "threw something that cannot be described";
  }
}

/** Reads stdin synchronously; its end means that the parent is gone. */
function reader(): { readonly nextLine: () => string; readonly nextText: (length: number) => string } {
  const LINE_END = 10;
  let rest = new Uint8Array();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const more = (into: Uint8Array): number => {
    const read = readSync(0, into);
    if (read === 0) exit(1);
    return read;
  };
  return {
    nextLine: () => {
      const parts: Uint8Array[] = [];
      for (let end = rest.indexOf(LINE_END); end < 0; end = rest.indexOf(LINE_END)) {
        parts.push(rest);
        const chunk = new Uint8Array(65_536);
        rest = chunk.subarray(0, more(chunk));
      }
      const end = rest.indexOf(LINE_END);
      const line = joined([...parts, rest.subarray(0, end)]);
      rest = rest.subarray(end + 1);
      return decoder.decode(line);
    },
    nextText: (length) => {
      const bytes = new Uint8Array(length);
      const known = rest.subarray(0, length);
      bytes.set(known);
      rest = rest.subarray(known.length);
      for (let filled = known.length; filled < length; ) filled += more(bytes.subarray(filled));
      return decoder.decode(bytes);
    },
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
