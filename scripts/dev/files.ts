import { globSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's root folder. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** A list that tests own, as a module: nothing here imports tests. */
export const listIn = (path: string): Promise<unknown> => import(new URL(`../../${path}`, import.meta.url).href);

/** Paths of `cwd` that match, with forward slashes, sorted, without installed or generated folders. */
export function filesIn(patterns: string | readonly string[], cwd: string = root): string[] {
  const exclude = ["**/node_modules/**", "artifacts/**", "cache/**", "dist/**", ".agentcity/**"];
  const found = globSync([patterns].flat(), { cwd, exclude });
  return found.map((path) => relative(cwd, `${cwd}/${path}`).split(sep).join("/")).sort();
}
