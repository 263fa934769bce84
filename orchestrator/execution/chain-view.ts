import { zeroAddress } from "viem";
import { readMany } from "../client/read.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { MissionNode } from "../protocol/mission-document.ts";
import type { Mission, World } from "./world.ts";

/** `enum NodeState`, in order. */
export const nodeStates = [
  "WAITING",
  "ELIGIBLE",
  "EXECUTING",
  "PENDING_VERIFICATION",
  "PENDING_REVIEW",
  "FROZEN",
  "COMPLETED",
  "FAILED",
] as const;
export type NodeStateName = (typeof nodeStates)[number];

/** `enum MissionState`, in order. */
export const missionStates = ["PENDING", "ACTIVE", "EXECUTING", "VERIFICATION", "DEGRADED", "COMPLETED", "FAILED", "ABORTED"] as const;
export type MissionStateName = (typeof missionStates)[number];

/** An executor slot's on-chain state. */
export interface SlotView {
  readonly slot: number;
  readonly agent: Address;
  readonly price: bigint;
  /** Bound service until the slot commits, then its commitment. */
  readonly pledge: Hash;
  readonly committed: boolean;
  readonly revealed: boolean;
}

/** A node's law and on-chain state combined. */
export interface NodeView {
  readonly law: MissionNode;
  readonly state: NodeStateName;
  readonly attempt: number;
  /** Number of freezes over all attempts. */
  readonly freezes: number;
  /** Unix seconds; 0n if no clock is running. */
  readonly deadline: bigint;
  /** Seconds of execution left when it was frozen; 0 if it has not started on chain, or is running. */
  readonly remainder: number;
  readonly recorded: boolean;
  /** A slash of some attempt waits for its window to end. */
  readonly faulted: boolean;
  readonly share: number;
  readonly agreeing: number;
  /** Block whose hash draws the panel, and number of redraws. */
  readonly drawBlock: number;
  readonly redraws: number;
  /** Slots with an executor, in order. */
  readonly slots: readonly SlotView[];
}

/** Reads every node of a mission. Only this city writes between two reads, so that they are consistent. */
export async function viewNodes(
  world: Pick<World, "client">,
  mission: Pick<Mission, "address" | "document">,
): Promise<readonly NodeView[]> {
  const { nodes } = mission.document;
  const of = { contract: "CollaborationContract", address: mission.address } as const;
  const places = nodes.flatMap((law) =>
    isBranch({ law }) ? [] : Array.from({ length: law.redundancy }, (_, slot) => [law.number, slot] as const),
  );
  const [states, slots, pledges] = await Promise.all([
    readMany(world.client, { ...of, functionName: "nodeOf", args: nodes.map(({ number }) => [number] as const) }),
    readMany(world.client, { ...of, functionName: "slotOf", args: places }),
    readMany(world.client, { ...of, functionName: "pledgeOf", args: places }),
  ]);
  const bound = places.flatMap(([node, slot], at) => {
    const [found, pledge] = [slots[at], pledges[at]];
    return found === undefined || pledge === undefined || found.agent === zeroAddress ? [] : [{ node, slot, ...found, pledge }];
  });
  return nodes.flatMap((law, at): NodeView[] => {
    const node = states[at];
    if (node === undefined) return [];
    const view = {
      law,
      state: nameOf(nodeStates, node.state),
      attempt: node.attempt,
      freezes: node.freezeCount,
      deadline: BigInt(node.deadline),
      remainder: node.remainder,
      recorded: node.recorded,
      faulted: node.faulted,
      share: node.share,
      agreeing: node.agreeing,
      drawBlock: node.drawBlock,
      redraws: node.redraws,
      slots: bound
        .filter((each) => each.node === law.number)
        .map(({ slot, agent, price, pledge }) => ({
          slot,
          agent,
          price,
          pledge,
          committed: hasBit(node.commitMask, slot),
          revealed: hasBit(node.revealMask, slot),
        })),
    };
    return [view];
  });
}

/** The service that a slot's executor bound; the slot's commitment replaces it on chain. */
export async function boundService(
  { client }: Pick<World, "client">,
  { address }: Pick<Mission, "address">,
  { law, attempt }: Pick<NodeView, "law" | "attempt">,
  { slot }: Pick<SlotView, "slot">,
): Promise<Hash> {
  const bound = await client.mission(address).history("ExecutorBound", { node: law.number, slot });
  const event = bound.findLast(({ args }) => args.attempt === attempt);
  if (event === undefined) throw new AgentCityError("ExecutorUnknown", `No executor was bound to slot ${slot} of ${law.label}`);
  return event.args.service;
}

export async function missionState(world: Pick<World, "client">, mission: Pick<Mission, "address">): Promise<MissionStateName> {
  return nameOf(missionStates, await world.client.mission(mission.address).state());
}

/** Whether every slot that the law requires has an executor. */
export function isStaffed({ law, slots }: NodeView): boolean {
  return slots.length === law.redundancy;
}

/** Whether the node is a child mission, without bids and executors. */
export function isBranch({ law }: Pick<NodeView, "law">): boolean {
  return law.mission !== undefined;
}

/** Whether the node still needs an award. */
export function awaitsBids(view: NodeView): boolean {
  return !isBranch(view) && !isStaffed(view) && (view.state === "ELIGIBLE" || view.state === "WAITING");
}

/** Whether something is committed of which nothing is decided yet: a mission does not end before. */
export function isUndecided({ state, slots }: Pick<NodeView, "state" | "slots">): boolean {
  return state !== "COMPLETED" && state !== "FAILED" && slots.some(({ committed }) => committed);
}

/** What became of an executor's work: `absent` if the node was completed without it, `stopped` if it is not decided. */
export function fateOf(
  { slot, attempt }: { readonly slot: number; readonly attempt: number },
  node: { readonly attempt: number; readonly state: number; readonly commitMask: number; readonly agreeing: number },
): "failed" | "stopped" | "absent" | "agreed" | "dissented" {
  const state = nameOf(nodeStates, node.state);
  if (attempt !== node.attempt || state === "FAILED") return "failed";
  if (state !== "COMPLETED") return "stopped";
  if (!hasBit(node.commitMask, slot)) return "absent";
  return hasBit(node.agreeing, slot) ? "agreed" : "dissented";
}

function hasBit(mask: number, bit: number): boolean {
  return ((mask >> bit) & 1) === 1;
}

function nameOf<Name extends string>(names: readonly Name[], index: number): Name {
  const name = names[index];
  if (name === undefined) throw new AgentCityError("UnknownState", `The chain names state ${index}, which this version does not know`);
  return name;
}

/** Whether a mission in this state is over. */
export function isOver(state: MissionStateName): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "ABORTED";
}
