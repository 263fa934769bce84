import { readFileSync } from "node:fs";
import { expect } from "chai";
import {
  DEVNET,
  PARAMETERS,
  PROTOTYPE,
  parameter,
  parameterFaults,
  parameterIndex,
  RELATIONS,
} from "../../../orchestrator/protocol/parameters.ts";
import { harnessOf } from "../harness.ts";

const DIRECTIONS = ["NONE", "UP", "DOWN"] as const;

interface Entry {
  min: bigint;
  max: bigint;
  high: boolean;
  locked: boolean;
  weaker: number;
}

interface Relation {
  ascends: boolean;
  outlasted: bigint;
  counterpart: bigint;
}

describe("constitutional parameters", () => {
  const harness = harnessOf("ParamRangesHarness");

  it("are the Solidity enum, name by name, in order", () => {
    const source = readFileSync(new URL("../../../contracts/types/Params.sol", import.meta.url), "utf8");
    const names = /enum Param \{([^}]*)\}/
      .exec(source)?.[1]
      ?.split(",")
      .map((name) => name.trim());
    expect(PARAMETERS.map(({ name }) => name)).to.deep.equal(names);
    expect(PARAMETERS.map(({ index }) => index)).to.deep.equal(names?.map((_, index) => index));
    expect(new Set(names).size).to.equal(names?.length);
  });

  it("agree with ParamRanges, entry by entry", async () => {
    const table = await harness.call<Entry[]>("table");
    const found = table.map(({ min, max, high, locked, weaker }) => ({ min, max, high, locked, weaker: DIRECTIONS[weaker] }));
    const expected = PARAMETERS.map(({ min, max, risk, locked, weaker }) => ({ min, max, high: risk === "HIGH", locked, weaker }));
    expect(found).to.deep.equal(expected);
  });

  it("agree with ParamRelations, entry by entry", async () => {
    const table = await harness.call<Relation[]>("relations");
    const found = table.map(({ ascends, outlasted, counterpart }) => ({ ascends, outlasted, counterpart: Number(counterpart) }));
    const pairs = new Map<string, string>(RELATIONS.whole.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));
    const lower = RELATIONS.ascending.flatMap((names): string[] => names.slice(0, -1));
    const times = new Map<string, bigint>(Object.entries(RELATIONS.outlasted.times));
    const expected = PARAMETERS.map(({ name, index }) => ({
      ascends: lower.includes(name),
      outlasted: times.get(name) ?? 0n,
      counterpart: PARAMETERS.find((other) => other.name === pairs.get(name))?.index ?? index,
    }));
    expect(found).to.deep.equal(expected);
    for (const names of RELATIONS.ascending) {
      const indices = names.map((name) => parameterIndex(name));
      expect(indices, "each list stands together in the enum").to.deep.equal(indices.map((_, i) => (indices[0] ?? 0) + i));
    }
  });

  it("have a default inside a range that is one, and fit 32 bits", () => {
    for (const { name, min, max, default: value } of PARAMETERS) {
      expect(min < max && min <= value && value <= max && max < 2n ** 32n, name).to.be.true;
    }
  });

  it("weaken in their own direction only", async () => {
    const weakens = (index: number, from: bigint, to: bigint) => harness.call<boolean>("weakens", index, from, to);
    for (const { name, index, weaker, min, max } of PARAMETERS) {
      expect(await weakens(index, min, max), name).to.equal(weaker === "UP");
      expect(await weakens(index, max, min), name).to.equal(weaker === "DOWN");
      expect(await weakens(index, min, min), name).to.be.false;
    }
  });

  it("stand together in every preset", () => {
    expect(parameterFaults(PROTOTYPE)).to.deep.equal([]);
    expect(parameterFaults(DEVNET)).to.deep.equal([]);
    expect(PROTOTYPE.PROTOCOL_FEE_RATE).to.equal(200n);
    expect(DEVNET.BIDDING_WINDOW).to.equal(parameter("BIDDING_WINDOW").min);
    expect(DEVNET.APPEAL_WINDOW_MODERATE).to.equal(3600n);
    expect(parameterIndex("MIN_REDUNDANCY_HIGH")).to.equal(PARAMETERS.length - 1);
  });

  it("say what is wrong with values that cannot stand together", () => {
    const faults = parameterFaults({
      ...PROTOTYPE,
      BID_WEIGHT_PRICE: 500n,
      UNBONDING_PERIOD: 345_600n,
      MIN_PANEL_LOW: 5n,
      ADJUDICATOR_QUORUM: 4n,
    });
    expect(faults).to.deep.equal([
      "ADJUDICATOR_QUORUM = 4 is outside 5–20",
      "MIN_PANEL_LOW = 5 exceeds MIN_PANEL_MEDIUM = 3",
      "BID_WEIGHT_QUALITY + BID_WEIGHT_PRICE = 1100, not 1000",
      "UNBONDING_PERIOD = 345600 is shorter than two draws, an appeal, a freeze, a stop and two reviews together (785400)",
    ]);
  });
});
