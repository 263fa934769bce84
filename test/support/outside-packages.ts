import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/dev/files.ts";

const FILES = ["package.json", "package-lock.json", ".npmrc"];

/**
 * Clients and contracts of others that the city does not depend on, as the lock file of `test/outside/packages` has them: installed from the
 * registry the first time. Returns their `node_modules`.
 */
export function outsidePackages(): string {
  const folder = join(root, "test/outside/packages");
  const place = join(folder, "node_modules");
  if (isCurrent(folder, place)) return place;
  const beside = join(root, "cache");
  mkdirSync(beside, { recursive: true });
  const fresh = mkdtempSync(join(beside, "outside-packages-"));
  try {
    for (const file of FILES) copyFileSync(join(folder, file), join(fresh, file));
    execFileSync("npm", ["ci", "--ignore-scripts", "--loglevel=error"], { cwd: fresh, stdio: ["ignore", "ignore", "inherit"] });
    copyFileSync(join(fresh, "package-lock.json"), join(fresh, "node_modules/locked.json"));
    // Another test file may have been quicker.
    if (!isCurrent(folder, place)) {
      rmSync(place, { recursive: true, force: true });
      renameSync(join(fresh, "node_modules"), place);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return place;
}

function isCurrent(folder: string, place: string): boolean {
  const mark = join(place, "locked.json");
  return existsSync(mark) && readFileSync(mark, "utf8") === readFileSync(join(folder, "package-lock.json"), "utf8");
}
