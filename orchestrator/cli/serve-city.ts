import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileAt, readSite } from "../../console/build/site.ts";
import type { City } from "../city/city.ts";
import type { Pages } from "../gateway/http.ts";
import { type Gateway, serveGateway } from "../gateway/serve.ts";
import { messageOf } from "../primitives/errors.ts";
import { version } from "./version.ts";
import { wallTime } from "./wall-time.ts";

export interface Serving {
  readonly port: number;
  readonly publicUrl?: string | undefined;
  readonly origins?: readonly string[];
}

/** Serves a city that is open in this process, by the machine's own clock. */
export async function serveCity(city: City, serving: Serving): Promise<Gateway> {
  const pages = consolePages(city);
  const gateway = await serveGateway(city, { ...serving, pages, version: version(), millis: wallTime.millis, sleep: wallTime.sleep });
  city.tell(`the gateway is at ${gateway.url} (reference: ${gateway.url}/docs)`);
  return gateway;
}

/** Until the process is stopped; the server keeps it alive. */
export async function forEver(): Promise<never> {
  return new Promise<never>(() => {});
}

const DIST = join(fileURLToPath(new URL("../../", import.meta.url)), "console", "dist");

/** The console's files, each with the hash that its build wrote down; undefined, and said, where it is not built or was changed. */
function consolePages({ tell }: City): Pages | undefined {
  try {
    const { site, build } = readSite(DIST);
    tell(`the console is build ${build.slice(0, 12)}`);
    return (path) => fileAt(site, path, "city");
  } catch (error) {
    tell(`no console: ${messageOf(error)} (npm run console:build)`);
    return undefined;
  }
}
