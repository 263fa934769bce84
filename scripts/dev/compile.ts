/**
 * Compiles the contracts unless the artifacts were made from exactly these inputs. Hardhat alone takes about two seconds to find
 * out; this takes milliseconds, and prints to stderr only, so that `npm start -- --json` keeps stdout to itself.
 *
 * usage: npm run compile [-- --force] [-- --production]
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesIn, root } from "./files.ts";

const INPUTS = ["contracts/**/*.sol", "test/contracts/**/*.sol", "hardhat.config.ts", "package-lock.json"];
const STAMP = join(root, "artifacts", "inputs.sha256");

/** Hash of everything the artifacts depend on: sources, settings, and by the lock file compiler and libraries. */
function hashOfInputs(): string {
  const hash = createHash("sha256");
  for (const path of filesIn(INPUTS))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

/** The compiler's messages but warnings about installed packages, such as the one on transient storage in OpenZeppelin. */
function withoutForeignWarnings(output: string): string {
  const messages = output.split(/^(?=(?:Warning|Error|\w+Error): )/m);
  return messages.filter((message) => !(message.startsWith("Warning") && message.includes("--> ./node_modules/"))).join("");
}

/** Makes artifacts and typechain types current; throws when the contracts do not compile. */
export function compile({ force = false } = {}): void {
  const hash = hashOfInputs();
  if (!force && existsSync(STAMP) && readFileSync(STAMP, "utf8") === hash) return;
  rmSync(STAMP, { force: true });
  console.error("compiling contracts …");
  const hardhat = fileURLToPath(new URL("./cli.js", import.meta.resolve("hardhat")));
  const args = [hardhat, "build", ...(force ? ["--force"] : [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  console.error(withoutForeignWarnings(stdout + stderr).trim());
  if (status !== 0) throw new Error("the contracts do not compile");
  writeFileSync(STAMP, hash);
}

/** Makes the production profile's artifacts current; about a minute when an input changed. */
async function compileProduction(): Promise<void> {
  const { compileForProduction, stampOf } = await import("./production.ts");
  const hash = hashOfInputs();
  const stamp = stampOf();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  console.error("compiling contracts for production …");
  rmSync(stamp, { force: true });
  await compileForProduction();
  writeFileSync(stamp, hash);
}

if (import.meta.main) {
  try {
    compile({ force: process.argv.includes("--force") });
    if (process.argv.includes("--production")) await compileProduction();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
