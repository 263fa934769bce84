import { expect } from "chai";
import { networkHelpers } from "../support/city-fixture.ts";
import { MissionState } from "../support/mission-fixture.ts";
import { countLeaves, depthOf, MissionTree, type Plan } from "../support/mission-tree.ts";

const UNIT = 100_000n;

/** Every mission has as many nodes as its level says, all alike; each leaf is worth a tenth of a token. */
function evenPlan([nodes, ...below]: readonly number[]): Plan {
  if (nodes === undefined) return { budget: UNIT };
  const one = evenPlan(below);
  return { budget: one.budget * BigInt(nodes), nodes: Array.from({ length: nodes }, () => one) };
}

describe("a goal of a thousand tasks", function () {
  this.timeout(3_600_000);

  it("runs as a tree of missions, to the unit", async () => {
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
});
