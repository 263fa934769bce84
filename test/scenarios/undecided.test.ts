// @long
import { join } from "node:path";
import { expect } from "chai";
import { stringToHex } from "viem";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { exitsIn } from "../support/exits.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const REASON = stringToHex("an output drifts from its task", { size: 32 });
const DOUBT = 10n;

/** A monitor stops a node before its work is committed, and no adjudicator decides anything: neither that, nor what the human tier made. */
describe("scenario: a mission whose adjudicators are silent", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let isFrozen = false;

  const freezeFirst = async (): Promise<void> => {
    if (isFrozen) return;
    isFrozen = true;
    const [mission] = await missionsOf(city);
    await city.client.mission(mission as Address).report([0, REASON, DOUBT], {
      intent: intentKey("test", "report"),
      account: memberOf(city.society, "monitor").account,
    });
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "13", { boundary: async (name) => (name === "execution:invoked" ? freezeFirst() : undefined) });
    outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), {
      id: "undecided",
      home,
      judge: { simulated: false, decide: ({ deadline }) => city.chain.clock.sleepUntil(BigInt(deadline) + 1n).then(() => undefined) },
    });
  });
  after(() => city?.close());

  it("leaves a record of each attempt that nobody decided, at nobody's fault", () => {
    const exits = exitsIn(outcome.bundle);
    const ends = exits.map(({ exit, ended_by }) => [exit, ended_by?.reason]);
    expect(ends).to.deep.include.members([
      ["UNVERIFIABLE", "FREEZE_EXPIRED"],
      ["UNVERIFIABLE", "REVIEW_EXPIRED"],
    ]);
    for (const { slashed } of exits) expect(slashed).to.equal(undefined);
  });

  it("slashes nobody, and costs the mission no unit that was not earned", () => {
    expect(outcome.status).to.equal("failed");
    expect(outcome.slashed).to.equal("0");
    expect(balances(outcome.money)).to.equal(true);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
