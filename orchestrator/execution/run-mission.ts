import { intentKey } from "../chain/outbox.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { TIER } from "../primitives/tier.ts";
import { awaitsBids, isBranch, isOver, isUndecided, type MissionStateName, missionState, type NodeView, viewNodes } from "./chain-view.ts";
import { endingOf } from "./ending.ts";
import { FreezeMirror } from "./guardian/freeze-mirror.ts";
import { nextTry, release } from "./output-buffer.ts";
import { pulse } from "./pulse.ts";
import { instruct } from "./settlements.ts";
import { checkpoint } from "./stages/checkpoint.ts";
import { commit, hasEnoughCommits } from "./stages/commit.ts";
import { gate } from "./stages/gate.ts";
import { guard } from "./stages/guard.ts";
import { invoke } from "./stages/invoke.ts";
import { orchestrate } from "./stages/orchestrate.ts";
import { record } from "./stages/record.ts";
import { heardAt, verify } from "./stages/verify.ts";
import { learnStrangers } from "./strangers.ts";
import { attemptKey } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Why execution stopped: every node is done, or another party has to act first. */
export type Halt =
  | { readonly kind: "done" }
  | { readonly kind: "ended"; readonly state: MissionStateName }
  /** A human decides (adjudication). */
  | { readonly kind: "review"; readonly nodes: readonly NodeView[] }
  /** No executor can reach the goal (`ending.ts`): the mission has to end, without fault of an executor. */
  | { readonly kind: "hopeless" }
  /** An emergency stop: nothing is routed until adjudicators clear it. */
  | { readonly kind: "stopped" }
  /** Child missions that are due or have started: the city runs each through its own branches. */
  | { readonly kind: "branch"; readonly nodes: readonly NodeView[] }
  /** The mission is to end, and what was committed is decided. */
  | { readonly kind: "decided" }
  /** Suspended after a long silence of the chain: humans resume it, or its time ends it. */
  | { readonly kind: "degraded" }
  /** Failed attempts and nodes without an award: the market reopens or the mission aborts (city). */
  | { readonly kind: "fault"; readonly nodes: readonly NodeView[] };

/**
 * The seven stages, once, for every node that is ready for them. What the chain already has is not done again. In hybrid mode a checkpoint
 * takes stages 1 to 4 together for the nodes it can; the others proceed as usual. A mission that is `ending` goes on with what was committed alone,
 * which nobody freezes any more.
 */
async function runWave(world: World, mission: Mission, mirror: FreezeMirror, ending = false): Promise<void> {
  const view = async () => {
    const nodes = await viewNodes(world, mission);
    await learnStrangers(world, nodes);
    return ending ? nodes.filter(isUndecided) : mirror.overlay(nodes);
  };
  const isHopeless = async () => !ending && (await endingOf(world, mission)) !== undefined;
  // Results that a human completed, or that an interrupted run had cleared, are released before their successors start.
  await record(world, mission, await view());
  if (!ending) await checkpoint(world, mission, mirror, await view());
  if (await isHopeless()) return;
  await orchestrate(world, mission, await view());
  await world.boundary("execution:routed");
  const invocations = await invoke(world, mission, await view());
  await world.boundary("execution:invoked");
  if (await isHopeless()) return;
  await commit(world, mission, invocations);
  if (!ending) await guard(world, mission, mirror, await view(), invocations);
  await world.boundary("execution:guarded");
  await verify(world, mission, await view());
  await gate(world, mission, await view());
  await world.boundary("execution:gated");
  await record(world, mission, await view());
  await instruct(world, mission, await view());
  await world.boundary("execution:recorded");
}

