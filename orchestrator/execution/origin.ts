import { z } from "zod";
import { canonicalBytes } from "../primitives/json.ts";
import { type NodeView, viewNodes } from "./chain-view.ts";
import { signedItemSchema } from "./evidence.ts";
import { watchTerms } from "./guardian/terms.ts";
import { modelsOf } from "./models/model-tool.ts";
import { DEFAULT_LIMITS, LONGEST_RUN_MS, type SandboxLimits } from "./sandbox/limits.ts";
import type { Origin, Upstream } from "./seat.ts";
import { attemptKey, sealedSchema, workSchema } from "./work.ts";
import type { Mission, World } from "./world.ts";

/**
 * Limits of one run of a node's service: the constitution's counts, and the node's time limit, all of which may be spent waiting for a
 * model.
 */
export async function limitsOf(world: World, mission: Mission, { law }: Pick<NodeView, "law">): Promise<Partial<SandboxLimits>> {
  const { tools, messages } = await watchTerms(world, mission);
  const longest = modelsOf(law).length === 0 ? DEFAULT_LIMITS.wallClockMs : LONGEST_RUN_MS;
  return { tools, messages, wallClockMs: Math.min(longest, 1000 * law.timeout) };
}

/** The blocks from which a node's input is derived. */
export async function originOf(world: World, mission: Mission, { law }: NodeView): Promise<Origin> {
  const views = await viewNodes(world, mission);
  const before = views.filter((view) => law.after.includes(view.law.number));
  const upstream = before.map(async (view) => {
    const outputs: Upstream["outputs"][number][] = [];
    const unread: Upstream["unread"][number][] = [];
    for (const { slot } of view.slots.filter((each) => each.revealed)) {
      const place = [...attemptKey(mission, view), slot];
      const work = await world.recall(["work", ...place], workSchema);
      if (work?.ok === true) outputs.push({ slot, output: work.outputId });
      const sealed = work?.ok === true ? undefined : await world.recall(["sealed", ...place], sealedSchema);
      const items = await world.recall(["evidence", ...place], z.array(signedItemSchema));
      if (sealed !== undefined && items !== undefined) unread.push({ slot, sealed: sealed.sealedId, items });
    }
    return { node: view.law.number, outputs, unread };
  });
  return {
    document: await world.store.put(canonicalBytes(mission.document)),
    items: await world.store.put(canonicalBytes(mission.items)),
    upstream: await Promise.all(upstream),
  };
}
