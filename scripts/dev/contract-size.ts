/**
 * Fails when a contract's code exceeds the limit in either compiler profile, and prints the largest. The margin below the chain's
 * 24,576 bytes (EIP-170) is kept for fixes.
 *
 * usage: npm run size
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { z } from "zod";
import config from "../../hardhat.config.ts";
import { compile } from "./compile.ts";
import { filesIn, root } from "./files.ts";

const LIMIT = 23_500;
const PRINTED = 8;

const Artifact = z.object({ contractName: z.string(), deployedBytecode: z.string() });

/** Code sizes in bytes of all contracts and linked libraries of ours, largest first. */
function sizesIn(artifacts: string): { name: string; size: number }[] {
  return filesIn("contracts/**/*.json", join(root, artifacts))
    .map((path) => Artifact.parse(JSON.parse(readFileSync(join(root, artifacts, path), "utf8"))))
    .map(({ contractName, deployedBytecode }) => ({ name: contractName, size: deployedBytecode.length / 2 - 1 }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size || a.name.localeCompare(b.name));
}

/** Compiles with the production profile into a folder of its own, so that tests keep their artifacts. */
async function compileForProduction(): Promise<string> {
  const artifacts = "cache/production/artifacts";
  const hre = await createHardhatRuntimeEnvironment(
    { ...config, paths: { ...config.paths, artifacts, cache: "cache/production/cache" } },
    { buildProfile: "production", noTypechain: true },
    root,
  );
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
  return artifacts;
}

compile();
const profiles = { default: "artifacts", production: await compileForProduction() };
for (const [profile, artifacts] of Object.entries(profiles)) {
  const sizes = sizesIn(artifacts);
  if (sizes.length === 0) throw new Error(`${profile}: no contract was compiled`);
  console.log(`contract size, ${profile} profile (limit ${LIMIT} bytes)`);
  for (const { name, size } of sizes.slice(0, PRINTED)) console.log(`  ${String(size).padStart(6)}  ${name}`);
  for (const { name, size } of sizes.filter(({ size }) => size > LIMIT)) {
    console.error(`${name} has ${size} bytes in the ${profile} profile, ${size - LIMIT} too many`);
    process.exitCode = 1;
  }
}
