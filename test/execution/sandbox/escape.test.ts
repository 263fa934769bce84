import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { bundleOf } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { nodeFlags } from "../../../orchestrator/execution/sandbox/limits.ts";
import { createSandbox } from "../../../orchestrator/execution/sandbox/run.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Ways to reach Node's own global from inside a realm; each yields `undefined` or throws when the walls hold. */
const WAYS_TO_NODE = [
  "globalThis.process",
  "globalThis.constructor.constructor('return process')()",
  "(function () { return this })().process",
  "ctx.tool.constructor('return process')()",
  "ctx.tool.constructor.constructor('return process')()",
  "Object.getPrototypeOf(async function () {}).constructor('return process')()",
  "(0, eval)('process')",
  "new Function('return process')()",
  "Error.captureStackTrace.constructor('return process')()",
  "(() => { let found; Error.prepareStackTrace = (e, sites) => sites.map((site) => site.getThis() ?? site.getFunction()); found = new Error().stack; return [].concat(found).find((it) => it && it.process)?.process })()",
  "(function f() { return f.caller && f.caller.constructor('return process')() })()",
  "await import('node:process')",
  "await import('node:fs').catch((error) => error.constructor.constructor('return process')())",
  "await import('data:text/javascript,export default 1')",
  "await ctx.tool('none', {}).catch((error) => error.constructor.constructor('return process')())",
  "globalThis.require('fs')",
  "globalThis.module",
  "globalThis.Buffer",
  "globalThis.fetch",
  "globalThis.WebSocket",
  "globalThis.EventSource",
  "globalThis.XMLHttpRequest",
  "globalThis.navigator",
  "globalThis.setTimeout",
  "globalThis.queueMicrotask",
  "globalThis.Worker",
  "globalThis.WebAssembly",
  "globalThis.SharedArrayBuffer",
  "globalThis.Date",
  "globalThis.Intl",
  "globalThis.performance",
  "globalThis.crypto",
  "Math.random",
  "''.localeCompare",
];

