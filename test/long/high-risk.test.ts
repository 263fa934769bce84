import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { expectInvariantsAt, foundHome } from "../support/city-home.ts";
import { outcomeIn, refusalIn, runCli } from "../support/cli.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const waitingSchema = z.looseObject({
  status: z.literal("waiting"),
  for: z.literal("APPROVE_CODIFICATION"),
  file: z.string(),
  request: z.looseObject({ session: z.string(), refused: z.string().nullable() }),
});
const signedSchema = z.looseObject({ status: z.literal("signed"), approval: z.looseObject({ adjudicator: z.string() }) });

/** Its process is killed while it waits, a person signs in another one, and a third one goes on. */
describe("scenario: a mission of HIGH risk", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");
  const file = () => join(directory(), "mission.yaml");
  const cli = (args: readonly string[], stopAt?: string) =>
    runCli([...args, "--json"], { home: home(), limitMs: 280_000, ...(stopAt === undefined ? {} : { stopAt }) });
  const run = (stopAt?: string) => cli(["mission", file()], stopAt);
  const waiting = async () => {
    const { code, stdout } = await run();
    expect(code).to.equal(3);
    return waitingSchema.parse(JSON.parse(stdout));
  };

  before(async () => {
    await foundHome(home(), "31");
    // A consensus of HIGH risk needs five producing principals, and the demonstration has four.
    const { read, estimate } = readAndEstimate(0.85);
    const alone = { service: estimate.service[0], after: estimate.after, tier: 1 };
    const tasks = { read, estimate: alone, report: { service: "aggregate", after: ["estimate"], tier: 1 } };
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { budget: "12000.00", risk: "HIGH", tasks });
    writeFileSync(file(), text);
  });

  it("has nothing to sign for before a session waits", async () => {
    const early = await cli(["approve-codification", "--as", "adjudicator-3"]);
    expect(early.code).to.equal(1);
    expect(refusalIn(early).code).to.equal("NothingWaits");
  });

  it("waits through a SIGKILL for an adjudicator, and goes on from the signature to a mission that audits", async () => {
    expect(await run("legislature:audit-awaited")).to.include({ signal: "SIGKILL", stoppedAt: "legislature:audit-awaited" });
    const asked = await waiting();
    expect(asked.request).to.include({ session: "1", refused: null });
    expect(refusalIn(await cli(["approve-codification", "--as", "sponsor"])).code).to.equal("NoSuchSeat");

    const refused = await cli(["start"]);
    expect(refusalIn(refused).code).to.equal("CityWaits");
    expect(refused.stderr).to.contain("session 1 (small-estimates) waits for an adjudicator, its deposit of 12,000.00 is paid");
    expect(refused.stderr).to.contain(`to continue it: agentcity mission ${file()} --json`);

    const signed = await cli(["approve-codification", "--as", "adjudicator-3", "--because", "In order."]);
    expect(signedSchema.parse(JSON.parse(signed.stdout)).approval.adjudicator).to.match(/^0x/);
    expect(signed.stderr).to.contain("ApproveCodification for 0x").and.to.contain("In order.");

    const outcome = outcomeIn(await run());
    const { status, bundle, law } = outcome;
    expect({ status, fidelity: law.fidelity }).to.deep.equal({ status: "completed", fidelity: true });
    await expectInvariantsAt(home(), "31", outcome);
    const report = await auditBundle(join(home(), bundle ?? ""));
    expect(report.checks.find(({ name }) => name === "APPROVALS")?.findings).to.deep.equal([]);
    expect(report.checks.find(({ name }) => name === "DELEGATIONS")?.findings).to.deep.equal([]);
    expect(refusalIn(await cli(["approve-codification", "--as", "adjudicator-3"])).code).to.equal("NothingWaits");
  });
});
