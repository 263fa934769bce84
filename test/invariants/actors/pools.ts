/** A pool whose manager stands for bids with the stakes of several agents. */
import { tokens } from "../../support/city-fixture.ts";
import { NodeState } from "../../support/mission-fixture.ts";
import type { FuzzMission } from "../fuzz-mission.ts";
import { ANY, type NodeMove, tried } from "../move.ts";
import { POOL, POOLED, type World } from "../world.ts";

const { WAITING, ELIGIBLE } = NodeState;

const member = ({ workers, random }: World) => random.pick(workers.slice(0, POOLED));

/** The pool stands for the bid of one of its members. */
export async function bidOnPool(mission: FuzzMission, node: number, worker: number, { pools, manager }: World) {
  const { agent } = mission.worker(worker);
  await tried(() => pools.connect(manager).cover(POOL, mission.address, node, agent.address));
  return mission.bid(node, worker);
}

export const POOLS: readonly NodeMove[] = [
  {
    name: "bid on a pool",
    suits: [WAITING, ELIGIBLE],
    weight: 4,
    act: async (mission, node, world) => {
      const { random } = world;
      for (let tries = 0; tries < 3; tries++) await tried(() => bidOnPool(mission, node, random.int(POOLED), world));
    },
  },
  {
    name: "uncover",
    suits: [WAITING, ELIGIBLE],
    weight: 1,
    act: (mission, node, world) => world.pools.connect(world.manager).uncover(mission.address, node, member(world).agent.address),
  },
  {
    name: "pool more",
    suits: ANY,
    weight: 1,
    act: (_mission, _node, world) => {
      const { agent } = member(world);
      return world.pools.connect(agent).join(POOL, agent.address, tokens(5) + BigInt(world.random.int(1000)));
    },
  },
  {
    name: "leave a pool and come again",
    suits: ANY,
    weight: 1,
    act: async (_mission, _node, world) => {
      const { pools, manager, workers } = world;
      const { agent: leaving } = member(world);
      await tried(() => pools.connect(leaving).giveNotice(POOL, leaving.address));
      // Who gave notice before could not go while the pool stood for a bid.
      for (const { agent } of workers.slice(0, POOLED)) {
        if (!(await tried(() => pools.leave(POOL, agent.address)))) continue;
        await pools.connect(manager).admit(POOL, agent.address);
        await pools.connect(agent).join(POOL, agent.address, tokens(300));
      }
    },
  },
];
