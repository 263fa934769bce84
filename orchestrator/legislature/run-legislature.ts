import { LegislatureContext, type LegislatureOptions } from "./context.ts";
import { sessionGraph } from "./graph.ts";
import { type LegislatureResult, resultOf } from "./result.ts";
import type { SessionState } from "./state.ts";

/** More steps than any session takes. */
const RECURSION_LIMIT = 100;

/**
 * Runs one legislative session to its end: a deployed mission, or no law and the deposit returned. Called again with the same id
 * after a crash, it goes on where it was: nothing is signed otherwise, nothing is sent twice. Afterwards its checkpoints are gone.
 */
export async function runLegislature(options: LegislatureOptions): Promise<LegislatureResult> {
  const context = new LegislatureContext(options);
  const { checkpointer } = options.ports;
  const graph = sessionGraph(context).compile({ checkpointer });
  const config = { configurable: { thread_id: options.id }, durability: "sync" as const, recursionLimit: RECURSION_LIMIT };
  const begun = await graph.getState(config);
  const isOver = begun.createdAt !== undefined && begun.next.length === 0;
  const final: SessionState = isOver ? begun.values : await graph.invoke(begun.createdAt === undefined ? {} : null, config);
  const result = await resultOf(context, final);
  await checkpointer.deleteThread(options.id);
  return result;
}
