import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { bundleOf } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { fenced, fenceProblem } from "../../../orchestrator/execution/sandbox/fence.ts";
import { createSandbox } from "../../../orchestrator/execution/sandbox/run.ts";
import { suiteDirectory } from "../../support/temporary-directory.ts";

const problem = fenceProblem(process.execPath);

describe("the second fence", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let server: Server;
  let port = 0;
  let connections = 0;

  before(function (done) {
    if (problem !== undefined) {
      console.error(`no second fence on this machine: ${problem}`);
      this.skip();
    }
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
    if (server === undefined) done();
    else server.close(done);
  });

  /** What a service would find that had all of Node: no realm around it, no permission model, no frozen intrinsics. */
  function found(attempts: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
    const each = Object.entries(attempts).map(
      ([name, attempt]) =>
        `try { out[${JSON.stringify(name)}] = await (${attempt}) } catch (error) { out[${JSON.stringify(name)}] = error.code ?? error.name }`,
    );
    const program = `const fs = require("fs"); (async () => { const out = {}; ${each.join("\n")}; fs.writeSync(1, JSON.stringify(out)) })()`;
    const [command, args] = fenced(process.execPath, ["--eval", program]);
    const secret = { PATH: process.env["PATH"], AGENTCITY_KEY: "a key" };
    const { stdout, stderr } = spawnSync(command, [...args], { encoding: "utf8", env: secret, timeout: 60_000 });
    expect(stderr).to.equal("");
    return JSON.parse(stdout);
  }

  it("leaves whoever escapes the realm no file, no network, no process and no key of its owner", () => {
    const secret = join(directory(), "secret.txt");
    writeFileSync(secret, "a key");
    const connect = (to: string) =>
      `new Promise((yes, no) => require("net").connect(${to}).on("connect", () => yes("CONNECTED")).on("error", no))`;
    expect(
      found({
        secret: `fs.readFileSync(${JSON.stringify(secret)}, "utf8")`,
        project: `fs.readdirSync(${JSON.stringify(process.cwd())}).length`,
        home: `fs.readdirSync(${JSON.stringify(process.env["HOME"] ?? "/root")}).length`,
        passwords: `fs.readFileSync("/etc/passwd", "utf8")`,
        processes: `fs.readdirSync("/proc").length`,
        root: `fs.readdirSync("/").filter((name) => !/^(dev|lib|lib64|node|tmp|usr)$/.test(name)).join()`,
        write: `fs.writeFileSync("/usr/lib/planted", "x")`,
        overwrite: `fs.writeFileSync("/node", "x")`,
        beside: `fs.writeFileSync(${JSON.stringify(join(directory(), "out.txt"))}, "x")`,
        environment: `Object.keys(process.env).filter((name) => name !== "PWD").join()`,
        loopback: connect(`{ port: ${port}, host: "127.0.0.1" }`),
        outside: connect(`{ port: 443, host: "1.1.1.1" }`),
        devices: `Object.values(require("os").networkInterfaces()).flat().filter(({ internal }) => !internal).length`,
        shell: `require("child_process").spawnSync("/bin/sh", ["-c", "id"]).error?.code`,
        kill: `process.kill(${process.pid}, 9)`,
      }),
    ).to.deep.equal({
      secret: "ENOENT",
      project: "ENOENT",
      home: "ENOENT",
      passwords: "ENOENT",
      processes: "ENOENT",
      root: "",
      write: "EROFS",
      overwrite: "EROFS",
      beside: "ENOENT",
      environment: "",
      loopback: "ECONNREFUSED",
      outside: "ENETUNREACH",
      devices: 0,
      shell: "ENOENT",
      kill: "ESRCH",
    });
    expect(connections).to.equal(0);
    expect(existsSync(join(directory(), "out.txt"))).to.equal(false);
  });

  it("changes nothing of what a service gives, and is no way around its limits", async () => {
    const bundle = bundleOf(
      new TextEncoder().encode("var service={default:async (input) => ({ sum: input.reduce((a, b) => a + b, 0) })};"),
    );
    const large = bundleOf(
      new TextEncoder().encode(
        "var service={default:async () => { const all = []; for (;;) all.push(new Uint8Array(8_388_608).fill(1)) }};",
      ),
    );
    for (const isFenced of [false, true]) {
      const sandbox = createSandbox({ now: () => 0, isFenced });
      const run = await sandbox.run({ bundle, input: [1, 2, 3], limits: { wallClockMs: 20_000 } });
      expect(run.status === "ok" && run.output, String(isFenced)).to.deep.equal({ sum: 6 });
      const killed = await sandbox.run({ bundle: large, input: null, limits: { wallClockMs: 20_000, memoryMb: 64 } });
      expect(killed.status === "failed" && killed.kind, String(isFenced)).to.equal("memory");
    }
  });
});
