import { intentKey } from "../../chain/outbox.ts";
import type { Intent } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { writeMany } from "../../client/write.ts";
import { TIER } from "../../primitives/tier.ts";
import { batched } from "../batches.ts";
import { isStaffed, type NodeView } from "../chain-view.ts";
import { attemptKey, serviceById } from "../work.ts";
import type { Mission, World } from "../world.ts";

/** How long a runner's statement holds, seconds of chain time. */
const LIVE_HASH_VALIDITY = 600n;

/** Stage 1: binds nodes to the code that is really live, by a runner's signature, and starts them (AgentCity 3.5; decision 17). */
export async function orchestrate(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const ready = nodes.filter((node) => node.state === "ELIGIBLE" && isStaffed(node));
  // All at once: their clocks start together.
  await writeMany(world.client, await Promise.all(batched(world, ready).map((batch) => routeIntent(world, mission, batch))));
}

/**
 * Named by all of its nodes: after an interruption those that are left may come together in another way. A node that a freeze let go starts
 * again, and where time stands still its deadline is what it was: the number of freezes distinguishes the two starts.
 */
async function routeIntent(world: World, mission: Mission, ready: readonly NodeView[]): Promise<Intent<LogNote>> {
  const deadline = Number(world.client.chain.clock.now() + LIVE_HASH_VALIDITY);
  const orders = [];
  for (const view of ready) {
    const hashes = [];
    const services = [];
    for (const { slot, pledge } of starting(view)) {
      const service = serviceById(world, pledge, view.law.services);
      const live = {
        mission: mission.address,
        node: view.law.number,
        slot,
        attempt: view.attempt,
        service: service.id,
        hash: service.bundle.codeHash,
        deadline,
        runner: world.runner.account.address,
      };
      hashes.push({ ...live, signature: await signMessage(world.client, world.runner.account, "LiveHash", live, mission.address) });
      services.push(service.record);
    }
    orders.push({ node: view.law.number, hashes, services });
  }
  return world.client.mission(mission.address).call.route([orders], {
    intent: intentKey("route", ...ready.flatMap((view) => [...attemptKey(mission, view), view.freezes, view.deadline])),
  });
}

/** After a freeze only those start again who may still commit: none once redundant work is being revealed. */
function starting({ law, slots }: NodeView): NodeView["slots"] {
  if (law.tier === TIER.CONSENSUS && slots.some(({ revealed }) => revealed)) return [];
  return slots.filter(({ committed }) => !committed);
}