describe("execution/sandbox/escape", () => {
  const directory = temporaryDirectory();
  let server: Server;
  let connections = 0;
  let port = 0;

  before((done) => {
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      port = typeof address === "object" && address !== null ? address.port : 0;
      done();
    });
  });
  after((done) => {
    server.close(done);
  });

  it("leaves a service no way to Node: not to the process, files, network, clock, chance or code from text", async () => {
    const sandbox = createSandbox({ now: () => 0 });
    for (const way of WAYS_TO_NODE) {
      const source = `async (input, ctx) => { let found; try { found = ${way} } catch {} return { found: found === undefined ? 'nothing' : typeof found } }`;
      const bundle = bundleOf(new TextEncoder().encode(`var service={default:${source}};`));
      const result = await sandbox.run({ bundle, input: null, limits: { wallClockMs: 10_000 } });
      // A dynamic import never settles, so that the run ends as `empty`.
      const reached = result.status === "ok" ? result.output : { found: result.kind === "empty" ? "nothing" : result };
      expect(reached, way).to.deep.equal({ found: "nothing" });
    }
  }).timeout(120_000);

  it("keeps its walls when a service changes every prototype it can reach before the host works on", async () => {
    const sandbox = createSandbox({ now: () => 0 });
    const source = `async (input, ctx) => {
      const seen = [];
      const roots = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype, String.prototype, Map.prototype, Error.prototype];
      const failed = await ctx.tool('none', {}).catch((error) => error);
      for (let at = failed; at; at = Object.getPrototypeOf(at)) roots.push(at);
      for (const root of roots) {
        for (const key of ['then', 'handle', '_handle', 'push', 'call', 'apply', 'process', 'shift', 'toString']) {
          try {
            Object.defineProperty(root, key, { configurable: true, get() { if (this && (this.pid || this.binding || this._handle)) seen.push(key); return undefined }, set() {} });
          } catch {}
        }
      }
      return { seen };
    }`;
    const bundle = bundleOf(new TextEncoder().encode(`var service={default:${source}};`));
    const result = await sandbox.run({ bundle, input: null, limits: { wallClockMs: 10_000 } });
    if (result.status === "ok") expect(result.output).to.deep.equal({ seen: [] });
    else expect(result.kind).to.be.oneOf(["crash", "empty", "garbage"]);
  });

  it("gives the process itself, if a service ever got there, no files, children, workers, addons or environment", () => {
    const mine = join(directory(), "bundle.js");
    const secret = join(directory(), "secret.txt");
    writeFileSync(mine, "var service");
    writeFileSync(secret, "secret");
    const attempts = {
      "read own": `fs.readFileSync(${JSON.stringify(mine)}, 'utf8')`,
      read: `fs.readFileSync(${JSON.stringify(secret)}, 'utf8')`,
      list: `fs.readdirSync(${JSON.stringify(directory())})`,
      write: `fs.writeFileSync(${JSON.stringify(join(directory(), "out.txt"))}, 'x')`,
      overwrite: `fs.writeFileSync(${JSON.stringify(mine)}, 'x')`,
      link: `fs.symlinkSync(${JSON.stringify(secret)}, ${JSON.stringify(join(directory(), "link"))})`,
      spawn: `require('child_process').spawnSync(process.execPath, ['-e', '1']).error?.code ?? 'SPAWNED'`,
      worker: `new (require('worker_threads').Worker)('1', { eval: true })`,
      binding: `process.binding('tcp_wrap')`,
      inspector: `require('inspector').open(0)`,
      wasi: `new (require('wasi').WASI)({ version: 'preview1' })`,
      eval: `eval('1')`,
      Function: `new Function('return 1')()`,
      freeze: `(() => { 'use strict'; Object.prototype.polluted = 1; return 'CHANGED' })()`,
    };
    const code = Object.entries(attempts)
      .map(
        ([name, attempt]) =>
          `try { out[${JSON.stringify(name)}] = String(${attempt}) } catch (error) { out[${JSON.stringify(name)}] = error.code ?? error.name }`,
      )
      .join("\n");
    const program = `const fs = require('fs'); const out = { env: JSON.stringify(process.env) };\n${code}\nfs.writeSync(1, JSON.stringify(out))`;
    const out: unknown = JSON.parse(execFileSync(process.execPath, [...nodeFlags(64), "--eval", program], { env: {}, encoding: "utf8" }));
    expect(out).to.deep.equal({
      env: "{}",
      "read own": "ERR_ACCESS_DENIED",
      read: "ERR_ACCESS_DENIED",
      list: "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      overwrite: "ERR_ACCESS_DENIED",
      link: "ERR_ACCESS_DENIED",
      spawn: "ERR_ACCESS_DENIED",
      worker: "ERR_ACCESS_DENIED",
      binding: "ERR_ACCESS_DENIED",
      inspector: "ERR_ACCESS_DENIED",
      wasi: "ERR_ACCESS_DENIED",
      eval: "EvalError",
      Function: "EvalError",
      freeze: "TypeError",
    });
    expect(existsSync(join(directory(), "out.txt"))).to.equal(false);
  });

  it("opens no connection whatever a service asks for", async () => {
    const sandbox = createSandbox({ now: () => 0 });
    const address = `http://127.0.0.1:${port}/`;
    const asks = [
      `fetch('${address}')`,
      `globalThis.fetch?.('${address}')`,
      `import('node:http').then((http) => http.get('${address}'))`,
      `import('${address}')`,
      `new WebSocket('${address.replace("http", "ws")}')`,
      `ctx.tool('fetch', '${address}')`,
    ];
    for (const ask of asks) {
      const source = `async (input, ctx) => { await ${ask}; return 'connected' }`;
      const result = await sandbox.run({ bundle: bundleOf(new TextEncoder().encode(`var service={default:${source}};`)), input: null });
      if (result.status === "ok") expect(result.output, ask).to.equal(ask.includes("?.") ? "connected" : "never");
    }
    expect(connections).to.equal(0);
  }).timeout(60_000);
});
