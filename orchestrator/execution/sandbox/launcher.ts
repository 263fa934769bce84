/**
 * The process that starts the processes of services. Forking the city's own process would block it for fifty milliseconds, since half a
 * gigabyte is copied; forking this small one is cheap. Some are started ahead. Each serves one run and ends with it.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "node:path";
import { fenced } from "./fence.ts";
import { nodeFlags, RUNTIME_MIB } from "./limits.ts";

/** To this process: first what to start, then runs. */
export type Order =
  | { readonly script: string; readonly realm: string; readonly ahead: number; readonly isFenced: boolean }
  | { readonly id: number; readonly memoryMb: number; readonly pieces: readonly Uint8Array[] }
  | { readonly id: number; readonly line: string }
  | { readonly id: number; readonly kill: true };

/** From this process. `end` and `failed` are the last messages about a run. */
export type News =
  | { readonly id: number; readonly out: Uint8Array }
  | { readonly id: number; readonly err: Uint8Array }
  | { readonly id: number; readonly end: End }
  | { readonly id: number; readonly failed: string };

export interface End {
  readonly code: number | null;
  readonly signal: string | null;
  /** It exceeded its memory limit and was killed. */
  readonly tooLarge: boolean;
}

/** A process, from its start to the end of its run. */
interface Started {
  readonly memoryMb: number;
  readonly child: ChildProcessWithoutNullStreams;
  error?: Error;
}

const MEMORY_CHECK_MS = 50;

let program = { script: "", realm: "", ahead: 0, isFenced: false };
const ahead: Started[] = [];
const running = new Map<number, Started>();

function say(news: News, then = () => {}): void {
  if (process.connected) process.send?.(news, undefined, undefined, then);
}

function start(memoryMb: number): Started {
  const flags = [...nodeFlags(memoryMb), "--eval", program.script];
  const [command, args] = program.isFenced ? fenced(process.execPath, flags) : [process.execPath, flags];
  const child = spawn(command, [...args], {
    cwd: parse(process.execPath).root,
    // Inside the sandbox it has no environment at all; PATH is needed to find bubblewrap.
    env: program.isFenced ? { PATH: process.env["PATH"] } : {},
    stdio: "pipe",
    windowsHide: true,
  });
  const started: Started = { memoryMb, child };
  child.stdin.on("error", () => {});
  child.on("error", (error) => {
    started.error = error;
  });
  child.stdin.write(`${JSON.stringify(program.realm)}\n`);
  return started;
}

/** A waiting process with this much memory that is still alive. */
function take(memoryMb: number): Started {
  for (let waiting = ahead.shift(); waiting !== undefined; waiting = ahead.shift()) {
    if (waiting.memoryMb === memoryMb && waiting.error === undefined && isAlive(waiting)) return waiting;
    waiting.child.kill("SIGKILL");
  }
  return start(memoryMb);
}

function isAlive({ child }: Started): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function run(id: number, memoryMb: number, pieces: readonly Uint8Array[]): void {
  const started = take(memoryMb);
  const { child } = started;
  let tooLarge = false;
  const memory = setInterval(() => {
    if (residentMib(child) <= memoryMb + RUNTIME_MIB) return;
    tooLarge = true;
    child.kill("SIGKILL");
  }, MEMORY_CHECK_MS);
  // Output that the city has not taken yet is not read, so that a flood does not accumulate here.
  child.stdout.on("data", (out: Uint8Array) => {
    child.stdout.pause();
    say({ id, out }, () => child.stdout.resume());
  });
  child.stderr.on("data", (err: Uint8Array) => {
    child.stderr.pause();
    say({ id, err }, () => child.stderr.resume());
  });
  const over = (news: News): void => {
    clearInterval(memory);
    if (running.delete(id)) say(news);
  };
  running.set(id, started);
  child.on("error", ({ message }) => child.pid === undefined && over({ id, failed: message }));
  if (started.error !== undefined) over({ id, failed: started.error.message });
  child.on("close", (code, signal) => over({ id, end: { code, signal, tooLarge } }));
  for (const piece of pieces) child.stdin.write(piece);
  while (ahead.length < program.ahead) ahead.push(start(memoryMb));
}

/** Resident memory of a process in MiB (Linux), else 0: buffers are outside V8's heap limit. */
function residentMib({ pid }: ChildProcessWithoutNullStreams): number {
  return process.platform !== "linux" || pid === undefined ? 0 : residentOf(pid);
}

/** Memory of a process and its children: inside the sandbox it is not the spawned process itself. */
function residentOf(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    const below = children === "" ? 0 : children.split(" ").reduce((sum, child) => sum + residentOf(Number(child)), 0);
    return (pages * 4_096) / 1_048_576 + below;
  } catch {
    return 0;
  }
}

process.on("message", (order: Order) => {
  if ("script" in order) program = order;
  else if ("memoryMb" in order) run(order.id, order.memoryMb, order.pieces);
  else if ("line" in order) running.get(order.id)?.child.stdin.write(`${order.line}\n`);
  else running.get(order.id)?.child.kill("SIGKILL");
});
// The city is gone, or needs nothing for now.
process.on("disconnect", () => {
  for (const { child } of [...ahead, ...running.values()]) child.kill("SIGKILL");
  process.exit(0);
});
// A terminal's Ctrl-C reaches the whole group: the city decides what to do.
process.on("SIGINT", () => {});
