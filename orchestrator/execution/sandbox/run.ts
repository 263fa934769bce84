import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { writeFileAtomic } from "../../primitives/files.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { canonicalBytes, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { type Bundle, bundled } from "./bundle.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "./limits.ts";
import { runInProcess, type Tool } from "./process.ts";
import { RunRecorder } from "./recorder.ts";
import type { RunResult } from "./result.ts";

/** One run of one service. */
export interface RunRequest {
  readonly bundle: Bundle;
  readonly input: JsonValue;
  /** JSON Schemas that input and output must match; an absent one is not checked. */
  readonly schemas?: { readonly input?: JsonObject; readonly output?: JsonObject };
  readonly limits?: Partial<SandboxLimits>;
  readonly tools?: Readonly<Record<string, Tool>>;
}

export interface SandboxOptions {
  /** Where bundles are kept, by code hash. */
  readonly directory: string;
  readonly limits?: Partial<SandboxLimits>;
  /** Processes at once. */
  readonly concurrency?: number;
  /** Milliseconds of a monotonic clock; only `elapsedMs` is made from it. */
  readonly now: () => number;
  /** The Node that runs services, 24 or later. */
  readonly nodePath?: string;
}

/** Runs services, each in a process of its own that can do nothing but compute. */
export interface Sandbox {
  /** Never throws for a fault of the service, and always settles: such a fault is a result. */
  run(request: RunRequest): Promise<RunResult>;
}

/** AgentCity §3.5 stage 2 (Invoke), with the constraints of B.4 enforced. */
export function createSandbox(options: SandboxOptions): Sandbox {
  mkdirSync(options.directory, { recursive: true });
  const directory = realpathSync(options.directory);
  const nodePath = options.nodePath ?? process.execPath;
  const slots = turnstile(options.concurrency ?? 2);
  const matches = schemaChecker();
  let scripts: Promise<{ child: string; realm: string }> | undefined;

  async function run(request: RunRequest): Promise<RunResult> {
    const limits = { ...DEFAULT_LIMITS, ...options.limits, ...request.limits };
    const started = options.now();
    const input = canonicalBytes(request.input);
    const recorder = new RunRecorder(request.bundle.codeHash, input);
    const fail = (kind: "too-large" | "schema", details: string): RunResult => recorder.failed(kind, details, options.now() - started);
    if (input.length > limits.inputBytes) return fail("too-large", `the input has ${input.length} bytes; at most ${limits.inputBytes}`);
    const misfit = matches(request.schemas?.input, request.input);
    if (misfit !== undefined) return fail("schema", `input: ${misfit}`);

    scripts ??= loadScripts();
    const { child, realm } = await scripts;
    const end = await slots(() =>
      runInProcess({
        nodePath,
        directory,
        script: child,
        realm,
        bundlePath: keep(directory, request.bundle),
        input: new TextDecoder().decode(input),
        limits,
        tools: request.tools ?? {},
        recorder,
      }),
    );
    const elapsedMs = options.now() - started;
    if (end.status === "failed") return recorder.failed(end.kind, end.details, elapsedMs);
    const output = canonicalBytes(end.output);
    if (output.length > limits.outputBytes)
      return fail("too-large", `the output has ${output.length} bytes; at most ${limits.outputBytes}`);
    const wrong = matches(request.schemas?.output, end.output);
    if (wrong !== undefined) return fail("schema", `output: ${wrong}`);
    return recorder.succeeded(end.output, output, elapsedMs);
  }

  return { run };
}

/** The bundle's file; written again when what lies there is something else. */
function keep(directory: string, bundle: Bundle): string {
  const path = join(directory, `${bundle.codeHash}.js`);
  if (!existsSync(path) || keccak256(readFileSync(path)) !== bundle.codeHash) writeFileAtomic(path, bundle.bytes);
  return path;
}

async function loadScripts(): Promise<{ child: string; realm: string }> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const script = (name: string, platform: "node" | "neutral"): Promise<Uint8Array> =>
    bundled(fileURLToPath(new URL(`./${name}.${extension}`, import.meta.url)), platform);
  const [child, realm] = await Promise.all([script("child", "node"), script("realm", "neutral")]);
  return { child: new TextDecoder().decode(child), realm: new TextDecoder().decode(realm) };
}

/** Compiles each schema once; says what does not fit, or undefined. */
function schemaChecker(): (schema: JsonObject | undefined, value: JsonValue) => string | undefined {
  const compiled = new WeakMap<JsonObject, z.ZodType>();
  return (schema, value) => {
    if (schema === undefined) return undefined;
    let type = compiled.get(schema);
    if (type === undefined) {
      type = z.fromJSONSchema(schema);
      compiled.set(schema, type);
    }
    const { error } = type.safeParse(value);
    return error === undefined ? undefined : z.prettifyError(error).slice(0, 1_000);
  };
}

/** Lets at most `places` jobs run at once, first come first served. */
function turnstile(places: number): <T>(job: () => Promise<T>) => Promise<T> {
  if (!Number.isInteger(places) || places < 1) throw new RangeError(`a sandbox needs at least one place, not ${places}`);
  const queue: (() => void)[] = [];
  let free = places;
  return async (job) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await job();
    } finally {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
