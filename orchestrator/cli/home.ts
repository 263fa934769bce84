import { join } from "node:path";

/** Where a folder keeps its city and its finished missions. */
export function home(network = "embedded"): { readonly root: string; readonly dir: string; readonly cacheDir: string } {
  const root = process.env["AGENTCITY_HOME"] ?? ".agentcity";
  return { root, dir: join(root, network), cacheDir: join(root, "cache") };
}
