import { join } from "node:path";
import { expect } from "chai";
import { bundleOf, bundleService } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { SandboxUnavailable } from "../../../orchestrator/execution/sandbox/launch.ts";
import type { FailureKind, RunFailure, RunResult } from "../../../orchestrator/execution/sandbox/result.ts";
import { createSandbox, type RunRequest, type Sandbox } from "../../../orchestrator/execution/sandbox/run.ts";
import { keccak256 } from "../../../orchestrator/primitives/hash.ts";
import { canonicalBytes } from "../../../orchestrator/primitives/json.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { rejection } from "../../support/rejection.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const now = () => 0;
const input = { goal: "g", items: [{ id: "b" }, { id: "a" }], upstream: [] };
/** A bundle as anyone could register it: a script that defines `service`. */
const bundle = (source: string) => bundleOf(new TextEncoder().encode(`var service={default:${source}};`));
const hashOf = (value: unknown) => keccak256(canonicalBytes(value));

describe("execution/sandbox/run", () => {
  const directory = temporaryDirectory();
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = createSandbox({ now });
  });
  const run = (source: string, more: Partial<RunRequest> = {}): Promise<RunResult> =>
    sandbox.run({ bundle: bundle(source), input, ...more });

  async function failure(source: string, kind: FailureKind, more: Partial<RunRequest> = {}): Promise<RunFailure> {
    const result = await run(source, more);
    if (result.status !== "failed") throw new Error(`${source} succeeded: ${JSON.stringify(result.output)}`);
    expect(result.kind, result.details).to.equal(kind);
    expect(result.trail.at(-1)?.kind).to.equal("failure");
    return result;
  }

  it("runs a catalogue service and returns output, meters and a trail of hashes", async () => {
    const sort = CATALOG.find(({ id }) => id === "sort")!;
    const made = await bundleService(sort.file);
    const result = await sandbox.run({ bundle: made, input, schemas: sort });
    const output = { items: [{ id: "a" }, { id: "b" }] };
    expect(result).to.deep.equal({
      status: "ok",
      output,
      trail: [
        { seq: 0, kind: "code", hash: made.codeHash },
        { seq: 1, kind: "input", hash: hashOf(input) },
        { seq: 2, kind: "output", hash: hashOf(output) },
      ],
      meters: { tools: 0, messages: 0, inputBytes: canonicalBytes(input).length, outputBytes: canonicalBytes(output).length },
      elapsedMs: 0,
    });
  });

  it("gives the same result twice, key order of the input notwithstanding", async () => {
    const source = "(input) => ({ items: input.items, keys: Object.keys(input) })";
    const [first, second] = [await run(source), await run(source, { input: { upstream: [], items: input.items, goal: "g" } })];
    expect(second).to.deep.equal(first);
  });

  it("serves tools and messages, meters them and records each in the trail", async () => {
    const source = `async (input, ctx) => {
      ctx.message("looking");
      const found = await ctx.tool("double", { n: 21 });
      const none = await ctx.tool("toString", {}).catch((error) => error.message);
      return { items: [], found, none };
    }`;
    const tools = {
      double: async (args: unknown) => (typeof args === "object" && args !== null && "n" in args ? Number(args.n) * 2 : null),
    };
    const result = await run(source, { tools });
    expect(result).to.deep.include({ status: "ok", output: { items: [], found: 42, none: 'there is no tool "toString"' } });
    expect(result.meters).to.include({ tools: 2, messages: 1 });
    expect(result.trail.map(({ kind }) => kind)).to.deep.equal([
      "code",
      "input",
      "message",
      "tool",
      "tool-result",
      "tool",
      "tool-result",
      "output",
    ]);
    expect(result.trail[2]?.hash).to.equal(hashOf("looking"));
    expect(result.trail[3]?.hash).to.equal(hashOf({ name: "double", args: { n: 21 } }));
    expect(result.trail[4]?.hash).to.equal(hashOf({ value: 42 }));
  });

  it("names a service that never ends, whether it spins, sleeps on a promise's own reactions or waits for a tool", async () => {
    const limits = { wallClockMs: 700 };
    await failure("() => { for (;;); }", "timeout", { limits });
    await failure("() => { const again = () => Promise.resolve().then(again); return again(); }", "timeout", { limits });
    await failure("(i, ctx) => ctx.tool('slow', null)", "timeout", { limits, tools: { slow: () => new Promise(() => {}) } });
    const spinning = bundleOf(new TextEncoder().encode("for (;;);"));
    await failure("", "timeout", { limits, bundle: spinning });
  });

  it("names a service that returns nothing", async () => {
    for (const source of ["() => {}", "() => null", "async () => undefined", "() => new Promise(() => {})"]) await failure(source, "empty");
  });

  it("names a service that returns garbage", async () => {
    const sources = [
      "() => 1n",
      "() => () => 1",
      "() => ({ a: NaN })",
      "() => ({ a: 1 / 0 })",
      "() => [undefined]",
      "() => ({ a: new Map() })",
      "() => new Error('x')",
      "() => { const a = {}; a.a = a; return a; }",
      "() => { let a = []; for (let i = 0; i < 1e5; i += 1) a = [a]; return a; }",
      "() => ({ a: '\\ud800' })",
      "() => JSON.parse('{\"__proto__\": 1}')",
      "() => Symbol('x')",
    ];
    for (const source of sources) await failure(source, "garbage");
  });

  it("names a service that crashes, does not load or is none", async () => {
    expect((await failure("() => { throw new TypeError('no luck') }", "crash")).details).to.equal("TypeError: no luck");
    await failure("() => Promise.reject(7)", "crash");
    await failure("() => { throw { toString() { throw 1 } } }", "crash");
    await failure("() => { const f = () => f() + 1; return f(); }", "crash");
    await failure("7", "crash");
    for (const source of ["this is no script", "throw 1", "", "var service"]) {
      await failure("", "crash", { bundle: bundleOf(new TextEncoder().encode(source)) });
    }
  });

  it("says in words what a service looks for in vain", async () => {
    const cases: readonly (readonly [source: string, says: string])[] = [
      ["() => fetch('https://example.org')", "the network is not available to services (ReferenceError: fetch is not defined)"],
      ["() => process.env", "the process and its environment are not available to services (ReferenceError: process is not defined)"],
      ["() => require('fs')", "Node's APIs are not available to services (ReferenceError: require is not defined)"],
      [
        "() => Date.now()",
        "the clock is not available to services: the same input must give the same output (ReferenceError: Date is not defined)",
      ],
      [
        "() => Math.random()",
        "randomness is not available to services: the same input must give the same output (TypeError: Math.random is not a function)",
      ],
      ["() => setTimeout(() => 1, 1)", "timers are not available to services (ReferenceError: setTimeout is not defined)"],
      [
        "() => 'a'.localeCompare('b')",
        "locales are not available to services: they differ between machines (TypeError: 'a'.localeCompare is not a function)",
      ],
      ["() => console.log(1)", "there is no console: use ctx.message to put something on record (ReferenceError: console is not defined)"],
      ["() => new URL('a:b')", "services have only the language, not the APIs of browsers and Node (ReferenceError: URL is not defined)"],
      [
        "() => new Function('return 1')()",
        "code from text (eval, new Function) is not available to services (EvalError: Code generation from strings disallowed for this context)",
      ],
    ];
    for (const [source, says] of cases) {
      const { details } = await failure(source, "crash");
      expect(details.replace('"a".localeCompare', "'a'.localeCompare"), source).to.equal(says);
    }
  });

  it("enforces sizes", async () => {
    const limits = { outputBytes: 1_000, inputBytes: 1_000 };
    await failure("() => 'x'.repeat(999)", "too-large", { limits });
    await failure("() => 'ä'.repeat(600)", "too-large", { limits });
    expect((await run("() => 'x'.repeat(998)", { limits })).status).to.equal("ok");
    await failure("() => 1", "too-large", { limits, input: "x".repeat(999) });
    await failure("(i, ctx) => { for (let n = 0; n < 9; n += 1) ctx.message('x'.repeat(3e5)); return 1; }", "too-large", { limits });
  });

  it("enforces counts of tools and messages even on a service that swallows the refusal", async () => {
    const limits = { tools: 3, messages: 2 };
    const tools = { echo: async (args: unknown) => String(args) };
    const calling = (method: string, times: number) =>
      `async (i, ctx) => { for (let n = 0; n < ${times}; n += 1) try { await ctx.${method}('echo', n) } catch {} return 1; }`;
    expect((await run(calling("tool", 3), { limits, tools })).status).to.equal("ok");
    expect((await run(calling("message", 2), { limits, tools })).status).to.equal("ok");
    expect((await failure(calling("tool", 4), "tools", { limits, tools })).meters.tools).to.equal(3);
    expect((await failure(calling("message", 3), "messages", { limits, tools })).meters.messages).to.equal(2);
  });

  it("enforces memory, on V8's heap and beside it", async () => {
    const limits = { memoryMb: 48, wallClockMs: 20_000 };
    await failure("() => { const a = []; for (;;) a.push(new Array(1e5).fill(1.5)); }", "memory", { limits });
    if (process.platform !== "linux") return;
    await failure("() => { const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1)); }", "memory", { limits });
  });

  it("checks input and output against the schemas, the input before anything runs", async () => {
    const schemas = {
      input: { type: "object", properties: { goal: { type: "string" } }, required: ["goal"] },
      output: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    };
    expect((await run("() => ({ n: 1 })", { schemas })).status).to.equal("ok");
    expect((await failure("() => ({ n: 'one' })", "schema", { schemas })).details).to.match(/^output: /);
    expect((await failure("() => { for (;;); }", "schema", { schemas, input: { goal: 1 } })).details).to.match(/^input: /);
  });

  it("runs at most as many at once as allowed, and all of them", async () => {
    const limited = createSandbox({ now, concurrency: 2 });
    let open = 0;
    let most = 0;
    const tools = {
      enter: async () => {
        open += 1;
        most = Math.max(most, open);
        return null;
      },
      leave: async () => {
        open -= 1;
        return null;
      },
    };
    const source = "async (i, ctx) => { await ctx.tool('enter', null); await ctx.tool('leave', null); return 1; }";
    const results = await Promise.all(Array.from({ length: 6 }, () => limited.run({ bundle: bundle(source), input, tools })));
    expect(results.map(({ status }) => status)).to.deep.equal(Array(6).fill("ok"));
    expect(most).to.be.within(1, 2);
  });

  it("gives each run a process of its own, though they were started ahead", async () => {
    const source = "() => { const seen = globalThis.kept ?? 0; globalThis.kept = seen + 1; return seen }";
    for (let time = 0; time < 6; time += 1) expect(await run(source)).to.include({ status: "ok", output: 0 });
  });

  it("throws when the machine is at fault, and only then", async () => {
    const broken = createSandbox({ now, nodePath: join(directory(), "no-node") });
    expect(await rejection(broken.run({ bundle: bundle("() => 1"), input }))).to.be.instanceOf(SandboxUnavailable);
  });
});
