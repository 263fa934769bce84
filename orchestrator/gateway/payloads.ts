import { z } from "zod";
import type { HubFilter } from "../hub/query.ts";
import type { StreamEvent } from "../hub/view.ts";
import { parseJsonBytes } from "../primitives/json.ts";
import type { World } from "./command.ts";

/** A chain event that holds, with what it says. */
export interface DecodedEvent<Args> {
  readonly event: StreamEvent;
  readonly args: Args;
}

/** What a chain event says; its payload may be gone after two years. */
export async function argsOf<Args>({ hub }: Pick<World, "hub">, event: StreamEvent, schema: z.ZodType<Args>): Promise<Args | undefined> {
  const bytes = await hub.payload(event.payloadCid);
  return bytes === undefined ? undefined : z.object({ args: schema }).parse(parseJsonBytes(bytes)).args;
}

/** Every chain event of this kind that holds, oldest first. */
export async function payloadsOf<Args>(
  world: Pick<World, "hub">,
  filter: HubFilter,
  schema: z.ZodType<Args>,
): Promise<readonly DecodedEvent<Args>[]> {
  const payloads: DecodedEvent<Args>[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await pageOfPayloads(world, { ...filter, limit: 200, cursor }, schema);
    payloads.push(...page.payloads);
    cursor = page.next;
  }
  return payloads;
}

/** A page of them. */
export async function pageOfPayloads<Args>(
  world: Pick<World, "hub">,
  query: HubFilter & { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly newest?: boolean | undefined },
  schema: z.ZodType<Args>,
): Promise<{ readonly payloads: readonly DecodedEvent<Args>[]; readonly next: string | null }> {
  const { events, next } = await world.hub.query(query);
  const payloads: DecodedEvent<Args>[] = [];
  for (const event of events) {
    if (event.isCorrected || event.corrects !== null) continue;
    const args = await argsOf(world, event, schema);
    if (args !== undefined) payloads.push({ event, args });
  }
  return { payloads, next };
}
