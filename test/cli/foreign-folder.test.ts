import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { beginRun } from "../../orchestrator/city/missions/runs.ts";
import { foundHome } from "../support/city-home.ts";
import { refusalIn, runCli } from "../support/cli.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** A refusal takes seconds. */
const LIMIT_MS = 60_000;
const SEED = "7";

describe("cli: a folder that is no city's", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();

  it("is refused by every command that would found a city there, and stays as it is", async () => {
    const home = join(directory(), "home");
    for (const network of ["embedded", "session"]) {
      mkdirSync(join(home, network), { recursive: true });
      writeFileSync(join(home, network, "main.c"), "int main;");
    }
    writeFileSync(join(directory(), "mission.yaml"), smallMission(smallInputs(directory()).csv));
    for (const args of [
      ["start"],
      ["start", "--new-city"],
      ["mission", join(directory(), "mission.yaml")],
      ["session", "--agents", "30"],
    ]) {
      const run = await runCli([...args, "--json"], { home, limitMs: LIMIT_MS });
      expect(run.code, args.join(" ")).to.equal(1);
      expect(refusalIn(run).code).to.equal("NotACity");
    }
    for (const network of ["embedded", "session"]) expect(readdirSync(join(home, network))).to.deep.equal(["main.c"]);
    expect(readdirSync(home)).to.deep.equal(["embedded", "session"]);
  });

  it("is not taken for one while a run waits in the city that is there", async () => {
    const home = join(directory(), "waiting");
    await foundHome(home, SEED);
    const run = { mission: "audit", command: "agentcity mission high.yaml", decides: "terminal" } as const;
    beginRun(join(home, "embedded"), { command: "mission" }, run, false);
    const refused = await runCli(["start", "--json"], { home, limitMs: LIMIT_MS });
    expect(refused.code).to.equal(1);
    expect(refusalIn(refused).code).to.equal("CityWaits");
    expect(refused.stderr).to.contain("audit has not ended; to continue it: agentcity mission high.yaml");
    expect(readdirSync(home)).to.deep.equal(["embedded"]);
  });
});
