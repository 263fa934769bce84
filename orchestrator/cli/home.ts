import { join } from "node:path";
import { typedPath } from "./shell.ts";

/**
 * Where a folder keeps its city and its finished missions; a cache (an empty database) may be shared by several.
 * Without AGENTCITY_HOME that is below the working directory: where `agentcity` is typed, and the project's folder under `npm run`.
 */
export function home(network = "embedded"): { readonly root: string; readonly dir: string; readonly cacheDir: string } {
  const own = process.env["AGENTCITY_HOME"];
  const root = own === undefined ? ".agentcity" : typedPath(own);
  const cache = process.env["AGENTCITY_CACHE"];
  return { root, dir: join(root, network), cacheDir: cache === undefined ? join(root, "cache") : typedPath(cache) };
}
