import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../scripts/dev/files.ts";

/**
 * A folder somewhere else with files of `test/outside`, these packages, and nothing of this repository. Returns the files' paths.
 * @param modules Where the packages are taken from.
 */
export function outsideFolder(
  directory: string,
  files: readonly string[],
  packages: readonly string[],
  modules = join(root, "node_modules"),
): readonly string[] {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "outside", private: true, type: "module" }));
  for (const name of packages) {
    const place = join(directory, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(modules, name), place, "dir");
  }
  return files.map((file) => {
    copyFileSync(join(root, "test/outside", file), join(directory, file));
    return join(directory, file);
  });
}
