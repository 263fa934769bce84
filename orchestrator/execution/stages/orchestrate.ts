import { intentKey } from "../../chain/outbox.ts";
import type { Intent } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { writeMany } from "../../client/write.ts";
import { bitmapOf } from "../../primitives/bitmap.ts";
import { TIER } from "../../primitives/tier.ts";
import { placeKey } from "../../rules/wire.ts";
import { batched } from "../batches.ts";
import { isStaffed, type NodeView, type SlotView } from "../chain-view.ts";
import { knownService } from "../strangers.ts";
import { attemptKey, serviceById } from "../work.ts";
import type { Mission, World } from "../world.ts";

/** Validity of a runner's attestation, seconds of chain time. */
const START_VALIDITY = 600n;

/** Stage 1: starts nodes on a runner's attestation that the code their slots are bound to is live (AgentCity 3.5; decision 17). */
export async function orchestrate(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const ready = nodes.filter((node) => node.state === "ELIGIBLE" && isStaffed(node) && hasKnownCode(world, node));
  const odd = ready.map((view) => ({ view, slot: oddSlot(world, view) }));
  const mismatches = odd.flatMap(({ view, slot }) => (slot === undefined ? [] : [mismatchIntent(world, mission, view, slot)]));
  const sound = odd.flatMap(({ view, slot }) => (slot === undefined ? [view] : []));
  const starts = batched(world, sound).map((batch) => routeIntent(world, mission, batch));
  // All at once: their clocks start together.
  await writeMany(world.client, await Promise.all([...mismatches, ...starts]));
}

/**
 * The key names all of its nodes: after an interruption the remaining ones may be grouped differently. A node released from a freeze starts
 * again, possibly with the same deadline; the number of freezes distinguishes the two starts.
 */
async function routeIntent(world: World, mission: Mission, ready: readonly NodeView[]): Promise<Intent<LogNote>> {
  return world.client.mission(mission.address).call.route(await startOf(world, mission, ready), {
    intent: intentKey("route", ...ready.flatMap((view) => [...attemptKey(mission, view), view.freezes, view.deadline])),
  });
}

/** Arguments of `route`: the nodes, and a runner's attestation for every slot that is to start. */
export async function startOf(world: World, mission: Mission, nodes: readonly NodeView[]) {
  const deadline = Number(world.client.chain.clock.now() + START_VALIDITY);
  const inOrder = nodes.toSorted((a, b) => a.law.number - b.law.number);
  const slots = inOrder.flatMap((view) =>
    starting(view).map(({ slot }) => placeKey({ node: view.law.number, attempt: view.attempt, slot })),
  );
  const start = { runner: world.runner.account.address, slots, deadline };
  const signature = await signMessage(world.client, world.runner.account, "Start", start, mission.address);
  return [bitmapOf(inOrder.map(({ law }) => law.number)), { ...start, signature }] as const;
}

/** Whether all executors of a node are bound, and a runner here can attest the code of each. */
export function isVouchable(world: World, view: NodeView): boolean {
  return isStaffed(view) && hasKnownCode(world, view) && oddSlot(world, view) === undefined;
}

/** A runner's report of a slot whose code differs from its service's registration: the chain fails the node. */
async function mismatchIntent(world: World, mission: Mission, view: NodeView, { slot, pledge }: SlotView): Promise<Intent<LogNote>> {
  const service = serviceById(world, pledge, view.law.services);
  const live = {
    mission: mission.address,
    node: view.law.number,
    slot,
    attempt: view.attempt,
    service: service.id,
    hash: service.bundle.codeHash,
    deadline: Number(world.client.chain.clock.now() + START_VALIDITY),
    runner: world.runner.account.address,
  };
  const signature = await signMessage(world.client, world.runner.account, "LiveHash", live, mission.address);
  return world.client.mission(mission.address).call.mismatch([{ ...live, signature }, service.record], {
    intent: intentKey("mismatch", ...attemptKey(mission, view), view.freezes, slot),
  });
}

/** A runner attests only code that it has. */
function hasKnownCode(world: World, view: NodeView): boolean {
  return starting(view).every(({ pledge }) => knownService(world, pledge) !== undefined);
}

/** The first slot to be started whose code differs from its registration. */
function oddSlot(world: World, view: NodeView): SlotView | undefined {
  return starting(view).find(({ pledge }) => {
    const { bundle, record } = serviceById(world, pledge, view.law.services);
    return bundle.codeHash !== record.codeHash;
  });
}

/** After a freeze only executors start again that may still commit: none once redundant work is being revealed. */
function starting({ law, slots }: NodeView): NodeView["slots"] {
  if (law.tier === TIER.CONSENSUS && slots.some(({ revealed }) => revealed)) return [];
  return slots.filter(({ committed }) => !committed);
}
