import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { Database } from "./database.ts";

/** For every `invoke` and `stream`: a node's checkpoint is on disk before the next node runs (decision 45). */
export const DURABILITY = "sync";

const SCHEMA = "checkpoints";

/** LangGraph's checkpointer over the city's own database. A session's id is its `thread_id`. */
export async function openCheckpointer(database: Database): Promise<PostgresSaver> {
  const saver = new PostgresSaver(database.pool, undefined, { schema: SCHEMA });
  await saver.setup();
  return saver;
}

/** At a session's end its checkpoints are of no more use. */
export async function pruneCheckpoints(saver: PostgresSaver, session: string): Promise<void> {
  await saver.deleteThread(session);
}
