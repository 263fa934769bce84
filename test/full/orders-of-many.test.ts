import { join } from "node:path";
import { expect } from "chai";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { openHome } from "../support/city-home.ts";
import { executedSchema, OVERRIDE, refusalIn, runCli, signedSchema } from "../support/cli.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const BECAUSE = ["--because", "All of us looked at a year of sessions."];

/** A city lives in this process; adjudicators sign in others, one after the other. */
describe("orders that need many signatures", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");
  const override = (args: readonly string[]) => runCli([...args, "--json"], { home: home(), program: OVERRIDE });
  let city: City;

  before(async () => {
    city = await openHome(home(), "41");
  });
  after(() => city?.close());

  it("changes the constitution when a second adjudicator signs the same order", async () => {
    const index = parameterIndex("TURNOUT_QUORUM");
    const args = ["amend", "turnout_quorum", "6500", ...BECAUSE];
    expect((await override([...args, "--as", "adjudicator-1", "--dry-run"])).stderr).to.contain(
      "change TURNOUT_QUORUM from 6000 to 6500 bps",
    );
    const first = signedSchema.parse(JSON.parse((await override([...args, "--as", "adjudicator-1"])).stdout));
    expect(first).to.include({ signatures: 1, needed: 2 });
    expect(refusalIn(await override(["relay", first.file])).message).to.contain("NotEnoughSignatures");
    expect(await city.client.constitution.param(index)).to.equal(6000n);
    await override(["sign-only", first.file, "--as", "adjudicator-2"]);
    executedSchema.parse(JSON.parse((await override(["relay", first.file])).stdout));
    expect(await city.client.constitution.param(index)).to.equal(6500n);
  });

  it("removes an adjudicator when two thirds sign, and its signature is worth nothing from then on", async () => {
    const seats = membersOf(city.society, "adjudicator");
    const target = seats[6]?.account.address ?? "";
    const { file, needed } = signedSchema.parse(
      JSON.parse((await override(["impeach", target, "--as", "adjudicator-1", ...BECAUSE])).stdout),
    );
    expect(needed).to.equal(5);
    for (const { name: seat } of seats.slice(1, needed)) await override(["sign-only", file, "--as", seat]);
    executedSchema.parse(JSON.parse((await override(["relay", file])).stdout));
    const barred = await override(["adjust-reputation", target, "5", "--as", "adjudicator-7", ...BECAUSE]);
    expect(refusalIn(barred).message).to.contain("NotAdjudicator");
  });
});
