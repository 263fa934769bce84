import { join } from "node:path";

/** Where a folder keeps its city and its finished missions; what can be made again (bundles, an empty database) several may share. */
export function home(network = "embedded"): { readonly root: string; readonly dir: string; readonly cacheDir: string } {
  const root = process.env["AGENTCITY_HOME"] ?? ".agentcity";
  return { root, dir: join(root, network), cacheDir: process.env["AGENTCITY_CACHE"] ?? join(root, "cache") };
}
