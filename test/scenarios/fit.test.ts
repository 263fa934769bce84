// @long
import { join } from "node:path";
import { expect } from "chai";
import { getAddress } from "viem";
import type { City } from "../../orchestrator/city/city.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { BidRequest, Offer } from "../../orchestrator/minds/mind.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { matchOf, matchOfLevels } from "../../orchestrator/rules/bid-score.ts";
import { CATALOG } from "../../services/catalog.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Who can do a task better asks for more: a hundredth of its budget for each tenth of the fit. */
class Proud extends HeuristicMind {
  override async bid(request: BidRequest): Promise<readonly Offer[]> {
    const levels = request.producers.find(({ agent }) => agent === request.self)?.capabilities ?? [];
    return (await super.bid(request)).map((offer) => {
      const node = request.nodes.find(({ node }) => node === offer.node);
      if (node === undefined) throw new RangeError(`no node ${offer.node}`);
      const fit = BigInt(matchOfLevels(levels, node.capabilities));
      return { ...offer, price: (node.slotBudget * (8_000n + fit)) / 10_000n };
    });
  }
}

describe("scenario: who fits a task better wins it, though another is cheaper", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  before(async () => {
    city = await openHome(join(directory(), "home"), "19");
  });
  after(() => city?.close());

  it("founders of a devnet differ: each may bid for every shipped service, none is up to all of them", async () => {
    const producers = city.society.filter(({ role }) => role === "producer");
    const held = await Promise.all(producers.map(({ account }) => city.client.agents.capabilitiesOf(account.address)));
    const asked = CATALOG.map(({ capabilities }) => capabilities.reduce((word, level, d) => word | (BigInt(level) << BigInt(8 * d)), 0n));
    const fits = held.map((levels) => asked.map((required) => matchOf(levels, required)));
    for (const own of fits) {
      expect(own.every((fit) => fit >= 600n)).to.equal(true);
      expect(own.some((fit) => fit < 1000n)).to.equal(true);
    }
    expect(new Set(held).size).to.equal(producers.length);
  });

  it("awards go by it in a mission", async () => {
    const outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), {
      id: "proud",
      home: join(directory(), "home"),
      makeMind: (seat) => new Proud(seat),
    });
    expect(outcome.status).to.equal("completed");
    const mission = getAddress(outcome.mission ?? "");
    const { execution, agents } = city.client;
    const bids = await execution.history("BidPlaced", { mission });
    const awards = await execution.history("Awarded", { mission });
    const fitOf = async (node: number, agent: Address) =>
      matchOf(await agents.capabilitiesOf(agent), (await city.client.mission(mission).nodeLaw(node)).capabilities);
    let decided = 0;
    for (const { args: won } of awards) {
      const rival = bids.find(({ args }) => args.node === won.node && args.agent !== won.agent)?.args;
      // A node of several slots takes several.
      if (rival === undefined || awards.some(({ args }) => args.node === won.node && args.agent === rival.agent)) continue;
      expect(await fitOf(won.node, won.agent)).to.be.at.least(await fitOf(won.node, rival.agent));
      if (won.price > rival.price) decided += 1;
    }
    expect(decided).to.be.at.least(1);
  });
});
