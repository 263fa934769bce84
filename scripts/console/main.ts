/**
 * Serves the console on this machine: the built files and nothing else, each checked against the build's list of hashes before the first
 * answer. No city is needed; what a person opens in the page never leaves the browser.
 */
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { readSite, serveSite } from "../../console/build/site.ts";
import { AgentCityError, messageOf } from "../../orchestrator/primitives/errors.ts";
import { root } from "../dev/files.ts";

const USAGE = `usage: agentcity console [--port <port>]

Serves the console at http://127.0.0.1:<port>/ until it is interrupted. Default port: 8460; 0 takes a free one.`;
const PORT = "8460";
/** Exit codes: 0 served until interrupted, 1 cannot be served, 2 used wrongly. */
async function main(words: readonly string[]): Promise<number> {
  let port: number;
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { port: { type: "string", default: PORT }, help: { type: "boolean", short: "h", default: false } },
    });
    if (values.help) {
      console.log(USAGE);
      return 0;
    }
    port = z.coerce.number().int().min(0).max(65_535).parse(values.port);
  } catch (error) {
    console.error(`${error instanceof z.ZodError ? "--port: a number from 0 to 65535" : messageOf(error)}\n${USAGE}`);
    return 2;
  }
  try {
    const { site, build } = readSite(join(root, "console", "dist"));
    const { server, url } = await serveSite(site, port);
    console.log(`console  ${url}\nbuild    ${build}\n${site.size} files, each as it was built. End it with Ctrl-C.`);
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        server.closeAllConnections();
        server.close();
      });
    }
    await once(server, "close");
    return 0;
  } catch (error) {
    console.error(error instanceof AgentCityError ? error.message : messageOf(error));
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
