import { z } from "zod";
import type { HubFilter } from "../hub/query.ts";
import type { StreamEvent } from "../hub/view.ts";
import { parseJsonBytes } from "../primitives/json.ts";
import type { FrontWorld, World } from "./command.ts";

/** A chain event that holds, with what it says. */
export interface DecodedEvent<Args> {
  readonly event: StreamEvent;
  readonly args: Args;
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
  return { payloads: await decoded(world, events, schema), next };
}

/** What those of these events say that hold. */
export async function decoded<Args>(
  world: Pick<World, "hub">,
  events: readonly StreamEvent[],
  schema: z.ZodType<Args>,
): Promise<readonly DecodedEvent<Args>[]> {
  const holding = events.filter(({ isCorrected, corrects }) => !isCorrected && corrects === null);
  if (holding.length === 0) return [];
  const bytes = await world.hub.payloads(holding.map(({ payloadCid }) => payloadCid));
  const said = z.object({ args: schema });
  return holding.flatMap((event) => {
    // It may be gone after two years.
    const content = bytes.get(event.payloadCid);
    return content === undefined ? [] : [{ event, args: said.parse(parseJsonBytes(content)).args }];
  });
}

/** What records of this kind about a mission or a node say, as far as they are kept here, oldest first; a page at a time. */
export async function* recordsOf<Content>(
  { hub, blocks }: Pick<FrontWorld, "hub" | "blocks">,
  filter: Pick<HubFilter, "missionId" | "nodeId" | "name">,
  schema: z.ZodType<Content>,
): AsyncGenerator<Content> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { events, next } = await hub.query({ ...filter, limit: 200, cursor });
    for (const { payloadCid } of events) if (blocks.has(payloadCid)) yield schema.parse(parseJsonBytes(blocks.get(payloadCid)));
    cursor = next;
  }
}
