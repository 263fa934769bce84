/** Names of contracts and functions in a trace. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toFunctionSelector } from "viem";
import { z } from "zod";
import { type Artifact, emptied, parseArtifact } from "../../deploy/artifacts.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { type Hex, hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { GasTrace } from "./trace.ts";
import { type Ask, CREATED, GAS_CLASSES } from "./trace.ts";

const CLONE = "0x363d3d373d3d3d363d73";

export interface Names {
  readonly contracts: readonly Artifact[];
  readonly functions: ReadonlyMap<string, string>;
}

/** A trace with readable names. */
export const NamedTrace = z.object({
  call: z.string(),
  used: z.number().int(),
  steps: z.number().int(),
  cells: z.array(z.object({ class: z.enum(GAS_CLASSES), code: z.string().optional(), gas: z.number().int() })),
});
export type NamedTrace = z.infer<typeof NamedTrace>;

/** Contracts, and functions by selector, of all artifacts in a folder. */
export function readNames(artifacts: string): Names {
  const files = readdirSync(artifacts, { recursive: true, encoding: "utf8" });
  const contracts = files
    .filter((name) => name.endsWith(".json") && !name.startsWith("build-info"))
    .map((name) => parseArtifact(readFileSync(join(artifacts, name), "utf8")));
  const functions = new Map<string, string>();
  for (const { abi } of contracts) for (const item of abi) if (item.type === "function") functions.set(toFunctionSelector(item), item.name);
  return { contracts: contracts.filter(({ runtime }) => runtime.code !== "0x"), functions };
}

const isCodeOf = ({ runtime: { code, holes } }: Artifact, live: Hex): boolean =>
  live.length === code.length && emptied(live, holes) === code;

/** Adds names to these traces; code that matches no artifact keeps its address. */
export async function named(ask: Ask, names: Names, traces: readonly GasTrace[]): Promise<NamedTrace[]> {
  const known = new Map([[CREATED, "constructor"]]);
  const nameOf = async (address: string): Promise<string> => {
    const code = hexSchema.parse(await ask("eth_getCode", [addressSchema.parse(address), "latest"]));
    return code.startsWith(CLONE) ? "clone" : (names.contracts.find((artifact) => isCodeOf(artifact, code))?.name ?? address);
  };
  for (const code of new Set(traces.flatMap(({ cells }) => cells.flatMap((cell) => cell.code ?? []))))
    if (!known.has(code)) known.set(code, await nameOf(code));
  return traces.map(({ selector, used, steps, cells }) => ({
    call: names.functions.get(selector) ?? selector,
    used,
    steps,
    cells: cells.map(({ code, ...cell }) => (code === undefined ? cell : { ...cell, code: known.get(code) })),
  }));
}
