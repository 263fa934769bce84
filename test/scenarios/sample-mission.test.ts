import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { MAX_ROWS } from "../../services/shared/markdown.ts";
import { missionBallot } from "../support/ballot.ts";
import { expectInvariantsAt } from "../support/city-home.ts";
import { type CliRun, outcomeIn, runCli } from "../support/cli.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** `npm start` as a newcomer runs it: in an empty folder, nothing prepared. */
describe("scenario: the sample mission", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let first: CliRun;
  let other: CliRun;
  let outcome: Outcome;

  const startIn = (folder: string, ...args: string[]) => {
    mkdirSync(join(directory(), folder));
    return runCli(["start", ...args], { home: ".agentcity", cwd: join(directory(), folder) });
  };

  before(async () => {
    first = await startIn("one", "--json");
    other = await startIn("two", "--seed", "8");
    outcome = outcomeIn(first);
  });

  it("ends well, with one document on stdout and progress on stderr only", () => {
    expect(first, first.stderr).to.deep.include({ code: 0, signal: null });
    expect(first.stdout.trimEnd().split("\n")).to.have.length(1);
    expect(first.stderr).to.match(/city founded and sealed[\s\S]*report done: 9 of 9 tasks/);
    expect(first.stderr).to.not.match(/Warning|Error/);
    expect(outcome).to.deep.include({ status: "completed", name: "dependency-licences", chainId: 31337, seed: "7" });
  });

  it("is decided by eight ballots, counted as the rules say", () => {
    const { ballots, pairwise, law, winner } = outcome;
    expect(law).to.deep.include({ producers: 8, principals: 4, fidelity: true });
    expect(new Set(ballots.map(({ agent }) => agent)).size).to.equal(8);
    expect(law.candidates.length).to.be.at.least(3);
    const counted = missionBallot(outcome);
    expect(counted.pairwise).to.deep.equal(pairwise);
    for (const [i, row] of pairwise.entries())
      for (const [j, ahead] of row.entries()) if (i !== j) expect(ahead + (pairwise[j]?.[i] ?? 0)).to.equal(ballots.length);
    expect(counted.unbeaten).to.include(winner?.entry);
    expect(law.candidates.map(({ title }) => title)).to.include(winner?.title);
  });

  it("is executed by agents of several services whose differences the report lists", () => {
    const { nodes } = outcome;
    expect(nodes.length).to.be.within(8, 12);
    expect(nodes.map(({ state }) => state)).to.deep.equal(nodes.map(() => "COMPLETED"));
    const redundant = nodes.filter(({ tier }) => tier === 2);
    for (const { executors } of redundant) {
      expect(new Set(executors.map(({ agent }) => agent)).size).to.equal(3);
      expect(new Set(executors.map(({ service }) => service)).size).to.equal(3);
    }
    const dissent = redundant.reduce((sum, node) => sum + node.dissent, 0);
    expect(dissent).to.be.above(0);
    const report = reportOf("one", outcome);
    expect(sectionOf(report, "Where the executors differ").filter((line) => line.startsWith("| `"))).to.have.length(
      Math.min(dissent, MAX_ROWS),
    );
  });

  it("writes a report with the licences of this project's dependencies", () => {
    const lines = sectionOf(reportOf("one", outcome), "Licences");
    const counts = new Map(lines.flatMap((line) => (/^\| ([\w.-]+) \| (\d+) \|/.exec(line)?.slice(1) ? [row(line)] : [])));
    expect(counts.get("MIT")).to.be.above(100);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).to.equal(itemsOf(reportOf("one", outcome)));
  });

  it("pays out to the unit, and says that no human signed", () => {
    const { money, settlement, human, reputations } = outcome;
    expect(money.deposit).to.equal("1200000000");
    expect(balances(money)).to.equal(true);
    const wages = outcome.nodes.flatMap(({ executors }) => executors).reduce((sum, { paid }) => sum + BigInt(paid), 0n);
    expect(wages.toString()).to.equal(money.paid);
    expect(settlement.closed).to.equal(true);
    expect(outcome.slashed).to.equal("0");
    expect(human).to.have.length(1);
    expect(human[0]).to.deep.include({ node: "report", action: "approved", simulated: true });
    expect(reputations.some(({ before, after }) => after > before)).to.equal(true);
  });

  it("is another for another seed; the screen says it all in words", () => {
    expect(other, other.stderr).to.deep.include({ code: 0 });
    expect(other.stdout).to.match(/^COMPLETED {2}dependency-licences · \d+ s$/m);
    for (const heading of ["ASKED", "RESULT", "UNSURE", "LAW", "WORK", "HUMAN", "COST", "REPORT", "CHECK", "MORE"])
      expect(other.stdout).to.match(new RegExp(`^${heading}\\b`, "m"));
    expect(other.stdout).to.match(/approved by a simulated adjudicator-\d; nobody was asked/);
    expect(other.stdout).to.match(/1,200\.00 tokens deposited, [\d.,]+ spent, [\d.,]+ came back to you/);
    expect(other.stdout.split("\n").filter((line) => line.length > 80)).to.deep.equal([]);
    expect(other.stdout).to.not.contain(outcome.law.lawHash?.slice(0, 10));
    const [, path = ""] = /^REPORT +(\S+)$/m.exec(other.stdout) ?? [];
    expect(existsSync(join(directory(), "two", path))).to.equal(true);
  });

  it("keeps the paper's five invariants, as whoever opens its city afterwards can see", () =>
    expectInvariantsAt(join(directory(), "one", ".agentcity"), "7", outcome));

  /** What the executors wrote, out of its quotation. */
  function reportOf(folder: string, { report }: Outcome): string {
    const lines = readFileSync(join(directory(), folder, ".agentcity", report), "utf8").split("\n");
    return lines.flatMap((line) => /^> ?(.*)$/.exec(line)?.[1] ?? []).join("\n");
  }
});

/** Lines under a heading of the report. */
function sectionOf(report: string, heading: string): string[] {
  const [, section = ""] = report.split(`\n#### ${heading}\n`);
  return (section.split("\n#### ")[0] ?? "").split("\n");
}

function row(line: string): [string, number] {
  const [, name = "", count = ""] = /^\| ([\w.-]+) \| (\d+) \|/.exec(line) ?? [];
  return [name, Number(count)];
}

/** The number of items that the report names first. */
function itemsOf(report: string): number {
  return Number(/^(\d+) items/m.exec(report)?.[1]);
}
