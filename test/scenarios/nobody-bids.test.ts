// @long
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { Offer } from "../../orchestrator/minds/mind.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Makes laws like anybody, and takes no work. */
class IdleMind extends HeuristicMind {
  override async bid(): Promise<readonly Offer[]> {
    return [];
  }
}

describe("scenario: a mission nobody bids on", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let purseBefore: bigint;

  before(async () => {
    city = await openHome(join(directory(), "home"), "11");
    purseBefore = await purseOf(city);
    outcome = await carryOutIn(city, smallMission(smallInputs(directory()).csv), {
      id: "idle",
      home: join(directory(), "home"),
      makeMind: (seat) => new IdleMind(seat),
    });
  });
  after(() => city?.close());

  it("becomes law, and ends without a day's work", () => {
    expect(outcome.status).to.equal("aborted");
    expect(outcome.law.lawHash).to.not.equal(null);
    expect(outcome.market.bids).to.equal(0);
    expect(outcome.nodes.flatMap(({ executors }) => executors)).to.deep.equal([]);
    const states = new Set(outcome.nodes.map(({ state }) => state));
    expect(states).to.deep.equal(new Set(["FAILED", "WAITING"]));
  });

  it("costs its sponsor nothing: the deposit goes back to the unit", async () => {
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.money).to.deep.include({ deposit: "300000000", refunded: "300000000", paid: "0", fees: "0" });
    expect(await purseOf(city)).to.equal(purseBefore);
    expect(outcome.slashed).to.equal("0");
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
