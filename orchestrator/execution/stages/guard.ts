import type { NodeView, SlotView } from "../chain-view.ts";
import { type Assessment, assess, assessmentSchema } from "../guardian/assess.ts";
import type { FreezeMirror } from "../guardian/freeze-mirror.ts";
import type { Finding } from "../guardian/snapshot.ts";
import { watchTerms } from "../guardian/terms.ts";
import { isRepeated } from "../repeat.ts";
import { attemptKey, UNREADABLE, type Work, workSchema } from "../work.ts";
import type { Mission, World } from "../world.ts";
import type { Invocation } from "./invoke.ts";

/**
 * Stage 4: checks every run against the counters and every output against its service's history, and halts nodes with anomalies before they
 * are verified (AgentCity 3.5, B.11.2). Work committed before an interruption is checked too; what a human has reviewed is not halted
 * again.
 */
export async function guard(
  world: World,
  mission: Mission,
  mirror: FreezeMirror,
  nodes: readonly NodeView[],
  invocations: readonly Invocation[],
): Promise<void> {
  const working = nodes.filter(({ state }) => state === "EXECUTING" || state === "PENDING_VERIFICATION");
  await guardAll(world, mission, mirror, working, invocations);
}

/** The same for these nodes, whatever their on-chain state. */
export async function guardAll(
  world: World,
  mission: Mission,
  mirror: FreezeMirror,
  nodes: readonly NodeView[],
  invocations: readonly Invocation[],
): Promise<void> {
  for (const view of nodes) {
    const settled = await mirror.settledSlots(view);
    const findings: Finding[] = [];
    for (const slot of view.slots) {
      const work = settled.has(slot.slot) ? undefined : await finishedWork(world, mission, view, slot, invocations);
      if (work === undefined) continue;
      const { anomaly, scores } = await assessmentOf(world, mission, view, slot, work);
      if (anomaly !== null) findings.push({ slot: slot.slot, work, scores, anomaly });
    }
    await mirror.halt(view, findings);
  }
}

async function finishedWork(
  world: World,
  mission: Mission,
  view: NodeView,
  slot: SlotView,
  invocations: readonly Invocation[],
): Promise<Work | undefined> {
  const place = [...attemptKey(mission, view), slot.slot];
  const done = invocations.find((each) => each.view.law.number === view.law.number && each.slot.slot === slot.slot)?.work;
  // Sealed work is checked once it is opened.
  const work = slot.committed || (done !== undefined && "sealedId" in done) ? await world.recall(["work", ...place], workSchema) : done;
  return work?.ok === false && work.fault === UNREADABLE ? undefined : work;
}

async function assessmentOf(world: World, mission: Mission, view: NodeView, slot: SlotView, work: Work): Promise<Assessment> {
  return world.remember(["watch", ...attemptKey(mission, view), slot.slot], assessmentSchema, async () =>
    assess(world, await watchTerms(world, mission), work.service, work, await isAmended(world, mission, view), () =>
      isRepeated(world, mission, view, work),
    ),
  );
}

/** Whether an adjudicator amended this attempt's mandate. */
async function isAmended({ client }: World, { address }: Mission, { law, attempt, freezes }: NodeView): Promise<boolean> {
  if (attempt === 0 || freezes === 0) return false;
  const amended = await client.mission(address).history("NodeAmended", { node: law.number });
  return amended.some(({ args }) => args.attempt === attempt);
}
