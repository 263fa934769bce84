import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { foundHome, missionsOf, openHome } from "../support/city-home.ts";
import { type CliRun, outcomeIn, refusalIn, runCli } from "../support/cli.ts";
import { expectPaperInvariants } from "../support/paper-invariants.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** The same command given twice at once: two processes race for one city and one mission. */
describe("fault: two orchestrators race on one mission", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");
  let winners: CliRun[];
  let losers: CliRun[];
  let outcome: Outcome;

  before(async () => {
    const file = join(directory(), "mission.yaml");
    writeFileSync(file, smallMission(smallInputs(directory(), CALM_ROWS).csv));
    await foundHome(home(), "31");
    const args = ["mission", file, "--seed", "31", "--json"];
    const runs = await Promise.all([runCli(args, { home: home(), limitMs: 380_000 }), runCli(args, { home: home(), limitMs: 380_000 })]);
    winners = runs.filter(({ code }) => code === 0);
    losers = runs.filter(({ code }) => code !== 0);
    outcome = outcomeIn(winners[0]!);
  });

  it("one owns the city; the other is told by name, and has done nothing", () => {
    expect([winners.length, losers.length]).to.deep.equal([1, 1]);
    expect(refusalIn(losers[0]!)).to.include({ code: "CityBusy" });
  });

  it("the mission happens once, and ends with every unit accounted for", async () => {
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    const city = await openHome(home(), "31");
    expect(await missionsOf(city)).to.have.length(1);
    await expectPaperInvariants(city, outcome);
    await city.close();
  });
});
