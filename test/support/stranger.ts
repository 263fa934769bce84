import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePackage } from "../../scripts/dev/build.ts";
import { root } from "../../scripts/dev/files.ts";

/** A folder of somebody who has the package, from its tarball, viem, and its examples: nothing else of this repository. Returns its path. */
export async function strangersFolder(directory: string): Promise<string> {
  await writePackage(join(directory, "dist"));
  const stranger = join(directory, "stranger");
  mkdirSync(join(stranger, "node_modules"), { recursive: true });
  writeFileSync(join(stranger, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  execFileSync("tar", ["-xzf", packed(join(directory, "dist"), directory), "-C", directory]);
  symlinkSync(join(directory, "package"), join(stranger, "node_modules/agentcity"), "dir");
  for (const modules of [stranger, join(directory, "package")]) {
    mkdirSync(join(modules, "node_modules"), { recursive: true });
    symlinkSync(join(root, "node_modules/viem"), join(modules, "node_modules/viem"), "dir");
  }
  for (const file of readdirSync(join(directory, "package/examples")))
    if (file.endsWith(".ts")) copyFileSync(join(directory, "package/examples", file), join(stranger, file));
  return stranger;
}

/** Packs a folder as npm does; the path of the tarball. */
function packed(directory: string, into: string): string {
  const name = execFileSync("npm", ["pack", "--silent", directory], { cwd: into, encoding: "utf8" }).trim();
  return join(into, name);
}
