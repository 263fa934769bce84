import { Command } from "@langchain/langgraph";
import { GoalNotFeasible, NoPlan } from "../minds/errors.ts";
import { type CodificationRequest, codificationRequestSchema } from "../protocol/codification-approval.ts";
import { LegislatureContext, type LegislatureOptions, openedSession } from "./context.ts";
import { AuditNeeded } from "./errors.ts";
import { requireFeasible } from "./feasible.ts";
import { sessionGraph } from "./graph.ts";
import { isOver } from "./refund.ts";
import { type LegislatureResult, resultOf } from "./result.ts";
import { concludedSchema, type SessionState } from "./state.ts";

/** More steps than any order needs, with all its sessions. */
const RECURSION_LIMIT = 400;

/**
 * Runs one order through the legislature to its end: a deployed mission, or no law and a refund; this may take several sessions on chain.
 * Called again with the same id after a crash, it resumes: nothing is signed differently, nothing is sent twice. A law of HIGH risk stops
 * it with `AuditNeeded` until an adjudicator has signed. At the end its final state is recorded, and its checkpoints are deleted.
 */
export async function runLegislature(options: LegislatureOptions): Promise<LegislatureResult> {
  const context = new LegislatureContext(options);
  const { checkpointer } = options.ports;
  const graph = sessionGraph(context).compile({ checkpointer });
  // A node's checkpoint is stored before the next node runs (decision 45).
  const config = { configurable: { thread_id: options.id }, durability: "sync" as const, recursionLimit: RECURSION_LIMIT };

  /** Runs the graph; if it waits for an adjudicator, resumes it with the signature, or stops. */
  async function run(input: InitialState | null): Promise<SessionState> {
    let final = await graph.invoke(input, config);
    for (const tried = new Set<string>(); ; ) {
      const request = pendingRequest(await graph.getState(config));
      if (request === undefined) return final;
      await context.cross("legislature:audit-awaited");
      const approval = await options.ports.approval?.(request);
      if (approval === undefined || tried.has(approval.signature)) throw new AuditNeeded(request);
      tried.add(approval.signature);
      final = await graph.invoke(new Command({ resume: approval }), config);
    }
  }

  async function conclude(): Promise<SessionState> {
    const begun = await graph.getState(config);
    const isNew = begun.createdAt === undefined;
    // Not `next`, which omits steps that are done but whose checkpoint could not be stored.
    const isOver = !isNew && begun.tasks.length === 0;
    return isOver ? begun.values : run(isNew ? await initialState(context) : null);
  }

  // A mission asks for its law after every restart. By then other agents may be seated and the chain has cleared the session's deadlines, so
  // the outcome is read, not derived again.
  const key = { session: options.id, agent: "legislature", step: "concluded", round: 0 };
  const final = await options.ports.answers.remember(key, concludedSchema, conclude);
  const result = await resultOf(context, final);
  await checkpointer.deleteThread(options.id);
  return result;
}

type InitialState = Partial<Pick<SessionState, "session" | "outcome">>;

/** The initial state of a new order. If its money has moved already and no law can result, its session runs to its end. */
async function initialState(context: LegislatureContext): Promise<InitialState> {
  const opened = openedSession(context.options);
  const session = opened === undefined ? {} : { session: opened.toString() };
  if (opened !== undefined && (await isOver(context, opened))) return { ...session, outcome: "overdue" };
  try {
    await requireFeasible(context);
    return session;
  } catch (error) {
    if (opened === undefined || !(error instanceof GoalNotFeasible || error instanceof NoPlan)) throw error;
    return { ...session, outcome: "overdue" };
  }
}

/** Throws a named error if no law could result from an order; called before its session is opened and paid for. */
export async function requireLegislable(options: LegislatureOptions): Promise<void> {
  await requireFeasible(new LegislatureContext(options));
}

interface Paused {
  readonly tasks: readonly { readonly interrupts: readonly { readonly value?: unknown }[] }[];
}

/** The request that the graph waits for, if any. */
function pendingRequest({ tasks }: Paused): CodificationRequest | undefined {
  const [waiting] = tasks.flatMap(({ interrupts }) => interrupts);
  return waiting === undefined ? undefined : codificationRequestSchema.parse(waiting.value);
}
