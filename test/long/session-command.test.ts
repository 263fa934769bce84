import { expect } from "chai";
import { sessionReportSchema } from "../../orchestrator/protocol/session-report.ts";
import { packRanking, pairwise } from "../../orchestrator/rules/condorcet.ts";
import { type CliRun, refusalIn, runCli } from "../support/cli.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("cli: session", function () {
  this.timeout(240_000);
  const home = suiteDirectory();
  const session = (...flags: string[]) =>
    runCli(["session", "--agents", "24", "--candidates", "6", "--seed", "7", ...flags], { home: home() });
  let json: CliRun;

  before(async () => {
    json = await session("--json");
  });

  it("prints one document: ballots, pairwise, winner, blocs, metrics, gas", () => {
    expect(json.code).to.equal(0);
    expect(json.stdout.trim().split("\n").length).to.equal(1);
    const report = sessionReportSchema.parse(JSON.parse(json.stdout));
    expect(report.status).to.equal("deployed");
    expect(report.ballots.length).to.equal(24);
    expect(report.electorate).to.deep.include({ agents: 24, planted: [] });
    expect(report.candidates.length).to.equal(6);
    expect(report.candidates[0]?.title).to.equal("no law");
    expect(new Set(report.candidates.map(({ title }) => title)).size).to.equal(6);
    expect(report.pairwise).to.deep.equal(
      pairwise(
        report.ballots.map(({ ranking }) => packRanking(ranking)),
        6,
      ),
    );
    expect(report.order[0]).to.equal(report.winner?.entry);
    expect(report.metrics.turnout).to.deep.equal({ part: report.electorate.agents, whole: report.electorate.agents });
    expect(report.gas.total).to.be.greaterThan(report.gas.ballots.gas);
    expect(report.gas.ballots.gas).to.equal(report.gas.steps.find(({ step }) => step === "castBallots")?.gas);
  });

  it("tells a newcomer why the winner won; called for by producers when asked to be, and adopted", async () => {
    const run = await session("--petition");
    const { candidates } = sessionReportSchema.parse(JSON.parse(json.stdout));
    expect(run.code).to.equal(0);
    expect(run.stdout).to.contain("candidates are compared in pairs");
    for (const { letter, title } of candidates.slice(1)) expect(run.stdout).to.contain(`${letter} ${title}`);
    for (const heading of ["WHO", "MATRIX", "RANKING", "WHY", "PIVOTAL", "BLOCS", "GAS"])
      expect(run.stdout).to.match(new RegExp(`^${heading}`, "m"));
    expect(run.stderr).to.match(/called for the session by petition[\s\S]*\d s {2}the ballot is fixed[\s\S]*adopted/);
  });

  it("shows a planted bloc on chain, and says what adjudicators made of it, and that a simulation spoke for them", async () => {
    const run = await runCli(["session", "--agents", "40", "--candidates", "8", "--bloc", "5", "--json"], { home: home() });
    expect(run.code).to.equal(0);
    const { electorate, ballots, blocs, delay, pivotal, winner, status, gas } = sessionReportSchema.parse(JSON.parse(run.stdout));
    const planted = new Set(electorate.planted);
    expect(planted.size).to.equal(5);
    expect(new Set(ballots.filter(({ agent }) => planted.has(agent)).map(({ ranking }) => ranking.join())).size).to.equal(1);
    expect(blocs).to.have.length(1);
    expect(blocs[0]!.members).to.include.members([...planted]);
    expect(blocs[0]!.tau).to.be.at.least(9_000);
    expect(gas.steps.map(({ step }) => step)).to.include.members(["flagBloc", "act"]);
    expect(delay).to.deep.include({ flagged: blocs[0]!.members.length, criticalShare: 1_000 });
    expect(delay.ruling).to.include({ simulated: true, released: pivotal.withoutFlagged === winner?.entry });
    expect(delay.ruling?.adjudicators).to.have.length(2);
    expect(status).to.equal(delay.ruling?.released === true ? "deployed" : "no-law");
  });

  it("refuses flags that make no session, before it founds anything", async () => {
    const few = await session("--agents", "6", "--json");
    expect(few.code).to.equal(1);
    expect(refusalIn(few)).to.deep.include({ code: "InvalidValue", message: "--agents: 6 agents cannot sponsor 5 laws" });
    const most = await session("--bloc", "13", "--json");
    expect(refusalIn(most).message).to.contain("13 of 24 agents would be a majority");
    for (const flags of [
      ["--agents", "many"],
      ["--candidates", "17"],
      ["--bloc", "-1"],
      ["--strategy", "loud"],
    ]) {
      const run = await session(...flags);
      expect(run.code, flags.join(" ")).to.equal(2);
      expect(run.stderr).to.contain(flags[0]);
      expect(run.stdout).to.equal("");
    }
  });
});
