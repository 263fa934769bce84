import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findLivingCity, removeCityFile, writeCityFile } from "../../orchestrator/chain/city-file.ts";
import { CityBusy, LockLost } from "../../orchestrator/chain/errors.ts";
import { acquireLock, livingOwner } from "../../orchestrator/chain/lock.ts";

const lockModule = JSON.stringify(new URL("../../orchestrator/chain/lock.ts", import.meta.url).href);

/** Another process that takes the lock, says so and waits to be killed. */
async function holder(dir: string) {
  const script = `
    import { acquireLock } from ${lockModule};
    const lock = acquireLock(${JSON.stringify(dir)}, () => {});
    process.stdout.write(String(lock.fence));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      const [, signal] = await once(child, "exit");
      expect(signal).to.equal("SIGKILL");
    },
  };
}

describe("the city's lock", () => {
  let dir: string;
  const said: string[] = [];
  const log = (line: string) => {
    said.push(line);
  };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "agentcity-lock-"));
    said.length = 0;
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it("has one holder, and grows its fence with every owner", () => {
    const first = acquireLock(dir, log);
    expect(() => acquireLock(dir, log)).to.throw(CityBusy, String(process.pid));
    first.assertHeld();
    first.release();
    expect(() => first.assertHeld()).to.throw(LockLost);
    const second = acquireLock(dir, log);
    expect(second.fence).to.be.greaterThan(first.fence);
    expect(said).to.deep.equal([]);
    second.release();
  });

  it("is respected while its process lives and taken over, aloud, once it was killed", async () => {
    const other = await holder(dir);
    expect(() => acquireLock(dir, log)).to.throw(CityBusy, String(other.pid));
    await other.kill();
    const lock = acquireLock(dir, log);
    expect(lock.fence).to.equal(2);
    expect(said.join()).to.contain(`${other.pid}`).and.to.contain("taking over");
    lock.release();
  });

  it("is not fooled by a process number that came round again, nor by garbage", () => {
    writeFileSync(join(dir, "lock"), JSON.stringify({ pid: process.pid, started: "1", fence: 1 }));
    acquireLock(dir, log).release();
    writeFileSync(join(dir, "lock"), "garbage");
    acquireLock(dir, log).release();
    expect(said).to.have.length(2);
  });

  it("is lost, by name, when another process replaced it", () => {
    const lock = acquireLock(dir, log);
    writeFileSync(join(dir, "lock"), JSON.stringify({ pid: 1, started: "1", fence: 9 }));
    expect(() => lock.assertHeld()).to.throw(LockLost);
    lock.release();
    expect(livingOwner(dir)).to.equal(undefined);
  });

  it("makes city.json count only while its owner lives", async () => {
    const other = await holder(dir);
    const city = { pid: other.pid, rpcUrl: "http://127.0.0.1:1/rpc", apiUrl: null, chainId: 31337, addresses: {} };
    expect(findLivingCity(dir)).to.equal(undefined);
    writeCityFile(dir, city);
    expect(findLivingCity(dir)).to.deep.equal(city);
    await other.kill();
    expect(findLivingCity(dir)).to.equal(undefined);
    removeCityFile(dir);
    removeCityFile(dir);
  });
});
