import { join } from "node:path";
import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Others use the chain while the work waits for its panel: more blocks than it remembers. */
describe("scenario: a panel that the chain has forgotten", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  let city: City;
  let isBusy = true;

  before(async () => {
    city = await openHome(join(directory(), "home"), "31", {
      progress: (line) => told.push(line),
      boundary: async (name) => {
        if (name !== "execution:guarded" || !isBusy) return;
        isBusy = false;
        for (let i = 0; i < 260; i++) await city.client.constitution.pulse([], { intent: intentKey("stranger", "pulse", i) });
      },
    });
  });
  after(() => city?.close());

  it("is drawn again, and the mission ends as ever", async () => {
    const home = join(directory(), "home");
    const outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id: "forgotten", home });
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    const redrawn = await city.client.mission(outcome.mission as Address).history("PanelRedrawn");
    expect(redrawn).to.not.have.length(0);
    expect(
      told.filter((line) => line.endsWith("the hash that drew its panel is no longer available; drawing another panel")),
    ).to.have.length(redrawn.length);
    expect(outcome.slashed).to.equal("0");
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
