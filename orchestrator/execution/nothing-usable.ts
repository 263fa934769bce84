import { z } from "zod";
import type { NodeView } from "./chain-view.ts";
import { noteEnding } from "./ending.ts";
import { attemptKey, readOutput, workSchema } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** An item that could not be read states why. */
const failedItem = z.looseObject({ id: z.string(), problem: z.string().min(1) });
const allFailed = z.array(failedItem).min(1);

/**
 * Ends a mission whose input is entirely unreadable: every executor of a task over the input reports a problem with every item (for
 * example, no page could be fetched). Called after they have run and before anything is committed, so nothing is paid.
 */
export async function requireSomethingUsable(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const overInput = nodes.filter(({ law }) => law.shard !== null && law.mission === undefined);
  for (const task of new Set(overInput.map(({ law }) => law.task))) {
    const problems: z.infer<typeof allFailed> = [];
    const own = overInput.filter(({ law }) => law.task === task);
    for (const view of own) {
      const found = await problemsOf(world, mission, view);
      if (found === undefined) break;
      problems.push(...found);
    }
    if (new Set(problems.map(({ id }) => id)).size < mission.items.length) continue;
    const first = problems.slice(0, 3).map(({ id, problem }) => `${id}: ${problem}`);
    return noteEnding(world, mission, {
      code: "NothingUsable",
      node: task,
      reason: `nothing of the input could be read: ${first.join("; ")}${problems.length > first.length ? "; …" : ""}`,
      action: "check that the addresses or files are the right ones and reachable from here, then run the mission again",
      disagreement: null,
    });
  }
}

/** Problems that every executor of a node reports, by item; undefined if one has not run, or could use an item. */
async function problemsOf(world: World, mission: Mission, view: NodeView): Promise<z.infer<typeof allFailed> | undefined> {
  let problems: z.infer<typeof allFailed> | undefined;
  for (let slot = 0; slot < view.law.redundancy; slot += 1) {
    const work = await world.recall(["work", ...attemptKey(mission, view), slot], workSchema);
    if (work?.ok !== true) return undefined;
    problems = allFailed.safeParse((await readOutput(world, work.outputId))["items"]).data;
    if (problems === undefined) return undefined;
  }
  return problems;
}
