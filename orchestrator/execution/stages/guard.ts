import { stringToHex } from "viem";
import { intentKey } from "../../chain/outbox.ts";
import { attemptKey } from "../work.ts";
import type { Mission, World } from "../world.ts";
import type { Invocation } from "./invoke.ts";

/** What the monitor reports, as bytes32 text. */
const OVERUSE = stringToHex("tools or messages over limit", { size: 32 });

/**
 * Stage 4: freezes a node whose executor used more tools or messages than the constitution allows (Table 19). Embedding scorers
 * come with the Guardian's own issue; the counters are what this stage has today.
 */
export async function guard(world: World, mission: Mission, invocations: readonly Invocation[]): Promise<void> {
  for (const { view, work } of invocations) {
    const used = work.ok
      ? Math.max(work.tools - world.limits.tools, work.messages - world.limits.messages)
      : work.fault === "limit"
        ? 1
        : 0;
    if (used <= 0) continue;
    await world.client.mission(mission.address).report([view.law.number, OVERUSE, BigInt(used)], {
      intent: intentKey("report", ...attemptKey(mission, view)),
      account: world.monitor.account,
    });
    world.tell(`${view.law.label}: frozen, its executor used more than it may`);
  }
}
