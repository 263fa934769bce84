import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { z } from "zod";
import { filesIn, root } from "./files.ts";
import config from "./production.config.ts";

/** What the law is compared with, compiled with the same settings. */
const PEERS = "test/contracts/peers/*.sol";

const Artifact = z.object({ contractName: z.string(), deployedBytecode: z.string() });

/** Where the production profile's artifacts lie, apart from those that tests use. */
export const PRODUCTION_ARTIFACTS = config.paths.artifacts;

/** Compiles contracts and peers with the production profile. */
export async function compileForProduction(): Promise<void> {
  const hre = await createHardhatRuntimeEnvironment(config, { buildProfile: "production", noTypechain: true }, root);
  const build = hre.tasks.getTask("build");
  await build.run({ quiet: true, noTests: true });
  await build.run({ quiet: true, files: filesIn(PEERS).map((path) => join(root, path)) });
}

/** Code sizes in bytes of all contracts and linked libraries of ours, largest first. */
export function sizesIn(artifacts: string): { name: string; size: number }[] {
  return filesIn("contracts/**/*.json", join(root, artifacts))
    .map((path) => Artifact.parse(JSON.parse(readFileSync(join(root, artifacts, path), "utf8"))))
    .map(({ contractName, deployedBytecode }) => ({ name: contractName, size: deployedBytecode.length / 2 - 1 }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size || a.name.localeCompare(b.name));
}
