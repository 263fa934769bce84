import { TransactionReverted } from "../chain/errors.ts";
import { LegislatureContext, type LegislatureOptions } from "./context.ts";
import { requireFeasible } from "./feasible.ts";
import { sessionGraph } from "./graph.ts";
import { expireSession } from "./refund.ts";
import { type LegislatureResult, resultOf } from "./result.ts";
import type { SessionState } from "./state.ts";

/** More steps than any session takes. */
const RECURSION_LIMIT = 100;

/**
 * Runs one legislative session to its end: a deployed mission, or no law and the deposit returned. Called again with the same id
 * after a crash, it goes on where it was: nothing is signed otherwise, nothing is sent twice. A session whose stage outlived its
 * time, or that its sponsor cancelled, ends with the deposit returned. Afterwards its checkpoints are gone.
 */
export async function runLegislature(options: LegislatureOptions): Promise<LegislatureResult> {
  const context = new LegislatureContext(options);
  const { checkpointer } = options.ports;
  const graph = sessionGraph(context).compile({ checkpointer });
  const config = { configurable: { thread_id: options.id }, durability: "sync" as const, recursionLimit: RECURSION_LIMIT };

  const begun = await graph.getState(config);
  const isNew = begun.createdAt === undefined;
  if (isNew) await requireFeasible(context);
  let final: SessionState = begun.values;
  if (isNew || begun.next.length > 0) {
    try {
      final = await graph.invoke(isNew ? {} : null, config);
    } catch (error) {
      final = (await graph.getState(config)).values;
      if (!(error instanceof TransactionReverted) || final.session === "") throw error;
      if (!(await expireSession(context, BigInt(final.session)))) throw error;
      final = { ...final, outcome: "failed" };
    }
  }
  const result = await resultOf(context, final);
  await checkpointer.deleteThread(options.id);
  return result;
}
