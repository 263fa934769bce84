import { z } from "zod";
import { AgentCityError } from "../../primitives/errors.ts";
import { contentIdOfJson } from "../../primitives/hash.ts";
import { canonicalBytes, type JsonValue } from "../../primitives/json.ts";
import type { Tool } from "../sandbox/process.ts";
import { readOutput } from "../work.ts";
import type { Mission, World } from "../world.ts";
import { FetchRefused } from "./errors.ts";
import { hostOf } from "./fetcher.ts";

const askedSchema = z.strictObject({ url: z.string().max(2_048) });
const fetchedSchema = z.discriminatedUnion("ok", [
  z.strictObject({ ok: z.literal(true), pageId: z.string() }),
  z.strictObject({ ok: z.literal(false), problem: z.string(), details: z.string() }),
]);

/**
 * Tools for the services of a mission: `fetch`, if its input is a list of addresses. Only hosts of that list, which is part of the law, are
 * allowed. A page is fetched once per mission and stored: every executor, verifier and auditor reads the same bytes.
 */
export function toolsOf(
  world: Pick<World, "store" | "recent" | "remember" | "fetchPage">,
  mission: Mission,
): Readonly<Record<string, Tool>> {
  const urls = mission.items.flatMap(({ kind, url }) => (kind === "url" && typeof url === "string" ? [url] : []));
  if (urls.length === 0) return {};
  const hosts = new Set(urls.map(hostOf));

  async function fetched(url: string): Promise<z.infer<typeof fetchedSchema>> {
    // The log is public and addresses are items: it refers to them by hash.
    return world.remember(["page", mission.address, contentIdOfJson(url)], fetchedSchema, async () => {
      try {
        const page = await world.fetchPage(url, hosts);
        return { ok: true, pageId: await world.store.put(canonicalBytes({ ...page })) };
      } catch (error) {
        if (!(error instanceof FetchRefused)) throw error;
        return { ok: false, problem: error.code, details: error.details ?? "" };
      }
    });
  }

  return {
    fetch: async (args: JsonValue): Promise<JsonValue> => {
      const { url } = askedSchema.parse(args);
      const result = await fetched(url);
      if (!result.ok) throw new AgentCityError(result.problem, `${result.problem}: ${result.details}`);
      return readOutput(world, result.pageId);
    },
  };
}
