// @long
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openRuns } from "../../orchestrator/city/missions/runs.ts";
import { foundHome, openHome } from "../support/city-home.ts";
import { outcomeIn, refusalIn, runCli } from "../support/cli.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** A refusal takes seconds; only the first look at a chain that does not answer takes longer. */
const LIMIT_MS = 60_000;
const SEED = "7";

describe("cli: bad input", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let home: string;
  let csv: string;
  const path = (name: string) => join(directory(), name);

  before(async () => {
    home = path("home");
    ({ csv } = smallInputs(directory()));
    await foundHome(home, SEED);
  });
  afterEach("nothing is half-written", () => {
    expect(existsSync(join(home, "missions"))).to.equal(false);
    expect(existsSync(join(home, "embedded", "lock"))).to.equal(false);
  });

  async function refused(text: string, ...more: string[]) {
    writeFileSync(path("bad.yaml"), text);
    const run = await runCli(["mission", path("bad.yaml"), "--json", ...more], { home, limitMs: LIMIT_MS });
    expect(run.code).to.equal(1);
    const refusal = refusalIn(run);
    expect(run.stderr)
      .to.contain(refusal.code)
      .and.to.not.match(/\n {4}at /);
    return refusal;
  }

  it("a key nobody knows: the line, and the key that was meant", async () => {
    const { code, message } = await refused(smallMission(csv).replace("deadline:", "dedline:"));
    expect(code).to.equal("UnknownKey");
    expect(message)
      .to.match(/^bad\.yaml:4:1: /)
      .and.to.match(/did you mean deadline\?/);
  });

  it("no mission file", async () => {
    const run = await runCli(["mission", path("none.yaml"), "--json"], { home, limitMs: LIMIT_MS });
    expect(run.code).to.equal(1);
    expect(refusalIn(run).code).to.equal("MissionFileMissing");
  });

  it("an input that is not there, in the file or on the command line", async () => {
    expect((await refused(smallMission("nowhere.csv"))).code).to.equal("InputNotFound");
    expect((await refused(smallMission(csv), "--input", path("nowhere"))).code).to.equal("InputNotFound");
  });

  it("a budget over the cap", async () => {
    expect((await refused(smallMission(csv, { budget: "99999999.00" }))).code).to.equal("BudgetOverCap");
  });

  it("tasks that wait for each other", async () => {
    const tasks = { a: { service: "sort", after: ["b"], tier: 1 }, b: { service: "sort", after: ["a"], tier: 1 } };
    const { code, message } = await refused(smallMission(csv, { tasks, output: { task: "a", format: "json" } }));
    expect(code).to.equal("CyclicTasks");
    expect(message).to.match(/a → b → a|b → a → b/);
  });

  it("no tasks, and an output that names one", async () => {
    expect((await refused(smallMission(csv, { tasks: {} }))).code).to.equal("MissingField");
    expect((await refused(smallMission(csv, { tasks: undefined }))).code).to.equal("UnknownTask");
  });

  it("a goal alone that no service reaches, before a session is opened", async () => {
    const goal = "Translate these rows into French.";
    const { code, message } = await refused(smallMission(csv, { goal, tasks: undefined, output: undefined }));
    expect(code).to.equal("NoPlan");
    expect(message).to.contain("translate");
    expect(openRuns(join(home, "embedded"))).to.deep.equal([]);
  });

  it("a deadline that is too short, which leaves no run to be continued", async () => {
    const { code, message } = await refused(smallMission(csv, { deadline: "2s" }));
    expect(code).to.equal("GoalNotFeasible");
    expect(message).to.contain("its deadline of 2 s is too short");
    expect(openRuns(join(home, "embedded"))).to.deep.equal([]);
  });

  it("a directory of services that is not there", async () => {
    expect((await refused(smallMission(csv, { services: path("nowhere") }))).code).to.equal("ServicesNotFound");
  });

  it("a chain that does not answer", async () => {
    expect((await refused(smallMission(csv), "--network", "anvil", "--rpc", "http://127.0.0.1:1")).code).to.equal("RpcUnreachable");
    expect((await refused(smallMission(csv), "--rpc", "http://127.0.0.1:1")).code).to.equal("InvalidValue");
    expect((await refused(smallMission(csv), "--network", "base")).code).to.equal("TokenMissing");
  });

  it("another seed than the city's", async () => {
    expect((await refused(smallMission(csv), "--seed", "8")).code).to.equal("SeedDiffers");
  });

  it("flags and commands nobody knows: exit 2", async () => {
    for (const args of [["mission", path("bad.yaml"), "--fast"], ["mission"], ["dance"], ["start", "--sed", "7"]]) {
      const run = await runCli(args, { home, limitMs: LIMIT_MS });
      expect(run.code, args.join(" ")).to.equal(2);
      expect(run.stdout).to.equal("");
      expect(run.stderr).to.match(/^error: /);
    }
  });

  it("a city that another process owns", async () => {
    const city = await openHome(home, SEED);
    try {
      writeFileSync(path("good.yaml"), smallMission(csv));
      for (const args of [
        ["mission", path("good.yaml"), "--json"],
        ["start", "--json"],
      ]) {
        const run = await runCli(args, { home, limitMs: LIMIT_MS });
        expect(run.code).to.equal(1);
        const { code, message } = refusalIn(run);
        expect(code).to.equal("CityBusy");
        expect(message).to.contain(String(process.pid));
      }
    } finally {
      await city.close();
    }
  });
});

describe("cli: after bad input", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();

  it("the city is as good as before", async () => {
    const { csv } = smallInputs(directory());
    const home = join(directory(), "home");
    const file = join(directory(), "mission.yaml");
    writeFileSync(file, smallMission("nowhere.csv"));
    const bad = await runCli(["mission", file, "--json"], { home, limitMs: LIMIT_MS });
    expect(refusalIn(bad).code).to.equal("InputNotFound");
    writeFileSync(
      file,
      smallMission(csv, { tasks: { hash: { service: "hash", over: "input", tier: 1 } }, output: { task: "hash", format: "json" } }),
    );
    const good = await runCli(["mission", file, "--json"], { home });
    expect(good, good.stderr).to.deep.include({ code: 0 });
    expect(outcomeIn(good)).to.deep.include({ status: "completed", session: "1" });
    expect(readdirSync(join(home, "missions"))).to.have.length(1);
  });
});
