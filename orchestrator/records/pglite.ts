import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";

declare global {
  // biome-ignore lint/style/noNamespace: Node has it, but its types leave it to the DOM's.
  namespace WebAssembly {
    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

/** What a thread starts with. */
export interface Start {
  /** A folder, or "memory://". */
  readonly where: string;
  /** An archive of a cluster to begin with; else a missing one is created. */
  readonly from?: Uint8Array<ArrayBuffer>;
  /** Whether there is a cluster already, whose tables are then read once before anything else. */
  readonly exists: boolean;
  /** Compiled once per process: each thread would compile it again. */
  readonly module: WebAssembly.Module;
}

export type ToThread = { readonly kind: "request"; readonly bytes: Uint8Array } | { readonly kind: "dump" } | { readonly kind: "close" };
export type FromThread =
  | { readonly kind: "done"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "failed"; readonly name: string; readonly message: string };

/** Postgres in a thread of this process: its work does not hold up the event loop, which conducts missions meanwhile. */
export interface Pglite {
  /** A connection for node-postgres. PGlite has one session: use one at a time. */
  connect(): Duplex;
  /** The cluster's files as one archive. */
  dump(): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

const packageFolder = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
export const PGLITE_MANIFEST = join(packageFolder, "..", "package.json");

/**
 * Frees no WebAssembly code before its module: in Node 24 two threads that do so at once can end the process (nodejs/node#64500). PGlite's is the
 * only large module, and is compiled once.
 */
setFlagsFromString("--no-wasm-code-gc");

let compiled: Promise<WebAssembly.Module> | undefined;
function pgliteModule(): Promise<WebAssembly.Module> {
  compiled ??= readFile(join(packageFolder, "pglite.wasm")).then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

/** Rejects with PGlite's own error for a cluster that it cannot open. */
export async function openPglite(start: Omit<Start, "module">): Promise<Pglite> {
  const thread = new Thread({ ...start, module: await pgliteModule() });
  try {
    await thread.started;
  } catch (error) {
    await thread.stop();
    throw error;
  }
  return {
    connect: () => new Connection(thread),
    dump: () => thread.ask({ kind: "dump" }),
    async close() {
      await thread.ask({ kind: "close" }).finally(() => thread.stop());
    },
  };
}

type Asked = Omit<PromiseWithResolvers<Uint8Array<ArrayBuffer>>, "promise">;

/** An error by its name in the thread: an aborted Postgres is recognised by it (`sql.ts`). */
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** Answers in order. Keeps the process alive while it has something to answer, or a connection is in use. */
class Thread {
  readonly started: Promise<unknown>;
  readonly #worker: Worker;
  readonly #asked: Asked[] = [];
  #holds = 0;
  #over: Error | undefined;

  constructor(start: Start) {
    this.#worker = new Worker(new URL("./pglite-thread.ts", import.meta.url), { workerData: start, execArgv: [] });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(named("ExitStatus", "Postgres has ended")));
    this.started = this.#expect();
  }

  ask(message: ToThread): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    this.#worker.postMessage(message);
    return this.#expect();
  }

  hold(): void {
    this.#holds += 1;
    this.#worker.ref();
  }

  letGo(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#worker.unref();
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #expect(): Promise<Uint8Array<ArrayBuffer>> {
    this.hold();
    return new Promise((resolve, reject) => this.#asked.push({ resolve, reject }));
  }

  #receive(message: FromThread): void {
    const asked = this.#asked.shift();
    this.letGo();
    if (message.kind === "done") asked?.resolve(message.bytes);
    else asked?.reject(named(message.name, message.message));
  }

  #end(error: Error): void {
    this.#over ??= error;
    for (const { reject } of this.#asked.splice(0)) reject(this.#over);
  }
}

/** Query: ends what an earlier connection began, and forgets the statements that it prepared. */
const RESET = message("Q", "ROLLBACK; DEALLOCATE ALL\0");
/** AuthenticationOk and ReadyForQuery: what node-postgres waits for after its greeting. */
const WELCOME = Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I")]);
/** Messages after which Postgres answers: Sync, Query, Flush. */
const ENDS = new Set([..."SQH"].map((letter) => letter.charCodeAt(0)));

/** A message of the protocol: a letter, the length of what follows it in four bytes, and its content. */
function message(letter: string, content: string): Buffer {
  const bytes = Buffer.from(`${letter}\0\0\0\0${content}`, "latin1");
  bytes.writeUInt32BE(4 + content.length, 1);
  return bytes;
}

/** The letter of the last message. */
function lastOf(bytes: Buffer): number {
  let last = 0;
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) last = at;
  return bytes[last] ?? 0;
}

/** What node-postgres takes for a socket. Sends a query's messages at once: entering Postgres costs more than a small query. */
class Connection extends Duplex {
  readonly #thread: Thread;
  #greeted = false;
  #holds = false;
  #waiting: Buffer[] = [];

  constructor(thread: Thread) {
    super();
    this.#thread = thread;
    this.ref();
  }

  connect(): void {
    queueMicrotask(() => this.emit("connect"));
  }

  setNoDelay(): void {}

  /** The pool calls these as it lends the connection out and takes it back. */
  ref(): void {
    if (!this.#holds) this.#thread.hold();
    this.#holds = true;
  }

  unref(): void {
    if (this.#holds) this.#thread.letGo();
    this.#holds = false;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#take(bytes).then(() => done(), done);
  }

  async #take(bytes: Buffer): Promise<void> {
    if (!this.#greeted) {
      this.#greeted = true;
      await this.#thread.ask({ kind: "request", bytes: RESET });
      this.push(WELCOME);
      return;
    }
    this.#waiting.push(bytes);
    if (!ENDS.has(lastOf(bytes))) return;
    // Outside of Node's pool of small buffers, which would be sent whole.
    const whole = new Uint8Array(Buffer.concat(this.#waiting));
    this.#waiting = [];
    const answer = await this.#thread.ask({ kind: "request", bytes: whole });
    if (answer.length > 0) this.push(answer);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.unref();
    done(error);
  }
}
