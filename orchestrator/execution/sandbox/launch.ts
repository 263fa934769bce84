import { type ChildProcess, spawn } from "node:child_process";
import { z } from "zod";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import type { End, News, Order } from "./launcher.ts";

/** The process that runs services cannot be started: the machine's fault, not the service's. */
export class SandboxUnavailable extends AgentCityError {
  constructor(nodePath: string, cause: unknown) {
    super("SandboxUnavailable", "The process of a service cannot be started", {
      details: `${nodePath}: ${messageOf(cause)}`,
      action: "run under Node 24, as `npm run` does",
      cause,
    });
  }
}

/** Events of a process: pieces of output, then once its end, or why it could not start. */
export interface Listener {
  out(bytes: Uint8Array): void;
  err(bytes: Uint8Array): void;
  ended(end: End): void;
  failed(error: SandboxUnavailable): void;
}

/** A process that serves one run. */
export interface Launched {
  /** Writes a line to its stdin. */
  write(line: string): void;
  kill(): void;
}

/** The programs of the processes, as bundled scripts. */
export interface Scripts {
  readonly launcher: string;
  readonly child: string;
  readonly realm: string;
}

/** Provides a process for a run, whose stdin starts with these pieces. */
export type Launch = (memoryMb: number, pieces: readonly Uint8Array[], listener: Listener) => Launched;

const bytes = z.instanceof(Uint8Array);
const newsSchema = z.union([
  z.strictObject({ id: z.number(), out: bytes }),
  z.strictObject({ id: z.number(), err: bytes }),
  z.strictObject({
    id: z.number(),
    end: z.strictObject({ code: z.number().nullable(), signal: z.string().nullable(), tooLarge: z.boolean() }),
  }),
  z.strictObject({ id: z.number(), failed: z.string() }),
]) satisfies z.ZodType<News>;

/** An idle launcher ends after this time, with the processes that it started ahead. */
const IDLE_MS = 5_000;

/**
 * Launches processes through a separate launcher process (`launcher.ts`), which is started on demand and does not keep this process alive.
 */
export function launching(nodePath: string, scripts: Scripts, ahead: number, isFenced: boolean): Launch {
  let launcher: Launcher | undefined;
  let idle: NodeJS.Timeout | undefined;
  const rest = (): void => {
    if (launcher?.isIdle !== true) return;
    idle = setTimeout(() => {
      launcher?.end();
      launcher = undefined;
    }, IDLE_MS).unref();
  };
  return (memoryMb, pieces, listener) => {
    clearTimeout(idle);
    if (launcher?.isGone !== false) launcher = new Launcher({ nodePath, scripts, ahead, isFenced }, rest);
    return launcher.launch(memoryMb, pieces, listener);
  };
}

/** What a launcher runs, and how. */
interface Program {
  readonly nodePath: string;
  readonly scripts: Scripts;
  readonly ahead: number;
  readonly isFenced: boolean;
}

class Launcher {
  readonly #nodePath: string;
  readonly #process: ChildProcess;
  readonly #listeners = new Map<number, Listener>();
  readonly #rest: () => void;
  #launched = 0;
  #gone: SandboxUnavailable | undefined;

  constructor({ nodePath, scripts, ahead, isFenced }: Program, rest: () => void) {
    const { launcher, child, realm } = scripts;
    this.#nodePath = nodePath;
    this.#rest = rest;
    this.#process = spawn(nodePath, ["--no-warnings", "--eval", launcher], {
      env: isFenced ? { PATH: process.env["PATH"] } : {},
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      windowsHide: true,
    });
    this.#process.on("message", (message) => this.#hear(newsSchema.parse(message)));
    this.#process.on("error", (error) => this.#lose(error));
    this.#process.on("exit", (code, signal) => this.#lose(new Error(`it exited with ${signal ?? code}`)));
    this.#process.unref();
    this.#say({ script: child, realm, ahead, isFenced });
  }

  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  launch(memoryMb: number, pieces: readonly Uint8Array[], listener: Listener): Launched {
    const id = this.#launched++;
    this.#listeners.set(id, listener);
    this.#process.channel?.ref();
    this.#say({ id, memoryMb, pieces });
    return {
      write: (text) => this.#say({ id, line: text }),
      kill: () => this.#say({ id, kill: true }),
    };
  }

  end(): void {
    this.#gone ??= new SandboxUnavailable(this.#nodePath, "it was stopped");
    if (this.#process.connected) this.#process.disconnect();
  }

  #say(order: Order): void {
    if (this.#process.connected) this.#process.send(order, (error) => error !== null && this.#lose(error));
  }

  #hear(news: News): void {
    const listener = this.#listeners.get(news.id);
    if (listener === undefined) return;
    if ("out" in news) listener.out(news.out);
    else if ("err" in news) listener.err(news.err);
    else {
      this.#forget(news.id);
      if ("end" in news) listener.ended(news.end);
      else listener.failed(new SandboxUnavailable(this.#nodePath, news.failed));
    }
  }

  #forget(id: number): void {
    this.#listeners.delete(id);
    if (this.isIdle) {
      this.#process.channel?.unref();
      this.#rest();
    }
  }

  #lose(cause: Error): void {
    this.#gone ??= new SandboxUnavailable(this.#nodePath, cause);
    const listeners = [...this.#listeners];
    for (const [id] of listeners) this.#forget(id);
    for (const [, listener] of listeners) listener.failed(this.#gone);
  }
}