/** Runs waves until another party has to act. Overdue stages are ended by `timeout`, never waited for twice. */
export async function runMission(world: World, mission: Mission): Promise<Halt> {
  const mirror = new FreezeMirror(world, mission);
  // A process killed after the chain's confirmation has not released these outputs.
  const found = await viewNodes(world, mission);
  // Parties of a node read its input from here.
  await world.store.put(canonicalBytes(mission.items));
  await release(world, mission, found);
  const contract = world.client.mission(mission.address);
  if (!isOver(await missionState(world, mission)) && !(await contract.watch()).ending) await mirror.restore(found);
  let before = "";
  for (;;) {
    const state = await missionState(world, mission);
    if (isOver(state)) {
      // The last node may have been completed by a human; it must be recorded too.
      await record(world, mission, await viewNodes(world, mission));
      await instruct(world, mission, await viewNodes(world, mission));
      return { kind: "ended", state };
    }
    if (state === "DEGRADED") return { kind: "degraded" };
    const { stopped, ending } = await contract.watch();
    if (stopped) return { kind: "stopped" };
    await pulse(world);
    await runWave(world, mission, mirror, ending);
    if (!ending && (await endingOf(world, mission)) !== undefined) return { kind: "hopeless" };
    const nodes = (await viewNodes(world, mission)).filter((view) => !ending || isUndecided(view));
    // It may have completed.
    if (ending && nodes.length === 0 && !isOver(await missionState(world, mission))) return { kind: "decided" };
    if (nodes.length === 0) continue;
    if (nodes.every(({ state: node, recorded }) => node === "COMPLETED" && recorded)) return { kind: "done" };
    const now = JSON.stringify(
      nodes.map(({ state: node, attempt, recorded, slots }) => [
        node,
        attempt,
        recorded,
        slots.map(({ committed, revealed }) => [committed, revealed]),
      ]),
    );
    if (now !== before) {
      before = now;
      continue;
    }
    const halt = haltOf(nodes);
    if (halt !== undefined) return halt;
    await endOverdue(world, mission, nodes);
  }
}

function haltOf(nodes: readonly NodeView[]): Halt | undefined {
  const review = nodes.filter(({ state }) => state === "PENDING_REVIEW" || state === "FROZEN");
  if (review.length > 0) return { kind: "review", nodes: review };
  const fault = nodes.filter((node) => node.state === "FAILED" || awaitsBids(node));
  if (fault.length > 0) return { kind: "fault", nodes: fault };
  const branch = nodes.filter((node) => isBranch(node) && (node.state === "ELIGIBLE" || node.state === "EXECUTING"));
  return branch.length > 0 ? { kind: "branch", nodes: branch } : undefined;
}

/** Lets time decide what was committed and nobody else decides any more. */
export async function letTimeDecide(world: World, mission: Mission): Promise<void> {
  for (;;) {
    const left = (await viewNodes(world, mission)).filter(isUndecided);
    if (left.length === 0) return;
    await endOverdue(world, mission, left);
  }
}

/** Lets time pass to whatever comes first: a held output is offered again, or a stage that does not move is over, and is ended. */
async function endOverdue(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const running = nodes.filter(({ deadline, state }) => deadline > 0n && state !== "COMPLETED" && state !== "FAILED");
  const [next] = running.toSorted((a, b) => (a.deadline < b.deadline ? -1 : a.deadline > b.deadline ? 1 : a.law.number - b.law.number));
  if (next === undefined) throw new RangeError("a mission makes no progress and no clock is running");
  const retry = await earliestRetry(world, mission, nodes);
  if (retry !== undefined && retry < next.deadline) return world.client.chain.clock.sleepUntil(retry);
  const hearings = await Promise.all(nodes.map((view) => heardAt(world, mission, view)));
  const [hearing] = hearings.filter((at) => at !== undefined).sort((a, b) => (a < b ? -1 : 1));
  if (hearing !== undefined && hearing < next.deadline) return world.client.chain.clock.sleepUntil(hearing);
  const isFirst = world.client.chain.clock.now() <= next.deadline;
  await world.client.chain.clock.sleepUntil(next.deadline + 1n);
  // Enough redundant executors have committed: the next wave opens their work without the absent ones. Executors that do not open then are
  // late.
  if (isFirst && next.law.tier === TIER.CONSENSUS && next.state === "EXECUTING" && hasEnoughCommits(next)) return;
  await timeout(world, mission, next);
}

/** Earliest time at which a refused commitment may be submitted again. */
async function earliestRetry(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<bigint | undefined> {
  let earliest: bigint | undefined;
  for (const view of nodes.filter(({ state }) => state === "EXECUTING")) {
    for (const slot of view.slots.filter(({ committed }) => !committed)) {
      const retry = await nextTry(world, mission, view, slot);
      if (retry !== undefined && retry > 0n && (earliest === undefined || retry < earliest)) earliest = retry;
    }
  }
  return earliest;
}

/** Ends a node's overdue stage; anyone may (decision 24). */
export async function timeout(world: World, mission: Mission, view: NodeView): Promise<void> {
  await world.client.mission(mission.address).timeout([view.law.number], {
    intent: intentKey("timeout", ...attemptKey(mission, view), view.state, view.deadline),
  });
  world.progress(`${view.law.label}: time is up (${view.state.toLowerCase().replaceAll("_", " ")})`);
}
