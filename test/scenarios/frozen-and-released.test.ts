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
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const REASON = stringToHex("an output drifts from its task", { size: 32 });
const DOUBT = 10n;

/** A monitor stops a node whose work has just been committed; a human looks at it and lets it go on. */
describe("scenario: a frozen node released", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let frozen = false;
  const asked: string[] = [];

  /** The first node that has work: its number is where law begins, 0. */
  const freezeFirst = async (): Promise<void> => {
    if (frozen) return;
    frozen = true;
    const [mission] = await missionsOf(city);
    await city.client.mission(mission as Address).report([0, REASON, DOUBT], {
      intent: intentKey("test", "report"),
      account: memberOf(city.society, "monitor").account,
    });
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "13", { boundary: async (name) => (name === "execution:committed" ? freezeFirst() : undefined) });
    outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), {
      id: "frozen",
      home,
      judge: {
        simulated: true,
        decide: async ({ label, reason }) => {
          asked.push(`${label}: ${reason}`);
          return { ruling: "approve", justification: `SIMULATED: ${label} does its task.` };
        },
      },
    });
  });
  after(() => city?.close());

  const eventsOf = (eventName: "NodeFrozen" | "NodeUnfrozen") => city.client.mission(outcome.mission as Address).history(eventName);

  it("is stopped once, and released by the signature of an adjudicator", async () => {
    expect((await eventsOf("NodeFrozen")).map(({ args }) => args.node)).to.deep.equal([0]);
    expect((await eventsOf("NodeUnfrozen")).map(({ args }) => args.node)).to.deep.equal([0]);
    const [first] = outcome.nodes;
    expect(asked).to.deep.equal([`${first?.label}: frozen`, "report: human tier"]);
    expect(outcome.human.map(({ node, action }) => [node, action])).to.deep.equal([
      [first?.label, "released it"],
      ["report", "approved"],
    ]);
  });

  it("is completed by the executor that was stopped, which loses nothing by it", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal(outcome.nodes.map(() => ["COMPLETED", 1]));
    expect(outcome.nodes[0]?.executors.map(({ result }) => result)).to.deep.equal(["agreed"]);
    expect(outcome.slashed).to.equal("0");
  });

  it("costs the mission no unit", () => {
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.settlement.closed).to.equal(true);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
