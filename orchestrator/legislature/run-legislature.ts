import { LegislatureContext, type LegislatureOptions } from "./context.ts";
import { requireFeasible } from "./feasible.ts";
import { sessionGraph } from "./graph.ts";
import { type LegislatureResult, resultOf } from "./result.ts";
import type { SessionState } from "./state.ts";

/** More steps than any order takes, with all its sessions. */
const RECURSION_LIMIT = 400;

/**
 * Leads one order through the legislature to its end: a deployed mission, or no law and the deposit returned; it may take more than one
 * session on chain. Called again with the same id after a crash, it goes on where it was: nothing is signed otherwise, nothing is sent
 * twice. Afterwards its checkpoints are gone.
 */
export async function runLegislature(options: LegislatureOptions): Promise<LegislatureResult> {
  const context = new LegislatureContext(options);
  const { checkpointer } = options.ports;
  const graph = sessionGraph(context).compile({ checkpointer });
  const config = { configurable: { thread_id: options.id }, durability: "sync" as const, recursionLimit: RECURSION_LIMIT };

  const begun = await graph.getState(config);
  const isNew = begun.createdAt === undefined;
  if (isNew) await requireFeasible(context);
  const final: SessionState = isNew || begun.next.length > 0 ? await graph.invoke(isNew ? {} : null, config) : begun.values;
  const result = await resultOf(context, final);
  await checkpointer.deleteThread(options.id);
  return result;
}
