import { join } from "node:path";
import { typedPath } from "./shell.ts";

/**
 * Folders of a city and of its finished missions; the cache (an empty database) may be shared by several cities. Without AGENTCITY_HOME
 * they are below the working directory: where `agentcity` was typed, or the project's folder under `npm run`.
 */
export function home(network = "embedded"): { readonly root: string; readonly dir: string; readonly cacheDir: string } {
  const own = process.env["AGENTCITY_HOME"];
  const root = own === undefined ? ".agentcity" : typedPath(own);
  const cache = process.env["AGENTCITY_CACHE"];
  return { root, dir: join(root, network), cacheDir: cache === undefined ? join(root, "cache") : typedPath(cache) };
}
