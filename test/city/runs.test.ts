import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { beginRun, clearUnlessInterrupted, endRun } from "../../orchestrator/city/runs.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

describe("runs", () => {
  const directory = temporaryDirectory();
  const key = { command: "start", seed: "7", cheat: false };

  it("goes on with an interrupted run of the same key, and only with that", () => {
    const dir = directory();
    const first = beginRun(dir, key);
    expect(beginRun(dir, key)).to.deep.equal({ id: first.id, resumed: true });
    const other = beginRun(dir, { ...key, seed: "8" });
    expect(other.resumed).to.equal(false);
    expect(other.id).not.to.equal(first.id);
  });

  it("gives a finished run's key a new id", () => {
    const dir = directory();
    const first = beginRun(dir, key);
    endRun(dir, key);
    const second = beginRun(dir, key);
    expect(second.resumed).to.equal(false);
    expect(second.id).not.to.equal(first.id);
  });

  it("clears a city for a new start, but never the one whose run was interrupted", () => {
    const dir = join(directory(), "embedded");
    mkdirSync(dir);
    beginRun(dir, key);
    writeFileSync(join(dir, "chain.ndjson"), "x");
    clearUnlessInterrupted(dir, key);
    expect(existsSync(join(dir, "chain.ndjson"))).to.equal(true);
    endRun(dir, key);
    clearUnlessInterrupted(dir, key);
    expect(existsSync(dir)).to.equal(false);
  });
});
