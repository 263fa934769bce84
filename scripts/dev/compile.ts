/**
 * Makes the compiled contracts current. `npm start` and the like need the contracts alone: they come with the sources, packed, and are
 * unpacked unless a source changed. Tests need everything: that is compiled unless it was made from exactly these inputs. Hardhat alone
 * takes about two seconds to find out; this takes milliseconds, and prints to stderr only, so that `--json` keeps stdout to itself.
 *
 * usage: npm run compile [-- --force] [-- --production]
 *        npm run compile -- --contracts      what commands need: unpacked, or compiled when a source changed
 *        npm run compile -- --pack           writes deploy/shipped/ after a change of the contracts
 *        npm run compile -- --check          fails when deploy/shipped/ is not what the sources compile to
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { whileWorking } from "../../orchestrator/cli/while-working.ts";
import { filesIn, root } from "./files.ts";
import { differs, pack, unpack } from "./shipped-artifacts.ts";

const CONTRACTS = ["contracts/**/*.sol", "hardhat.config.ts"];
const EVERYTHING = [...CONTRACTS, "test/contracts/**/*.sol"];
/** Compiler, libraries, and what writes artifacts and types; another package may change without compiling anything again. */
const TOOLS = ["solc", "@openzeppelin/contracts", "solady", "hardhat", "@nomicfoundation/hardhat-typechain", "typechain"];

const ARTIFACTS = join(root, "artifacts");
const SHIPPED = join(root, "deploy", "shipped");
/** Hash of the inputs of what lies in `artifacts/`: of everything, or of the contracts alone. */
const STAMP = join(ARTIFACTS, "everything.sha256");
const CONTRACTS_STAMP = join(ARTIFACTS, "contracts.sha256");
/** By it Hardhat believes that artifacts are its own. */
const HARDHAT_CACHE = join(root, "cache", "compile-cache.json");

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), integrity: z.string().optional() })),
});

/** Hash of what artifacts depend on: sources, settings, and by the lock file the tools. */
function hashOf(patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of filesIn(patterns))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  for (const name of TOOLS) {
    const tool = packages[`node_modules/${name}`];
    hash.update(`${name} ${tool?.version} ${tool?.integrity}\0`);
  }
  return hash.digest("hex");
}

const isStamped = (stamp: string, hash: string) => existsSync(stamp) && readFileSync(stamp, "utf8") === hash;

/** The compiler's messages but warnings about installed packages, such as the one on transient storage in OpenZeppelin. */
function withoutForeignWarnings(output: string): string {
  const messages = output.split(/^(?=(?:Warning|Error|\w+Error): )/m);
  return messages.filter((message) => !(message.startsWith("Warning") && message.includes("--> ./node_modules/"))).join("");
}

function build(...options: readonly string[]): void {
  rmSync(STAMP, { force: true });
  rmSync(CONTRACTS_STAMP, { force: true });
  const hardhat = fileURLToPath(new URL("./cli.js", import.meta.resolve("hardhat")));
  const args = [hardhat, "build", ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  console.error(withoutForeignWarnings(stdout + stderr).trim());
  if (status !== 0) throw new Error("the contracts do not compile");
}

/** Makes artifacts and typechain types current; throws when the contracts do not compile. */
export function compile({ force = false } = {}): void {
  const hash = hashOf(EVERYTHING);
  if (!force && isStamped(STAMP, hash)) return;
  console.error("compiling contracts and their tests, about a minute …");
  build(...(force ? ["--force"] : []));
  writeFileSync(STAMP, hash);
}

/** Makes the artifacts of `contracts/` current: all that the city needs. */
export function provideContracts(): void {
  const hash = hashOf(CONTRACTS);
  if (isStamped(CONTRACTS_STAMP, hash) || isStamped(STAMP, hashOf(EVERYTHING))) return;
  rmSync(STAMP, { force: true });
  rmSync(CONTRACTS_STAMP, { force: true });
  mkdirSync(ARTIFACTS, { recursive: true });
  const problem = unpack(SHIPPED, ARTIFACTS, hash);
  if (problem === undefined) rmSync(HARDHAT_CACHE, { force: true });
  else {
    console.error(`${problem}: compiling contracts, about a minute …`);
    build("--no-tests", "--no-typechain");
  }
  writeFileSync(CONTRACTS_STAMP, hash);
}

/** Makes the production profile's artifacts current, and returns their folder; some minutes when an input changed. */
export async function compileProduction(): Promise<string> {
  const { compileForProduction, PRODUCTION_ARTIFACTS } = await import("./production.ts");
  const hash = hashOf(EVERYTHING);
  const stamp = join(root, PRODUCTION_ARTIFACTS, "inputs.sha256");
  if (isStamped(stamp, hash)) return PRODUCTION_ARTIFACTS;
  rmSync(stamp, { force: true });
  await whileWorking("contracts are compiled for production, once after each change: two to three minutes", compileForProduction);
  writeFileSync(stamp, hash);
  return PRODUCTION_ARTIFACTS;
}

function checkShipped(): void {
  const difference = differs(SHIPPED, ARTIFACTS, hashOf(CONTRACTS));
  if (difference !== undefined) throw new Error(`deploy/shipped is stale: ${difference}; run \`npm run compile -- --pack\``);
}

if (import.meta.main) {
  const asked = (option: string) => process.argv.includes(option);
  try {
    if (asked("--contracts")) provideContracts();
    else compile({ force: asked("--force") });
    if (asked("--production")) await compileProduction();
    if (asked("--pack")) pack(SHIPPED, ARTIFACTS, hashOf(CONTRACTS));
    if (asked("--check")) checkShipped();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
