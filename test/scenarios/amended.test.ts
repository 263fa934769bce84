// @long
import { join } from "node:path";
import { expect } from "chai";
import { act } from "../../orchestrator/adjudication/act.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { type ParameterName, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Bids, fees and reputations follow the parameters of their time. */
describe("scenario: adjudicators amend what a mission's money and marks follow, before it and while it runs", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let whenAwarded: (() => Promise<void>) | undefined;

  async function amend(name: ParameterName, value: bigint): Promise<void> {
    const panel = panelOf(city);
    const data = encodeActionData("AMEND_PARAMETER", [parameterIndex(name), value]);
    const caseHash = keccak256(new TextEncoder().encode(`${name} ${value}`));
    await act(panel, panel.seats.slice(0, 2), { action: "AMEND_PARAMETER", data, caseHash, because: "A test." });
  }
  const mission = async (id: string) => {
    const home = join(directory(), "home");
    return carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id, home });
  };

  before(async () => {
    const boundary = async (name: string) => {
      if (name === "execution:routed") await whenAwarded?.();
    };
    city = await openHome(join(directory(), "home"), "27", { boundary });
  });
  after(() => city?.close());

  it("leaves bundles that an auditor accepts", async () => {
    await mission("before");
    await amend("REPUTATION_SMOOTHING", 950n);
    await amend("BID_WEIGHT_PRICE", 500n);
    await amend("VERIFIER_FEE_SHARE", 4_000n);
    let amended = 0;
    whenAwarded = async () => {
      whenAwarded = undefined;
      await amend("REPUTATION_SMOOTHING", 960n);
      await amend("BID_WEIGHT_PRICE", 600n);
      await amend("VERIFIER_FEE_SHARE", 3_000n);
      amended += 1;
    };
    const outcome = await mission("amended");
    expect(amended).to.equal(1);
    expect(outcome.status).to.equal("completed");
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
