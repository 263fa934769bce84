import { z } from "zod";
import { parametersOf } from "../../client/editions.ts";
import type { Address } from "../../primitives/hex.ts";
import type { Mission, World } from "../world.ts";

const termsSchema = z.strictObject({
  /** Maximum number of tool calls and messages of one run. */
  tools: z.int(),
  messages: z.int(),
  /** σ × 100: both scores above it are an anomaly. */
  deviation: z.int(),
  /** Two scorer numbers, eight bits each. */
  scorers: z.int(),
});

/** The limits that the Guardian applies to a mission. */
export type WatchTerms = z.infer<typeof termsSchema>;

/** The values in force when the mission's session opened (decision 74); recorded, because every run needs them. */
export function watchTerms({ client, remember }: Pick<World, "client" | "remember">, mission: Mission): Promise<WatchTerms> {
  return remember(["terms", mission.address], termsSchema, () => watchLimits(client, mission.address));
}

/** The same from the chain. */
export async function watchLimits(client: Parameters<typeof parametersOf>[0], mission: Address): Promise<WatchTerms> {
  const { param } = await parametersOf(client, mission);
  return {
    tools: Number(await param("MAX_TOOL_INVOCATIONS")),
    messages: Number(await param("MAX_MESSAGE_VOLUME")),
    deviation: Number(await param("DEVIATION_THRESHOLD")),
    scorers: Number(await param("EMBEDDING_SCORERS")),
  };
}
