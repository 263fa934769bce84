import { expect } from "chai";
import { treasuryStatement } from "../../orchestrator/city/report/treasury-sides.ts";
import { recompileLaw } from "../../orchestrator/client/compile-law.ts";
import { agentOf, population } from "../../orchestrator/economy/agents.ts";
import { Governed } from "../../orchestrator/economy/governed.ts";
import { auditMission } from "../../orchestrator/economy/law/audit.ts";
import { ROUND } from "../../orchestrator/economy/law/city.ts";
import { milestoneGraph } from "../../orchestrator/economy/milestone.ts";
import { ECONOMY } from "../../orchestrator/economy/parameters.ts";
import { sustainable } from "../../orchestrator/economy/pool.ts";
import { contentIdFromDigest } from "../../orchestrator/primitives/hash.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

describe("a milestone without a law", function () {
  this.timeout(240_000);
  const SEED = 1;
  // So many who take no part that 60 % do not vote.
  const world = { ...ECONOMY, shock: { ...ECONOMY.shock, from: 0, freeRiders: 20 } };
  const citizens = population(24, SEED, world);
  const idle = Array.from({ length: 20 }, (_, place) => agentOf(24 + place, "adversarial", SEED, world));
  const pool = { capacity: 2400, growth: 0.25, level: 2400 };
  const tasks = milestoneGraph(world.tasks, randomStream(SEED, "tasks"), world);
  const commons = (round: number, present = citizens) => ({
    round,
    pool,
    quota: sustainable(pool) / present.length,
    present,
    tasks,
    world,
    chance: (purpose: string) => randomStream(SEED, "round", round, purpose),
  });

  it("has a session when a fifth petition for it; the foundation adopts what won, and its mission is like every other", async () => {
    const order = await Governed.found("full", citizens, SEED, world);
    try {
      await order.change({ leaving: [], joining: idle, bloc: [], blamed: undefined });
      const all = [...citizens, ...idle];
      await order.talk(commons(0, all), () => {});
      await order.talk(commons(1, all), () => {});
      const without = order.record().sessions;
      expect(without.map(({ round, petitioners, rules }) => [round, petitioners, rules])).to.deep.equal([
        [0, undefined, null],
        [1, Math.ceil(44 / 5), null],
      ]);
      await order.change({ leaving: idle, joining: [], bloc: [], blamed: undefined });
      for (const round of [2, 3]) await order.talk(commons(round), () => {});
      const [, , third, ...later] = order.record().sessions;
      expect([third?.round, third?.petitioners, later.length], "none once there is a law").to.deep.equal([2, 5, 0]);
      expect(third?.rules).to.not.equal(null);

      const { client, kept } = order.city;
      const { mission, winner } = await client.legislation.sessionOf(3n);
      const proposed = await client.legislation.history("Proposed", { session: 3n });
      const won = proposed.find(({ args }) => args.candidate === winner);
      const bytes = won === undefined ? undefined : kept.get(contentIdFromDigest(won.args.cid));
      if (bytes === undefined) throw new Error("the law's document is not kept");
      const law = recompileLaw(bytes);
      expect(law.document.duration, "what is left of the milestone but its last round").to.equal(17 * Number(ROUND));
      const { inflow, given, eq11 } = await treasuryStatement(client, 30);
      expect([inflow, eq11], "what the founders gave is no income").to.deep.equal([{}, { inflow: 0, outflow: 0, sustainable: false }]);
      expect(given).to.be.above(0);
      expect((await auditMission(order.city, { mission, session: 3n, law }, tasks)).findings).to.deep.equal([]);
    } finally {
      await order.close();
    }
  });
});
