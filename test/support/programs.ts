import { type ChildProcessByStdio, type SpawnOptions, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import type { Readable } from "node:stream";

/** A program in a process of its own, and what it writes. */
export class Program {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly begun = performance.timeOrigin + performance.now();
  stdout = "";
  stderr = "";
  /** Set once it has ended and all that it wrote was read: its exit code, or the signal that ended it. */
  end: number | NodeJS.Signals | undefined;
  /** Resolves when `end` is set. */
  readonly ended: Promise<void>;
  readonly #news = new EventEmitter();

  constructor(child: ChildProcessByStdio<null, Readable, Readable>) {
    this.child = child;
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        this[name] += chunk;
        this.#news.emit("news");
      });
    this.ended = once(child, "close").then(([code, signal]) => {
      this.end = code ?? signal;
      this.#news.emit("news");
    });
  }

  get said(): string {
    return `${this.stdout}\n${this.stderr}`;
  }

  /** What this work comes to. Throws at once if the program fails meanwhile, which would leave the work waiting for it. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const failed = this.ended.then(() =>
      this.end === 0 ? work : Promise.reject(new Error(`the program ended with ${this.end}: ${this.said}`)),
    );
    return Promise.race([work, failed]);
  }

  /** The first match in what it wrote, or its first group if the pattern has one; waits for it. Throws if the program ends before. */
  async heard(pattern: RegExp): Promise<string> {
    for (;;) {
      const [whole, part = whole] = pattern.exec(this.said) ?? [];
      if (part !== undefined) return part;
      if (this.end !== undefined) throw new Error(`the program ended with ${this.end}: ${this.said}`);
      await once(this.#news, "news");
    }
  }
}

/** Of a failed test, programs shown, the last ones, and characters of each. */
const SHOWN = 3;
const SAID = 2_000;

/** Starts programs for a suite, each with Node; those that still run after it are killed. A test that fails shows what they wrote. Call inside `describe`. */
export function programs(): (command: readonly string[], options?: Pick<SpawnOptions, "cwd" | "env">) => Program {
  const started: Program[] = [];
  after(async () => {
    const running = started.filter(({ end }) => end === undefined);
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ ended }) => ended));
  });
  afterEach(function () {
    const { state, err } = this.currentTest ?? {};
    if (state !== "failed" || err === undefined) return;
    for (const { child, end, said } of started.slice(-SHOWN))
      err.message += `\n${child.spawnargs.slice(1, 3).join(" ")} (${end ?? "still running"}) said:\n${said.slice(-SAID)}`;
  });
  return (command, options) => {
    const program = new Program(spawn(process.execPath, command, { ...options, stdio: ["ignore", "pipe", "pipe"] }));
    started.push(program);
    return program;
  };
}
