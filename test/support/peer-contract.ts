import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { z } from "zod";
import { artifactsFolder } from "../../deploy/artifacts.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";

/** A contract of others' standards, as a file of `test/contracts/peers/` has it. */
export function peerContract(file: string, name: string): { readonly abi: Abi; readonly bytecode: Hex } {
  const path = join(artifactsFolder(), "test/contracts/peers", file, `${name}.json`);
  return z.object({ abi: z.custom<Abi>(Array.isArray), bytecode: hexSchema }).parse(JSON.parse(readFileSync(path, "utf8")));
}
