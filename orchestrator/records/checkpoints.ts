import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { Database } from "./database.ts";

const SCHEMA = "checkpoints";

/** LangGraph's checkpointer over the city's own database. A session's id is its `thread_id`. */
export async function openCheckpointer(database: Database): Promise<PostgresSaver> {
  const saver = new PostgresSaver(database.pool, undefined, { schema: SCHEMA });
  await saver.setup();
  return saver;
}
