/** Nodes that are missions of their own: sent down, worked on, stopped and brought home. */
import { networkHelpers } from "../../support/city-fixture.ts";
import { PROPOSAL } from "../../support/legislature.ts";
import { Action, MissionState, NodeState, onward } from "../../support/mission-fixture.ts";
import type { FuzzMission } from "../fuzz-mission.ts";
import { type NodeMove, tried } from "../move.ts";
import type { World } from "../world.ts";

const { ELIGIBLE, EXECUTING, FAILED } = NodeState;
/** A walk is about few missions. */
const MAX_SESSIONS = 8;

export const delegate = (mission: FuzzMission, node: number) => mission.contract.route(...onward(node));

/** The mission that a node's open child session became. */
export async function childOf(mission: FuzzMission, node: number, { legislation, missions }: World): Promise<FuzzMission> {
  for (let session = await legislation.sessionCount(); session > 0n; session--) {
    const info = await legislation.sessionOf(session);
    if (!info.child || info.parent !== mission.address || Number(info.node) !== node) continue;
    const child = missions.find(({ address }) => address === info.mission);
    if (child !== undefined) return child;
    break;
  }
  throw new Error("is no worker: nobody made that law");
}

/** Whatever of it can be done, done well. */
async function work(child: FuzzMission): Promise<void> {
  const nodes = [...child.nodes.keys()];
  await tried(() => child.awardAll());
  child.honest = true;
  for (const node of nodes) await tried(() => child.run(node));
  child.honest = false;
}

/** Everything that can be claimed, the rest refunded. */
export async function close(child: FuzzMission): Promise<void> {
  const state = await child.contract.state();
  if (state === MissionState.ACTIVE || state === MissionState.EXECUTING) return;
  for (const node of child.nodes.keys()) await tried(() => child.contract.claim([node]));
  await tried(() => child.contract.close());
}

export const BRANCHES: readonly NodeMove[] = [
  {
    name: "send down",
    suits: [ELIGIBLE],
    weight: 6,
    act: async (mission, node, world) => {
      if ((await world.legislation.sessionCount()) >= MAX_SESSIONS) return;
      await delegate(mission, node);
      if (world.random.int(5) > 0) await world.enactChild(await world.legislation.sessionCount());
    },
  },
  {
    name: "send down in vain",
    suits: [ELIGIBLE],
    weight: 1,
    act: async (mission, node, { legislation }) => {
      if ((await legislation.sessionCount()) >= MAX_SESSIONS) return;
      await delegate(mission, node);
      await networkHelpers.time.increase(PROPOSAL + 1n);
      await legislation.expire(await legislation.sessionCount());
    },
  },
  { name: "work below", suits: [EXECUTING], weight: 6, act: async (mission, node, world) => work(await childOf(mission, node, world)) },
  {
    name: "work a little below",
    suits: [EXECUTING],
    weight: 3,
    act: async (mission, node, world) => {
      const child = await childOf(mission, node, world);
      await tried(() => child.awardAll());
      child.honest = true;
      await tried(() => child.run(0));
      child.honest = false;
      await child.override(Action.TERMINATE_MISSION, 0);
    },
  },
  {
    name: "bring home",
    suits: [EXECUTING],
    weight: 6,
    act: async (mission, node, world) => {
      await close(await childOf(mission, node, world));
      return mission.contract.record(node);
    },
  },
  { name: "bring home early", suits: [ELIGIBLE, EXECUTING], weight: 2, act: (mission, node) => mission.contract.record(node) },
  { name: "send down again", suits: [FAILED], weight: 6, act: (mission, node) => mission.contract.reopen(node) },
];
