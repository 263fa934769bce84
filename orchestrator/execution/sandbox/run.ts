import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Hash } from "../../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { compileSchema, describeProblem, type SchemaCheck } from "../../primitives/json-schema.ts";
import { type Bundle, bundleOwn } from "./bundle.ts";
import { itemsProblem } from "./items-problem.ts";
import { type Launch, launching, type Scripts } from "./launch.ts";
import { DEFAULT_LIMITS, limitsUnder, type SandboxLimits } from "./limits.ts";
import { runInProcess, type Tool } from "./process.ts";
import { RunRecorder } from "./recorder.ts";
import type { RunResult } from "./result.ts";
import { type Sold, turnstile, turnstiles } from "./turnstile.ts";

/** A service's contract: JSON Schemas of its input, output and options (none if absent), and whether it answers every item. */
export interface ServiceSchemas {
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly options?: JsonObject;
  /** Works item by item: each input item has an output item, unless it `drops` items. */
  readonly perItem?: boolean;
  readonly drops?: boolean;
}

const jsonObject = z.record(z.string(), z.json());
export const serviceSchemasSchema: z.ZodType<ServiceSchemas> = z.strictObject({
  input: jsonObject,
  output: jsonObject,
  options: jsonObject.exactOptional(),
  perItem: z.boolean().exactOptional(),
  drops: z.boolean().exactOptional(),
});

/** One run of one service. */
export interface RunRequest {
  readonly bundle: Bundle;
  readonly input: JsonValue;
  /** Schemas of input and output; unchecked if absent. */
  readonly schemas?: ServiceSchemas;
  readonly limits?: Partial<SandboxLimits>;
  /** Constraints of the service's record, which can only narrow the limits. */
  readonly constraints?: Hash;
  /** Set if the service's seller runs it, whose concurrent runs are limited by the record. */
  readonly soldAs?: Sold;
  readonly tools?: Readonly<Record<string, Tool>>;
}

export interface SandboxOptions {
  readonly limits?: Partial<SandboxLimits>;
  /** Number of concurrent processes. */
  readonly concurrency?: number;
  /** Monotonic clock, milliseconds; used for `elapsedMs` only. */
  readonly now: () => number;
  /** Path of a Node (24 or later) for services. */
  readonly nodePath?: string;
  /** Whether processes also run in the second sandbox layer (`fence.ts`). Default: no. */
  readonly isFenced?: boolean;
}

/** Runs services, each in its own process that can only compute. */
export interface Sandbox {
  /** Always settles, and never throws for a fault of the service, which is a result. */
  run(request: RunRequest): Promise<RunResult>;
}

/** AgentCity 3.5 stage 2 (Invoke), with the constraints of B.3 enforced. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const places = options.concurrency ?? 2;
  const slots = turnstile(places);
  const inTurn = turnstiles();
  const matches = schemaChecker();
  const bytesOf = canonicalOnce();
  let launch: Promise<Launch> | undefined;

  async function run(request: RunRequest): Promise<RunResult> {
    const given = { ...DEFAULT_LIMITS, ...options.limits, ...request.limits };
    const limits = request.constraints === undefined ? given : limitsUnder(given, request.constraints);
    const started = options.now();
    const input = bytesOf(request.input);
    const recorder = new RunRecorder(request.bundle.codeHash, input);
    const fail = (kind: "too-large" | "schema", details: string): RunResult => recorder.failed(kind, details, options.now() - started);
    if (input.length > limits.inputBytes) return fail("too-large", `the input has ${input.length} bytes; at most ${limits.inputBytes}`);
    const misfit = request.schemas === undefined ? undefined : misfitOf(request.schemas, request.input);
    if (misfit !== undefined) return fail("schema", misfit);

    launch ??= loadScripts().then((scripts) => launching(options.nodePath ?? process.execPath, scripts, places, options.isFenced === true));
    const launched = await launch;
    const start = () =>
      slots(() =>
        runInProcess({
          launch: launched,
          code: request.bundle.bytes,
          input,
          limits,
          tools: request.tools ?? {},
          recorder,
        }),
      );
    const end = await (request.soldAs === undefined ? start() : inTurn(request.soldAs, start));
    const elapsedMs = options.now() - started;
    if (end.status === "failed") return recorder.failed(end.kind, end.details, elapsedMs);
    const output = canonicalBytes(end.output);
    if (output.length > limits.outputBytes)
      return fail("too-large", `the output has ${output.length} bytes; at most ${limits.outputBytes}`);
    const { schemas } = request;
    const wrong =
      schemas === undefined ? undefined : (matches(schemas.output, end.output) ?? itemsProblem(schemas, request.input, end.output));
    if (wrong !== undefined) return fail("schema", `output: ${wrong}`);
    return recorder.succeeded(end.output, output, elapsedMs);
  }

  function misfitOf(schemas: ServiceSchemas, input: JsonValue): string | undefined {
    const misfit = matches(schemas.input, input);
    if (misfit !== undefined) return `input: ${misfit}`;
    const options = isObject(input) ? input["options"] : undefined;
    if (options === undefined) return undefined;
    const wrong = schemas.options === undefined ? "the service takes no options" : matches(schemas.options, options);
    return wrong === undefined ? undefined : `options: ${wrong}`;
  }

  return { run };
}

async function loadScripts(): Promise<Scripts> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const script = async (name: string, platform: "node" | "neutral"): Promise<string> => {
    const { bytes } = await bundleOwn(fileURLToPath(new URL(`./${name}.${extension}`, import.meta.url)), platform);
    return new TextDecoder().decode(bytes);
  };
  const [launcher, child, realm] = await Promise.all([script("launcher", "node"), script("child", "node"), script("realm", "neutral")]);
  return { launcher, child, realm };
}

/** Serialises each value once: redundant executors and the issuer get the same one. */
function canonicalOnce(): (value: JsonValue) => Uint8Array {
  const known = new WeakMap<object, Uint8Array>();
  return (value) => {
    if (typeof value !== "object" || value === null) return canonicalBytes(value);
    const bytes = known.get(value) ?? canonicalBytes(value);
    known.set(value, bytes);
    return bytes;
  };
}

/** Compiles each schema once; returns the first violation, or undefined. */
function schemaChecker(): (schema: JsonObject, value: JsonValue) => string | undefined {
  const compiled = new WeakMap<JsonObject, SchemaCheck>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? compileSchema(schema);
    compiled.set(schema, check);
    const problem = check(value);
    return problem === undefined ? undefined : describeProblem(problem).slice(0, 1_000);
  };
}
