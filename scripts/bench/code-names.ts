/** What people call the code and the functions in a trace. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Abi, toFunctionSelector } from "viem";
import { z } from "zod";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { GasTrace } from "./trace.ts";
import { type Ask, CREATED, GAS_CLASSES } from "./trace.ts";

const Artifact = z.object({ contractName: z.string(), deployedBytecode: z.string(), abi: z.custom<Abi>(Array.isArray) });
/** Hex digits of the hash of a contract's sources and settings, its length and the compiler's version, which end every runtime code. */
const METADATA = 106;
const CLONE = "0x363d3d373d3d3d363d73";

export interface Names {
  readonly contracts: ReadonlyMap<string, string>;
  readonly functions: ReadonlyMap<string, string>;
}

/** A trace in which people find their way. */
export const NamedTrace = z.object({
  call: z.string(),
  used: z.number().int(),
  steps: z.number().int(),
  cells: z.array(z.object({ class: z.enum(GAS_CLASSES), code: z.string().optional(), gas: z.number().int() })),
});
export type NamedTrace = z.infer<typeof NamedTrace>;

/** Contracts by the end of their code, and functions by selector, of all artifacts in a folder. */
export function readNames(artifacts: string): Names {
  const contracts = new Map<string, string>();
  const functions = new Map<string, string>();
  for (const file of readdirSync(artifacts, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))) {
    const artifact = Artifact.safeParse(JSON.parse(readFileSync(join(artifacts, file), "utf8")));
    if (!artifact.success) continue;
    const { contractName, deployedBytecode, abi } = artifact.data;
    if (deployedBytecode.length > METADATA) contracts.set(deployedBytecode.slice(-METADATA), contractName);
    for (const item of abi) if (item.type === "function") functions.set(toFunctionSelector(item), item.name);
  }
  return { contracts, functions };
}

/** Names what ran in these traces; an address stands for code that no artifact matches. */
export async function named(ask: Ask, names: Names, traces: readonly GasTrace[]): Promise<NamedTrace[]> {
  const known = new Map([[CREATED, "constructor"]]);
  const nameOf = async (address: string): Promise<string> => {
    const code = hexSchema.parse(await ask("eth_getCode", [addressSchema.parse(address), "latest"]));
    return code.startsWith(CLONE) ? "clone" : (names.contracts.get(code.slice(-METADATA)) ?? address);
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
