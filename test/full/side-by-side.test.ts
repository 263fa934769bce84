import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** One sponsor's allowance, every agent's nonce and free stake, relayers and chain time are shared by all of them. */
describe("scenario: three missions side by side", function () {
  this.timeout(280_000);
  const directory = suiteDirectory();
  let city: City;
  let outcomes: readonly Outcome[];
  let spent: bigint;

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "12");
    const before = await purseOf(city);
    const { csv } = smallInputs(directory(), CALM_ROWS);
    outcomes = await Promise.all(
      ["120.00", "130.00", "140.00"].map((budget, number) =>
        city.chain.clock.run(() => carryOutIn(city, smallMission(csv, { budget }), { id: `side-${number}`, home })),
      ),
    );
    spent = before - (await purseOf(city));
  });
  after(() => city?.close());

  it("all complete, each in a session and a contract of its own", () => {
    expect(outcomes.map(({ status }) => status)).to.deep.equal(["completed", "completed", "completed"]);
    expect(new Set(outcomes.map(({ session }) => session)).size).to.equal(3);
    expect(new Set(outcomes.map(({ mission }) => mission)).size).to.equal(3);
  });

  it("account for every unit, one by one and together, and leave no allowance behind", async () => {
    expect(outcomes.map(({ money }) => balances(money))).to.deep.equal([true, true, true]);
    expect(outcomes.map(({ money }) => money.deposit)).to.deep.equal(["120000000", "130000000", "140000000"]);
    expect(spent).to.equal(outcomes.reduce((sum, { money }) => sum + BigInt(money.deposit) - BigInt(money.refunded), 0n));
    const { account } = memberOf(city.society, "sponsor");
    expect(await city.client.token.allowance(account.address, city.client.legislation.address)).to.equal(0n);
  });

  it("leave bundles that an auditor accepts", async () => {
    for (const { bundle } of outcomes) expect((await auditBundle(bundle ?? "")).passed).to.equal(true);
  });
});
