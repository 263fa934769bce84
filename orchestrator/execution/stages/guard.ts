import { stringToHex } from "viem";
import { intentKey } from "../../chain/outbox.ts";
import type { NodeView, SlotView } from "../chain-view.ts";
import { type Assessment, assess, assessmentSchema } from "../guardian/assess.ts";
import { watchTerms } from "../guardian/terms.ts";
import { attemptKey, type Work, workOf } from "../work.ts";
import type { Mission, World } from "../world.ts";
import type { Invocation } from "./invoke.ts";

/** A slot whose executor did something the Guardian may not let pass. */
interface Finding {
  readonly slot: number;
  readonly anomaly: NonNullable<Assessment["anomaly"]>;
}

/**
 * Stage 4: measures every run against the counters and every output against its service's own past, and freezes the nodes of those
 * that stand out, before anybody verifies them (AgentCity 3.5, B.11.2). What was committed before an interruption is measured too.
 */
export async function guard(world: World, mission: Mission, nodes: readonly NodeView[], invocations: readonly Invocation[]): Promise<void> {
  for (const view of nodes.filter(({ state }) => state === "EXECUTING" || state === "PENDING_VERIFICATION")) {
    const findings: Finding[] = [];
    for (const slot of view.slots) {
      const work = await finishedWork(world, mission, view, slot, invocations);
      if (work === undefined) continue;
      const { anomaly } = await assessmentOf(world, mission, view, slot, work);
      if (anomaly !== null) findings.push({ slot: slot.slot, anomaly });
    }
    await report(world, mission, view, findings);
  }
}

async function finishedWork(
  world: World,
  mission: Mission,
  view: NodeView,
  slot: SlotView,
  invocations: readonly Invocation[],
): Promise<Work | undefined> {
  if (slot.committed) return workOf(world, mission, view, slot.slot);
  return invocations.find((each) => each.view.law.number === view.law.number && each.slot.slot === slot.slot)?.work;
}

async function assessmentOf(world: World, mission: Mission, view: NodeView, slot: SlotView, work: Work): Promise<Assessment> {
  return world.remember(["watch", ...attemptKey(mission, view), slot.slot], assessmentSchema, async () =>
    assess(world, await watchTerms(world, mission), work.service, work),
  );
}

/** One report for all that was found in a node; it names the first. What a human released is not reported again: the same findings are one intent. */
async function report(world: World, mission: Mission, view: NodeView, findings: readonly Finding[]): Promise<void> {
  const [first] = findings;
  if (first === undefined) return;
  const { reason, magnitude } = first.anomaly;
  await world.client.mission(mission.address).report([view.law.number, stringToHex(reason, { size: 32 }), BigInt(magnitude)], {
    intent: intentKey("report", ...attemptKey(mission, view), ...findings.map(({ slot }) => slot)),
    account: world.monitor.account,
  });
  world.tell(`${view.law.label}: frozen by the guardian (${reason} ${magnitude})`);
}
