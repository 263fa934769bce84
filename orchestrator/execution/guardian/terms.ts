import { z } from "zod";
import { type ParameterName, parameterIndex } from "../../protocol/parameters.ts";
import type { Mission, World } from "../world.ts";

const termsSchema = z.strictObject({
  /** Most tool calls and messages of one run. */
  tools: z.int(),
  messages: z.int(),
  /** σ × 100: both scores above it are an anomaly. */
  deviation: z.int(),
  /** Two scorer numbers, eight bits each. */
  scorers: z.int(),
});

/** What the Guardian holds a mission to. */
export type WatchTerms = z.infer<typeof termsSchema>;

/** The constitution's values when they were first needed for this mission: locked for its life (parameters.md, L). */
export function watchTerms({ client, remember }: Pick<World, "client" | "remember">, mission: Mission): Promise<WatchTerms> {
  const param = async (name: ParameterName) => Number(await client.constitution.param(parameterIndex(name)));
  return remember(["terms", mission.address], termsSchema, async () => ({
    tools: await param("MAX_TOOL_INVOCATIONS"),
    messages: await param("MAX_MESSAGE_VOLUME"),
    deviation: await param("DEVIATION_THRESHOLD"),
    scorers: await param("EMBEDDING_SCORERS"),
  }));
}
