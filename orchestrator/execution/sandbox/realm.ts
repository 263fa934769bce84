/**
 * Runs together with a service inside its realm, a bare ECMAScript global without Node. It removes everything non-deterministic and
 * communicates in texts only, so that no host object reaches the service. It is no security boundary: a service that manipulates it
 * deceives only itself, since the parent process counts and checks all output.
 */

/** The host's interface to the realm. Every argument and result is a primitive. */
export interface Realm {
  /** Schedules the service's call, which happens when the host runs the realm's jobs. */
  begin(inputJson: string, maxTools: number, maxMessages: number, maxOutput: number): void;
  /** Schedules the settlement of a tool call. */
  settle(id: number, valueJson: string | undefined, problem: string): void;
  /** The next request as a line of JSON, or undefined. */
  take(): string | undefined;
  /** The outcome as a line of JSON once there is one. */
  outcome(): string | undefined;
}

/** Defined by a bundle's script. */
declare const service: { readonly default?: unknown; readonly about?: unknown } | undefined;

interface Deferred {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Globals that vary between runs, machines or garbage collections, or that reach beyond the realm. */
const TAKEN_AWAY = [
  "Date",
  "Temporal",
  "Intl",
  "WeakRef",
  "FinalizationRegistry",
  "SharedArrayBuffer",
  "Atomics",
  "WebAssembly",
  "ShadowRealm",
  "console",
];

/** Why an outcome is not `ok`; names as in `RunFailure`. */
class Unfit extends Error {
  readonly kind: string;
  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Makes the realm deterministic and returns the host's interface. */
export function openRealm(): Realm {
  for (const name of TAKEN_AWAY) Reflect.deleteProperty(globalThis, name);
  Reflect.deleteProperty(Math, "random");
  for (const prototype of [
    String.prototype,
    Number.prototype,
    BigInt.prototype,
    Array.prototype,
    Object.getPrototypeOf(Uint8Array.prototype),
  ]) {
    for (const key of Reflect.ownKeys(prototype)) {
      if (typeof key === "string" && key.includes("ocale")) Reflect.deleteProperty(prototype, key);
    }
  }

  const requests: string[] = [];
  const waiting = new Map<number, Deferred>();
  let outcome: string | undefined;

  const end = (kind: string, message: string): void => {
    outcome ??= JSON.stringify({ t: "failed", kind, message: message.slice(0, 500) });
  };

  function contextOf(maxTools: number, maxMessages: number) {
    let tools = 0;
    let messages = 0;
    return Object.freeze({
      tool: (name: unknown, args: unknown): Promise<unknown> => {
        tools += 1;
        if (tools > maxTools) {
          end("tools", `more than ${maxTools} tool calls`);
          throw new Unfit("tools", `more than ${maxTools} tool calls`);
        }
        const id = tools;
        requests.push(JSON.stringify({ t: "tool", id, name: String(name), args: JSON.parse(strictJson(args)) }));
        return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      },
      message: (text: unknown): void => {
        messages += 1;
        if (messages > maxMessages) {
          end("messages", `more than ${maxMessages} messages`);
          throw new Unfit("messages", `more than ${maxMessages} messages`);
        }
        requests.push(JSON.stringify({ t: "message", text: String(text) }));
      },
    });
  }

  return {
    begin(inputJson, maxTools, maxMessages, maxOutput) {
      const answer = Promise.resolve().then((): unknown => {
        const run = service?.default;
        if (typeof run !== "function") throw new Unfit("crash", "the bundle exports no default function");
        return run(JSON.parse(inputJson), contextOf(maxTools, maxMessages));
      });
      const done = answer.then((value) => {
        if (value === undefined || value === null) throw new Unfit("empty", "the service returned nothing");
        const output = strictJson(value);
        if (output.length > maxOutput) throw new Unfit("too-large", `the output has ${output.length} characters; at most ${maxOutput}`);
        outcome ??= `{"t":"done","output":${output}}`;
      });
      done.catch((error: unknown) => end(error instanceof Unfit ? error.kind : "crash", describe(error)));
    },
    settle(id, valueJson, problem) {
      const deferred = waiting.get(id);
      waiting.delete(id);
      if (valueJson === undefined) deferred?.reject(new Error(problem));
      else deferred?.resolve(JSON.parse(valueJson));
    },
    take: () => requests.shift(),
    outcome: () => outcome,
  };
}

/** Serialises plain data; refuses what JSON.stringify would drop or convert. */
function strictJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuse);
  } catch (error) {
    throw error instanceof Unfit ? error : new Unfit("garbage", describe(error));
  }
  if (text === undefined) throw new Unfit("garbage", "the value is not data");
  return text;
}

function refuse(this: unknown, key: string, value: unknown): unknown {
  const where = key === "" ? "the value" : `"${key.slice(0, 80)}"`;
  if (typeof value === "number" && !Number.isFinite(value)) throw new Unfit("garbage", `${where} is not finite`);
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    throw new Unfit("garbage", `${where} is a ${typeof value}`);
  }
  if (value === undefined && Array.isArray(this)) throw new Unfit("garbage", `entry ${where} of a list is undefined`);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new Unfit("garbage", `${where} is not a plain object`);
  }
  return value;
}

function describe(error: unknown): string {
  try {
    if (error instanceof Unfit) return error.message;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "threw something that cannot be described";
  }
}
