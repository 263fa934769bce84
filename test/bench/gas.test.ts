import { expect } from "chai";
import { GAS_BUDGETS } from "../../scripts/bench/gas-budgets.ts";
import { type GasReport, type GasRow, median, overruns, readGasReport, rowsOf, staleness } from "../../scripts/bench/gas-report.ts";

const ROW: GasRow = { operation: "freeze", median: 100, samples: 3, reference: 0, budget: 100 };

describe("bench/gas.json", () => {
  const { rows } = readGasReport();

  it("has a row for every budget, and no other", () => {
    expect(rows.map(({ operation }) => operation)).to.deep.equal(GAS_BUDGETS.map(({ operation }) => operation));
  });

  it("exceeds no budget and no limit, and keeps no needless limit", () => {
    expect(overruns(rows)).to.deep.equal([]);
  });

  it("carries the budgets in force, those of ballots computed from the Governor's rows", () => {
    const samples = Object.fromEntries(rows.map((row) => [row.operation, Array<number>(row.samples).fill(row.median)]));
    expect(rowsOf(samples)).to.deep.equal(rows);
    const of = (operation: string) => rows.find((row) => row.operation === operation);
    expect(of("ballot-8")?.budget).to.equal(of("governor-castVote")?.median);
    expect(of("ballot-8-batch100")?.budget).to.equal(Math.floor((of("governor-castVoteBySig")?.median ?? 0) / 5));
  });
});

describe("the gas report", () => {
  const report = (gas: number, production = 1000): GasReport => ({
    rows: [{ ...ROW, median: gas }],
    sizes: [{ contract: "Treasury", default: 0, production }],
  });

  it("takes the median, whatever the order", () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([4, 1, 3, 2])).to.equal(3);
    expect(() => median([])).to.throw("no samples");
  });

  it("names what exceeds its budget or limit, and a limit outlived", () => {
    expect(overruns([ROW])).to.deep.equal([]);
    expect(overruns([{ ...ROW, median: 101 }])).to.deep.equal(["freeze costs 101 gas, 1 above its budget"]);
    expect(overruns([{ ...ROW, median: 121, limit: 120 }])).to.deep.equal(["freeze costs 121 gas, 1 above its limit"]);
    expect(overruns([{ ...ROW, median: 110, limit: 120 }])).to.deep.equal([]);
    expect(overruns([{ ...ROW, limit: 120 }])).to.deep.equal(["freeze meets its budget: remove its limit"]);
  });

  it("is stale when a number moved by more than three percent, either way", () => {
    expect(staleness(report(1000), report(1030))).to.deep.equal([]);
    expect(staleness(report(1000), report(1031))).to.deep.equal(["freeze: 1000 committed, 1031 measured"]);
    expect(staleness(report(1000), report(969))).to.deep.equal(["freeze: 1000 committed, 969 measured"]);
    expect(staleness(report(1000), report(1000, 1100))).to.deep.equal(["Treasury: 1000 bytes committed, 1100 compiled"]);
    expect(staleness({ rows: [], sizes: [] }, report(1000))).to.have.length(2);
  });

  it("refuses samples that lack an operation", () => {
    expect(() => rowsOf({})).to.throw("register-agent was not measured");
  });
});
