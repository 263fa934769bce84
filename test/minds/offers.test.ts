import { expect } from "chai";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import { layOut } from "../../orchestrator/minds/layout.ts";
import type { Offer, OpenNode } from "../../orchestrator/minds/mind.ts";
import { optionsOf, requiredLevels } from "../../orchestrator/minds/options.ts";
import { personaNames } from "../../orchestrator/minds/personas.ts";
import { cityFacts, defaultGoal } from "../support/goals.ts";

const facts = cityFacts();
const STAKE = 100_000_000n;
/** What locking it costs, smallest unit. */
const STAKE_COST = (100_000_000 * 0.1 * (8 / 24)) / 365;

function openNodes(): OpenNode[] {
  return layOut(defaultGoal, optionsOf(defaultGoal, facts)[0]!).map((node) => ({
    node: node.number,
    tier: node.task.tier,
    redundancy: node.shape.redundancy,
    risk: "MEDIUM",
    slotBudget: node.budget / BigInt(node.shape.redundancy),
    stake: STAKE,
    services: node.task.services.map(({ name }) => name),
    capabilities: requiredLevels(node.task),
    barred: [],
  }));
}

async function allOffers(nodes: readonly OpenNode[], freeStake: bigint): Promise<(Offer & { agent: string; principal: string })[]> {
  const offers = await Promise.all(
    facts.producers.map(async ({ agent, principal }, index) => {
      const mind = new HeuristicMind({ persona: personaNames[index % 4]!, seed: 7 });
      const made = await mind.bid({ self: agent, mission: agent, nodes, producers: facts.producers, freeStake });
      return made.map((offer) => ({ ...offer, agent, principal }));
    }),
  );
  return offers.flat();
}

describe("bids of heuristic minds", () => {
  it("give every node executors of as many principals as it needs, with different services", async () => {
    const nodes = openNodes();
    const offers = await allOffers(nodes, 100n * STAKE);
    for (const node of nodes) {
      const own = offers.filter((offer) => offer.node === node.node);
      expect(new Set(own.map(({ principal }) => principal)).size).to.equal(Math.max(2, node.redundancy));
      if (node.tier === 2) expect(new Set(own.map(({ service }) => service)).size).to.equal(3);
      for (const { price } of own) expect(price > 0n && price <= node.slotBudget).to.equal(true);
    }
  });

  it("never promise more stake than there is", async () => {
    for (const { agent } of facts.producers) {
      const mine = (await allOffers(openNodes(), 2n * STAKE)).filter((offer) => offer.agent === agent);
      expect(mine.length).to.be.at.most(2);
    }
  });

  it("are at least the price of EQ-10, and none where the budget is below it", async () => {
    const [node] = openNodes().filter(({ tier }) => tier === 1);
    const pay = { fees: { protocol: 0.02, insurance: 0.01 }, alpha: 0.5 };
    const bidsAt = async (slotBudget: bigint, reputation: number) => {
      const producers = facts.producers.map((each) => ({ ...each, reputation }));
      const offers = await Promise.all(
        producers.map(({ agent }) =>
          new HeuristicMind({ persona: "frugal", seed: 7 }).bid({
            self: agent,
            mission: agent,
            nodes: [{ ...node!, slotBudget }],
            producers,
            freeStake: STAKE,
            pay,
          }),
        ),
      );
      return offers.flat().map(({ price }) => price);
    };
    // A hundred tokens at a tenth a year for a working day, after fees of three per cent: 9,133 units / 0.97, and by ψ 1.25 less, 0.75 more.
    const least = (multiplier: number) => BigInt(Math.ceil(STAKE_COST / (0.97 * multiplier)));
    for (const [reputation, multiplier] of [
      [500, 1],
      [1000, 1.25],
      [0, 0.75],
    ] as const) {
      expect(await bidsAt(least(multiplier), reputation)).to.deep.equal([least(multiplier), least(multiplier)]);
      expect(await bidsAt(least(multiplier) - 1n, reputation)).to.deep.equal([]);
    }
  });

  it("leave a barred principal out and let the others close the gap", async () => {
    const [node] = openNodes().filter(({ tier }) => tier === 1);
    const before = await allOffers([node!], STAKE);
    const barred = before[0]!.principal as `0x${string}`;
    const after = await allOffers([{ ...node!, barred: [barred] }], STAKE);
    expect(after.map(({ principal }) => principal)).to.not.contain(barred);
    expect(after.length).to.equal(before.length);
  });
});
