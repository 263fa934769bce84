import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { beginRun, DeciderDiffers, endRun, openRuns, type RunFacts } from "../../../orchestrator/city/missions/runs.ts";
import { StateDamaged } from "../../../orchestrator/primitives/state-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe("runs", () => {
  const directory = temporaryDirectory();
  const key = { command: "start", seed: "7", cheat: false };
  const facts: RunFacts = { mission: "licences", command: "npm start", decides: "simulation" };

  it("goes on with an interrupted run of the same key, and only with that", () => {
    const dir = directory();
    const first = beginRun(dir, key, facts, false);
    expect(beginRun(dir, key, facts, false)).to.deep.equal({ id: first.id, resumed: true });
    const other = beginRun(dir, { ...key, seed: "8" }, facts, false);
    expect(other.resumed).to.equal(false);
    expect(other.id).not.to.equal(first.id);
  });

  it("gives a finished run's key a new id", () => {
    const dir = directory();
    const first = beginRun(dir, key, facts, false);
    endRun(dir, key);
    const second = beginRun(dir, key, facts, false);
    expect(second.resumed).to.equal(false);
    expect(second.id).not.to.equal(first.id);
  });

  it("lists what has not ended with the command that continues it", () => {
    const dir = directory();
    beginRun(dir, key, facts, false);
    beginRun(dir, { ...key, seed: "8" }, { ...facts, mission: "estimates", command: "npm run mission -- e.yaml" }, false);
    expect(openRuns(dir).map(({ mission, command }) => [mission, command])).to.deep.equal([
      ["estimates", "npm run mission -- e.yaml"],
      ["licences", "npm start"],
    ]);
    expect(openRuns(dir, key)).to.have.length(1);
    endRun(dir, key);
    expect(openRuns(dir)).to.have.length(1);
  });

  for (const decides of ["elsewhere", "terminal"] as const) {
    it(`never replaces people (${decides}) by a simulation, unless that is asked for`, () => {
      const dir = directory();
      const { id } = beginRun(dir, key, { ...facts, decides }, false);
      expect(() => beginRun(dir, key, facts, false)).to.throw(DeciderDiffers, "--simulate-humans");
      expect(beginRun(dir, key, { ...facts, decides }, false), "the refused try changed nothing").to.deep.equal({ id, resumed: true });
      expect(beginRun(dir, key, facts, true)).to.deep.equal({ id, resumed: true, formerDecider: decides });
      expect(beginRun(dir, key, facts, false), "the switch is kept").to.deep.equal({ id, resumed: true });
    });
  }

  it("lets people take a simulation's place, and says so", () => {
    const dir = directory();
    const { id } = beginRun(dir, key, facts, false);
    const switched = beginRun(dir, key, { ...facts, decides: "terminal" }, false);
    expect(switched).to.deep.equal({ id, resumed: true, formerDecider: "simulation" });
  });

  for (const [what, text] of [
    ["empty", ""],
    ["cut", '{"count":1,"open":{"a'],
    ["of another shape", '{"count":"many"}'],
  ] as const) {
    it(`names the file when it is ${what}, and says what to do`, () => {
      const path = join(directory(), "runs.json");
      writeFileSync(path, text);
      expect(() => openRuns(directory()))
        .to.throw(StateDamaged)
        .with.property("path", path);
      expect(() => beginRun(directory(), key, facts, false)).to.throw(StateDamaged, "What to do");
    });
  }
});
