import { keccak256 } from "../../primitives/hash.ts";
import { canonicalBytes, type JsonObject } from "../../primitives/json.ts";
import type { NodeView } from "../chain-view.ts";
import { inputOf, serviceById, type Work } from "../work.ts";
import type { Mission, World } from "../world.ts";
import type { Assessment } from "./assess.ts";
import { WINDOW } from "./deviation.ts";

/** An executor with an anomaly. */
export interface Finding {
  readonly slot: number;
  readonly work: Work;
  readonly scores: Assessment["scores"];
  readonly anomaly: NonNullable<Assessment["anomaly"]>;
}

/**
 * Everything that humans need to judge a freeze: what was requested, used and handed in, what it was compared with, and the chain's state
 * (AgentCity B.11.2, memory state capture). A service is a function, so its input is its whole context; contents are referenced by id and
 * kept in the content store.
 */
export async function snapshotOf(world: World, mission: Mission, view: NodeView, findings: readonly Finding[]): Promise<JsonObject> {
  const head = await world.client.chain.publicClient.getBlock();
  return {
    version: 1,
    mission: mission.address,
    node: view.law.number,
    label: view.law.label,
    attempt: view.attempt,
    goal: mission.document.goal,
    inputHash: keccak256(canonicalBytes(await inputOf(world, mission, view))),
    executors: await Promise.all(findings.map((finding) => executorOf(world, view, finding))),
    contract: {
      state: view.state,
      freezes: view.freezes,
      deadline: Number(view.deadline),
      committed: view.slots.filter(({ committed }) => committed).map(({ slot }) => slot),
      block: Number(head.number),
      time: Number(head.timestamp),
    },
  };
}

async function executorOf(world: World, view: NodeView, { slot, work, scores, anomaly }: Finding): Promise<JsonObject> {
  const agent = view.slots.find((each) => each.slot === slot)?.agent ?? "";
  const { name, bundle } = serviceById(world, work.service, view.law.services);
  return {
    slot,
    agent,
    service: work.service,
    name,
    codeHash: bundle.codeHash,
    anomaly,
    scores,
    window: scores.length === 0 ? [] : await world.traces(work.service, WINDOW),
    ...(work.ok
      ? { output: work.outputId, outputHash: work.outputHash, trail: work.trail, tools: work.tools, messages: work.messages }
      : { fault: work.fault, details: work.details }),
  };
}
