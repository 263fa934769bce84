import { expect } from "chai";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { MissionState } from "../../support/mission-fixture.ts";
import { depthOf, type Fate, MissionTree, type Plan } from "../../support/mission-tree.ts";

const DEEPEST = 4;
const SEEDS = [1, 2, 4];
const LIMIT = 600_000;

const FATES: readonly Fate[] = ["done", "done", "lawless", "late", "orphaned"];

/** A random tree of this depth: every mission has one to three nodes, their budgets odd parts of its own. */
function planOf(random: RandomStream, budget: bigint, depth: number): Plan {
  if (depth === 0) return { budget };
  const count = 1 + random.int(3);
  const deep = random.int(count);
  const nodes = Array.from({ length: count }, (_, index) => {
    const part = (budget * BigInt(600 + random.int(400))) / BigInt(1000 * count);
    if (index === deep) return planOf(random, part, depth - 1);
    return planOf(random, part, random.int(4) === 0 ? random.int(depth) : 0);
  });
  return { budget, nodes, fates: random.int(2) === 0 ? [random.pick(FATES)] : [] };
}

describe("missions of missions", function () {
  this.timeout(LIMIT);
  const seen = new Set<Fate>();
  let shrunk = 0;

  for (const seed of SEEDS) {
    it(`invariant 12: children never cost more than their node's budget, at any depth; seed ${seed}`, async () => {
      const plan = planOf(randomStream(seed, "trees"), 400_000_000n, DEEPEST);
      expect(depthOf(plan)).to.equal(DEEPEST);
      const tree = await MissionTree.found(async (grown) => {
        expect(await grown.imbalances()).to.deep.equal([]);
      });
      const root = await tree.grow(plan);
      expect((await root.contract.ledger()).closed).to.equal(true);
      expect([MissionState.COMPLETED, MissionState.FAILED, MissionState.ABORTED]).to.include(await root.contract.state());
      for (const fate of tree.fates) seen.add(fate);
      shrunk += tree.loans.filter(({ parent, node, amount }) => amount < parent.node(node).budget).length;
    });
  }

  it("were tried with children that ended in every way, and with second ones that got what the first had left", () => {
    expect([...seen].sort()).to.deep.equal(["done", "late", "lawless", "orphaned"]);
    expect(shrunk).to.be.at.least(1);
  });
});
