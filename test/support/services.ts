import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import type { Item, Service, ServiceOutput } from "../../services/shared/contract.ts";

/** Runs a service in this process, with these options and answers to `fetch` by address. */
export async function answerOf(
  service: Service,
  items: readonly Item[],
  options: JsonObject = {},
  pages: Readonly<Record<string, JsonValue>> = {},
): Promise<ServiceOutput> {
  return service(
    { goal: "g", items, upstream: [], options },
    {
      tool: async (name, args) => {
        const url = typeof args === "object" && args !== null && "url" in args ? String(args["url"]) : "";
        const page = pages[url];
        if (name !== "fetch" || page === undefined) throw new Error(`HostUnreachable: ${url}`);
        return page;
      },
      message: () => undefined,
    },
  );
}
