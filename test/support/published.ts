import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import type { Abi, Hex } from "viem";
import { z } from "zod";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { outsidePackages } from "./outside-packages.ts";

/** Contracts that others published: a repository on GitHub, and the commit whose hash vouches for its files. */
export interface Publication {
  readonly repository: string;
  readonly commit: string;
  readonly files: readonly string[];
  /** Version of OpenZeppelin's contracts that its own lock file names, one of `test/outside/packages`. */
  readonly openzeppelin: string;
  /** As its authors compile it. */
  readonly viaIR: boolean;
}
export interface Compiled {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const compiler = z.object({ compile: z.custom<(input: string) => string>((value) => typeof value === "function") });
const errorsSchema = z.object({ errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]) });
const contractSchema = z.object({ abi: z.custom<Abi>(Array.isArray), evm: z.object({ bytecode: z.object({ object: z.string() }) }) });
const outputSchema = z.object({ contracts: z.record(z.string(), z.record(z.string(), contractSchema)) });

/**
 * Compiles what was published, by this project's compiler; `directory` takes the repository's objects. A machine that keeps a copy of
 * a repository says so to Git itself (`url.<copy>.insteadOf`). Returns a contract by its name.
 */
export function compilePublished(
  directory: string,
  { repository, commit, files, openzeppelin, viaIR }: Publication,
): (name: string) => Compiled {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", directory, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 });
  git("init", "--bare", "--quiet");
  git("fetch", "--quiet", "--depth", "1", `https://github.com/${repository}`, commit);
  const packages = outsidePackages();
  const installed = (path: string) =>
    join(
      packages,
      path.replace(/^@openzeppelin\/contracts(-upgradeable)?/, (_, more = "") => `openzeppelin${more}-${openzeppelin}`),
    );
  const sources: Record<string, { readonly content: string }> = {};
  const gather = (path: string): void => {
    if (sources[path] !== undefined) return;
    const content = path.startsWith("@") ? readFileSync(installed(path), "utf8") : git("show", `${commit}:${path}`);
    sources[path] = { content };
    for (const [, imported = ""] of content.matchAll(/^import [^;]*?"([^"]+)"/gm))
      gather(imported.startsWith(".") ? posix.join(posix.dirname(path), imported) : imported);
  };
  for (const file of files) gather(file);
  const settings = {
    evmVersion: "cancun",
    optimizer: { enabled: true, runs: 200 },
    viaIR,
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
  };
  const { compile } = compiler.parse(createRequire(import.meta.url)("solc"));
  const output: unknown = JSON.parse(compile(JSON.stringify({ language: "Solidity", sources, settings })));
  const errors = errorsSchema.parse(output).errors.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const { contracts } = outputSchema.parse(output);
  return (name) => {
    const found = Object.values(contracts).find((compiled) => name in compiled)?.[name];
    if (found === undefined) throw new RangeError(`${repository} at ${commit} has no contract ${name}`);
    return { abi: found.abi, bytecode: hexSchema.parse(`0x${found.evm.bytecode.object}`) };
  };
}
