import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome, purseOf } from "../support/city-home.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** The offices have signed; before their word is on chain the sponsor changes its mind. */
describe("scenario: a session whose sponsor cancels", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const DEPOSIT = 300_000_000n;
  let city: City;
  let outcome: Outcome;
  let purseBefore: bigint;
  let feesBefore: bigint;
  const fees = () => city.client.token.balanceOf(city.client.treasury.address);
  const cancel = async () => {
    const session = await city.client.legislation.sessionCount();
    const { account } = memberOf(city.society, "sponsor");
    await city.client.legislation.cancel([session], { intent: intentKey("test", "cancel"), account });
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "17", { boundary: async (name) => (name === "legislature:approval-signed" ? cancel() : undefined) });
    [purseBefore, feesBefore] = [await purseOf(city), await fees()];
    outcome = await carryOutIn(city, smallMission(smallInputs(directory()).csv), { id: "cancelled", home });
  });
  after(() => city?.close());

  it("makes no mission, though a law had won", async () => {
    expect(outcome.status).to.equal("no-law");
    expect(outcome.ballots).to.have.length(8);
    expect(outcome.law.lawHash).to.equal(null);
    expect(await missionsOf(city)).to.deep.equal([]);
  });

  it("says in its report who ended it, what stood for election and what it cost, and advises nothing that would not help", () => {
    const report = readFileSync(outcome.report, "utf8");
    expect(outcome.failure?.reason).to.equal("no law was made: the sponsor cancelled the session");
    expect(report).to.include("What to do: Run the mission again if it is still wanted.").and.to.not.include("larger budget");
    expect(report).to.include("8 of 8 agents voted; no law was made.\n\n| law | proposed by | put first by |");
    for (const { title, entry } of outcome.law.candidates) if (entry > 0) expect(report).to.include(`| "${title}" | P`);
    expect(report).to.include("300.00 tokens were deposited, 10.00 were spent, 290.00 came back to the sponsor.");
  });

  it("costs the session's fee, and not a unit more", async () => {
    const { rules } = await city.client.legislation.sessionOf(BigInt(outcome.session));
    expect(rules.fee > 0n).to.equal(true);
    const [withdrawn] = await city.client.legislation.history("DepositWithdrawn");
    expect(withdrawn?.args.amount).to.equal(DEPOSIT - rules.fee);
    expect(purseBefore - (await purseOf(city))).to.equal(rules.fee);
    expect((await fees()) - feesBefore).to.equal(rules.fee);
    expect(await city.client.token.balanceOf(city.client.legislation.address)).to.equal(0n);
  });

  it("reports what was paid in, kept and given back", () => {
    const { deposit, fees: kept, refunded, paid } = outcome.money;
    expect(balances(outcome.money)).to.equal(true);
    expect([deposit, paid]).to.deep.equal([DEPOSIT.toString(), "0"]);
    expect(BigInt(kept) > 0n).to.equal(true);
    expect(BigInt(refunded)).to.equal(DEPOSIT - BigInt(kept));
  });
});
