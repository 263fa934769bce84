/**
 * Exports the transition tables of `contracts/libraries/*Transitions.sol`, as the compiled code returns them, to
 * `orchestrator/rules/transitions/`. The files are checked in; `--check` fails if they differ from the contracts.
 *
 * usage: node scripts/dev/export-transitions.ts [--check]
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { network } from "hardhat";
import { z } from "zod";
import { compile } from "./compile.ts";
import { root } from "./files.ts";

const LIFECYCLES = ["mission", "node", "session"] as const;
type Lifecycle = (typeof LIFECYCLES)[number];

const LINE_WIDTH = 140;
const OUT = join(root, "orchestrator", "rules", "transitions");

/** State names in the order of the Solidity enum. */
function statesOf(lifecycle: Lifecycle): string[] {
  const source = readFileSync(join(root, "contracts", "types", "States.sol"), "utf8");
  const name = `${lifecycle.charAt(0).toUpperCase()}${lifecycle.slice(1)}State`;
  const body = new RegExp(`enum ${name} \\{([^}]*)\\}`).exec(source)?.[1];
  if (body === undefined) throw new Error(`States.sol has no enum ${name}`);
  return body.split(",").map((state) => state.trim());
}

async function tables(): Promise<Record<Lifecycle, bigint>> {
  const { ethers } = await network.connect({ network: "hardhat" });
  const harness = await ethers.deployContract("TransitionsHarness");
  const [mission, node, session] = z
    .tuple([z.bigint(), z.bigint(), z.bigint()])
    .parse([...(await harness.getFunction("tables").staticCall())]);
  return { mission, node, session };
}

/** A property holding a list, laid out as the formatter does. */
function property(indent: string, name: string, items: readonly string[]): string {
  const quoted = items.map((item) => `"${item}"`);
  const line = `${indent}${name}: [${quoted.join(", ")}],\n`;
  if (line.length <= LINE_WIDTH + 1) return line;
  return `${indent}${name}: [\n${quoted.map((item) => `${indent}  ${item},\n`).join("")}${indent}],\n`;
}

/** The file that says one table in TypeScript. */
function moduleOf(lifecycle: Lifecycle, table: bigint): string {
  const states = statesOf(lifecycle);
  const arcs = states.map((state, from) =>
    property(
      "    ",
      state,
      states.filter((_, to) => (table >> BigInt(16 * from + to)) & 1n),
    ),
  );
  const title = `${lifecycle.charAt(0).toUpperCase()}${lifecycle.slice(1)}`;
  return [
    `// Made by scripts/dev/export-transitions.ts from contracts/libraries/${title}Transitions.sol. Do not edit.\n`,
    `import type { TransitionTable } from "../arcs.ts";\n\n`,
    `export const ${lifecycle}Transitions = {\n`,
    property("  ", "states", states),
    `  arcs: {\n${arcs.join("")}  },\n`,
    `  table: 0x${table.toString(16)}n,\n} as const satisfies TransitionTable<string>;\n\n`,
    `export type ${title}StateName = (typeof ${lifecycle}Transitions)["states"][number];\n`,
  ].join("");
}

/** Paths and texts of all modules. */
export async function exportTransitions(): Promise<Map<string, string>> {
  const found = await tables();
  return new Map(LIFECYCLES.map((lifecycle) => [join(OUT, `${lifecycle}.ts`), moduleOf(lifecycle, found[lifecycle])]));
}

if (import.meta.main) {
  compile();
  const modules = await exportTransitions();
  if (process.argv.includes("--check")) {
    const stale = [...modules].filter(([path, text]) => readFileSync(path, "utf8") !== text).map(([path]) => path);
    for (const path of stale) console.error(`${path} differs from the contracts: run node scripts/dev/export-transitions.ts`);
    if (stale.length > 0) process.exitCode = 1;
  } else {
    mkdirSync(OUT, { recursive: true });
    for (const [path, text] of modules) writeFileSync(path, text);
  }
}
