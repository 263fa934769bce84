/** A city of this process with its console, as `npm run city` serves it. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { City } from "../../orchestrator/city/city.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { fileAt, readSite } from "../build/site.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const dist = join(root, "console", "dist");

/** @param port 0: any that is free */
export function serveConsole(city: City, port = 0): Promise<Gateway> {
  const { site } = readSite(dist);
  return serveGateway(city, {
    ...{ port, version: "test", millis: () => Date.now(), sleep: (millis) => sleep(millis) },
    limits: { burst: 1_000_000, perSecond: 1_000_000 },
    campaigns: { published: join(root, "bench"), own: join(city.dir, "..") },
    bundles: join(city.dir, "..", "missions"),
    pages: (path) => fileAt(site, path, "city"),
  });
}
