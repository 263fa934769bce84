// @long
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { MODELS, MUTANTS } from "./catalogue.ts";
import { endings, endingsTable } from "./ends.ts";
import { explore, type Machine, type WayOut } from "./explore.ts";

/** Two switches, either first. */
const switches = (changes: Partial<Machine<readonly boolean[]>> = {}): Machine<readonly boolean[]> => ({
  name: "switches",
  about: "two switches that are pressed once",
  initial: [false, false],
  *moves(state) {
    for (const [index, on] of state.entries()) if (!on) yield { label: `press ${index}`, next: state.with(index, true) };
  },
  key: (state) => state.join(),
  invariants: [],
  ...changes,
});

describe("the model checker", () => {
  it("visits every state once, and counts what led nowhere new", () => {
    expect(explore(switches())).to.deep.equal({ generated: 5, distinct: 4, violation: undefined });
  });

  it("takes states for one that differ in names alone", () => {
    const key = (state: readonly boolean[]) => state.toSorted().join();
    expect(explore(switches({ key }))).to.deep.equal({ generated: 4, distinct: 3, violation: undefined });
  });

  it("counts what lies outside, and does not follow it", () => {
    const within = (state: readonly boolean[]) => state.filter(Boolean).length < 2;
    expect(explore(switches({ within }))).to.include({ generated: 5, distinct: 3 });
  });

  it("tells the shortest way to a broken promise", () => {
    const invariants = [{ name: "never both", holds: (state: readonly boolean[]) => !state.every(Boolean) }];
    expect(explore(switches({ invariants })).violation).to.deep.equal({ invariant: "never both", trace: ["press 0", "press 1"] });
  });

  it("finds where no way leads to an end", () => {
    const end = (state: readonly boolean[]) => state[0] === true && state[1] === false;
    expect(explore(switches({ end })).violation?.trace).to.deep.equal(["press 1"]);
  });
});

describe("model checking", function () {
  this.timeout(120_000);
  const ways: WayOut[] = [];

  for (const { name, explore: look, generated, distinct, published } of MODELS) {
    it(`${name}: ${distinct} states${published ? `, as ${published} has it` : ""}, nothing broken`, () => {
      const { ways: out = [], ...found } = look();
      ways.push(...out);
      expect(found).to.deep.equal({ generated, distinct, violation: undefined });
    });
  }

  it("docs/modelcheck.md tells who ends each kind of state, as it is", () => {
    expect(readFileSync("docs/modelcheck.md", "utf8")).to.include(endingsTable(endings(ways)));
  });

  it("is worth something: a dozen seeded faults and more", () => {
    expect(MUTANTS.length).to.be.at.least(12);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).to.equal(MUTANTS.length);
  });

  for (const { name, explore: look } of MUTANTS) {
    it(`finds: ${name}`, () => {
      expect(look().violation).to.not.equal(undefined);
    });
  }
});
