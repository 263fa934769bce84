// @long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { act } from "../../orchestrator/adjudication/act.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const BECAUSE = "The estimates name customers: this must not be published.";

/** A case waits for adjudicators elsewhere; one of them ends the whole mission instead of deciding it. */
describe("scenario: a mission that a human ends", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  const terminate = async (): Promise<undefined> => {
    const [mission] = (await missionsOf(city)) as [Address];
    await act(panelOf(city), [memberOf(city.society, "adjudicator", "adjudicator-2")], {
      action: "TERMINATE_MISSION",
      mission,
      caseHash: await city.client.mission(mission).missionCaseHash(),
      because: BECAUSE,
    });
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "19");
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    outcome = await carryOutIn(city, text, { id: "ended", home, judge: { simulated: false, decide: terminate } });
  });
  after(() => city?.close());

  it("says who ended it and why, on the screen's terms and in the report", () => {
    expect(outcome.status).to.equal("aborted");
    expect(outcome.human).to.deep.equal([
      { node: "the mission", action: "ended the mission", adjudicator: "adjudicator-2", simulated: false, because: BECAUSE },
    ]);
    expect(outcome.failure?.reason).to.equal(`adjudicator-2 ended the mission: "${BECAUSE}"`);
    const report = readFileSync(outcome.report, "utf8");
    expect(report).to.include(`Adjudicator-2 ended the mission: "${BECAUSE}"\n\nWhat to do: Change what they object to`);
    expect(report).to.match(/Nothing was handed out\. \d+ tasks were done before/);
    expect(report).to.include("| report | ").and.to.include("| stopped with the mission |");
  });

  it("pays what was done by then, and an auditor finds the reason that was signed", async () => {
    expect(balances(outcome.money)).to.equal(true);
    expect(BigInt(outcome.money.paid) > 0n && BigInt(outcome.money.refunded) > 0n).to.equal(true);
    expect(outcome.slashed).to.equal("0");
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
