import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { networkHelpers } from "../support/city-fixture.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { MissionState } from "../support/mission-fixture.ts";
import { countLeaves, depthOf, MissionTree, type Plan } from "../support/mission-tree.ts";
import { smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const UNIT = 100_000n;

/** Every mission has as many nodes as its level says, all alike; each leaf is worth a tenth of a token. */
function evenPlan([nodes, ...below]: readonly number[]): Plan {
  if (nodes === undefined) return { budget: UNIT };
  const one = evenPlan(below);
  return { budget: one.budget * BigInt(nodes), nodes: Array.from({ length: nodes }, () => one) };
}

describe("a goal of a thousand tasks", function () {
  this.timeout(3_600_000);

  it("runs as a tree of missions on the contracts, to the unit", async () => {
    const plan = evenPlan([8, 5, 25]);
    expect([countLeaves(plan), depthOf(plan)]).to.deep.equal([1000, 3]);
    const tree = await MissionTree.found();
    const { token, sponsor } = tree.house;
    const before = await token.balanceOf(sponsor.address);
    const root = await tree.grow(plan);

    expect(tree.missions.length).to.equal(1 + 8 + 40);
    expect(await tree.imbalances()).to.deep.equal([]);
    const spent = { paid: 0n, fees: 0n, insurance: 0n, discount: 0n };
    for (const { contract } of tree.missions) {
      expect([await contract.state(), (await contract.ledger()).closed]).to.deep.equal([MissionState.COMPLETED, true]);
      const ledger = await contract.ledger();
      for (const part of ["paid", "fees", "insurance", "discount"] as const) spent[part] += ledger[part];
      expect(await token.balanceOf(contract)).to.equal(0);
    }
    const { refunded, children } = await root.contract.ledger();
    const total = spent.paid + spent.fees + spent.insurance + spent.discount;
    expect([children, total + refunded]).to.deep.equal([total, plan.budget]);
    expect(before - (await token.balanceOf(sponsor.address))).to.equal(total);
    // Two hundredths of every leaf's price, and nothing at any level above.
    expect([spent.fees, spent.insurance]).to.deep.equal([plan.budget / 50n, plan.budget / 100n]);
    expect(await networkHelpers.time.latestBlock()).to.be.greaterThan(2000);
  });

  describe("through the orchestrator", () => {
    const directory = suiteDirectory();
    let city: City;
    after(() => city?.close());

    it("is legislated, executed and paid as 49 missions, and an auditor accepts every one of them", async () => {
      const csv = join(directory(), "rows.csv");
      writeFileSync(csv, `row,least,most\n${Array.from({ length: 80 }, (_, row) => `row-${row},${row},${row + 9}`).join("\n")}\n`);
      const home = join(directory(), "home");
      city = await openHome(home, "5");
      const outcome = await carryOutIn(city, thousandTasks(csv), { id: "thousand", home });
      const { money, children, status, nodes } = outcome;
      expect([status, balances(money)]).to.deep.equal(["completed", true]);
      expect(children).to.have.length(8 + 40);
      expect(new Set(children.map((child) => child.status))).to.deep.equal(new Set(["completed"]));
      expect(children.reduce((sum, { leaves }) => sum + leaves, 0)).to.equal(1000);
      expect(nodes).to.have.length(8 + 1);
      for (const { mission, money: own } of children) {
        expect(balances(own)).to.equal(true);
        expect(await city.client.token.balanceOf(addressSchema.parse(mission))).to.equal(0n);
        const below = children.filter(({ parent }) => parent === mission);
        const kept = below.reduce((sum, child) => sum + BigInt(child.money.deposit) - BigInt(child.money.refunded), 0n);
        expect(own.children).to.equal(kept.toString());
      }
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    });
  });
});

/** 8 lots of 5 rooms of 25 tasks. */
function thousandTasks(csv: string): string {
  const counts = Array.from({ length: 25 }, (_, task) => [`count-${task + 1}`, { service: "count", over: "input", tier: 1 }] as const);
  const rooms = { goal: "Count a room, often.", over: "input", parts: 5, tasks: Object.fromEntries(counts), output: "count-1" };
  const lots = { goal: "Count a lot.", over: "input", parts: 8, tasks: { rooms }, output: "rooms" };
  const report = { service: "aggregate", after: ["lots"], tier: 1 };
  return smallMission(csv, { goal: "Count everything, often.", budget: "950.00", deadline: "7d", tasks: { lots, report } });
}
