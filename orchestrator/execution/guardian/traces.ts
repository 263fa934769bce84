import { z } from "zod";
import type { NodeView } from "../chain-view.ts";
import { attemptKey } from "../work.ts";
import type { Mission, World } from "../world.ts";

/** One completed task of an agent with one of its services: an element of its window. */
export const traceSchema = z.strictObject({ outputId: z.string() });

/**
 * Records completed work as behaviour of its service. A service's on-chain id covers owner and code, so that a window never mixes agents,
 * services of one agent, or versions of its code. Work that was not cleared never becomes part of a baseline.
 */
export async function noteTrace(
  world: Pick<World, "remember">,
  mission: Mission,
  view: Pick<NodeView, "law" | "attempt">,
  { slot, service, outputId }: { readonly slot: number; readonly service: string; readonly outputId: string },
): Promise<void> {
  await world.remember(["trace", ...attemptKey(mission, view), slot, service], traceSchema, async () => ({ outputId }));
}
