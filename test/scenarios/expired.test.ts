// @long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { exitSchema } from "../../orchestrator/execution/exits.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { parseJson } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { logOf, textOf } from "../city/audit/forgery.ts";
import { carryOutIn, missionsOf, openHome, purseOf } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** A mission whose city stops at a boundary, and nobody is there until its time is over. */
async function expired(directory: string, boundary: string) {
  const home = join(directory, "home");
  const order = { id: "expired", home };
  let isStopped = false;
  const stop = async (name: string) => {
    if (isStopped || name !== boundary) return;
    isStopped = true;
    throw new RangeError("the city stopped");
  };
  const text = smallMission(smallInputs(directory, CALM_ROWS).csv);
  const city = await openHome(home, "15", { boundary: stop });
  const purseBefore = await purseOf(city);
  expect(await rejection(carryOutIn(city, text, order))).to.have.property("message", "the city stopped");
  const [mission] = (await missionsOf(city)) as [Address];
  const contract = city.client.mission(mission);
  const [bystander] = membersOf(city.society, "relayer");
  const abort = (name: string) => contract.abort([], { intent: intentKey("test", "abort", name), account: bystander?.account });
  const early = await rejection(abort("early"));
  await city.chain.clock.sleepUntil(BigInt(await contract.expiresAt()) + 1n);
  await abort("late");
  const { ending } = await contract.watch();
  return { city, purseBefore, mission, early, ending, outcome: await carryOutIn(city, text, order) };
}

describe("scenario: a mission that expires when something was committed", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let found: Awaited<ReturnType<typeof expired>>;
  before(async () => {
    found = await expired(directory(), "execution:committed");
  });
  after(() => found?.city.close());

  it("ends when that is decided, pays for it, and leaves a bundle that an auditor accepts", async () => {
    const { outcome, ending } = found;
    expect(ending).to.equal(true);
    expect(outcome.status).to.equal("aborted");
    const states = outcome.nodes.map(({ state }) => state);
    expect(states).to.include("COMPLETED");
    expect(states).to.not.include.members(["PENDING_VERIFICATION", "PENDING_REVIEW", "FAILED"]);
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.money.paid).to.not.equal("0");
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

describe("scenario: a mission that expires", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let purseBefore: bigint;
  let mission: Address;
  let early: unknown;

  before(async () => {
    ({ city, outcome, purseBefore, mission, early } = await expired(directory(), "execution:invoked"));
  });
  after(() => city?.close());

  it("can be ended by anybody then, and not before", () => {
    expect(String(early)).to.match(/NotExpired/);
    expect(outcome.status).to.equal("aborted");
    expect(outcome.nodes.map(({ state }) => state)).to.not.include("COMPLETED");
  });

  it("says in its report that time was over, how much was done, and what would help", () => {
    const { failure, nodes } = outcome;
    expect(failure?.reason).to.equal(`the mission's time was over before its work was done: 0 of ${nodes.length} tasks were`);
    expect(failure?.action).to.include("longer `deadline`");
    expect(readFileSync(outcome.report ?? "", "utf8")).to.include("The mission's time was over before its work was done");
  });

  it("pays nobody, slashes nobody, and gives the deposit back to the unit", async () => {
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.money).to.deep.include({ paid: "0", fees: "0", refunded: outcome.money.deposit });
    expect(outcome.slashed).to.equal("0");
    expect(await purseOf(city)).to.equal(purseBefore);
    expect(await city.client.token.balanceOf(mission)).to.equal(0n);
  });

  it("leaves a record of how each award ended: called off, at nobody's fault", () => {
    const files = new Map(openBundle(outcome.bundle ?? "").files);
    const valuesOf = (wanted: string) =>
      logOf(files).flatMap(({ kind, content }) =>
        kind === wanted && content !== null ? [parseJson(textOf(files, `blocks/${content}`))] : [],
      );
    const exits = valuesOf("execution.exit").map((value) => exitSchema.parse(value).exit);
    expect(exits.length).to.equal(valuesOf("execution.obligation").length).and.to.be.greaterThan(0);
    for (const { exit, ended_by, slashed, collateral_action, passport_delta } of exits) {
      expect([exit, ended_by?.reason, slashed, collateral_action?.type]).to.deep.equal(["CANCELLED", "MISSION_OVER", undefined, "return"]);
      for (const name of Object.keys(passport_delta)) expect(name).to.match(/\.cancelled_obligations$/);
    }
  });

  it("leaves no stake of its executors locked", async () => {
    for (const { account } of membersOf(city.society, "producer"))
      expect((await city.client.agents.stakeOf(account.address)).locked).to.equal(0n);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
