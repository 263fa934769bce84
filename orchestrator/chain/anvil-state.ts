import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { numberToHex } from "viem";
import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { writeFileAtomic, writeFileWhole } from "../primitives/files.ts";
import { type Hash, hashSchema, hexSchema } from "../primitives/hex.ts";
import type { Request } from "./chain.ts";

/** Anvil's own state dump at its last block. */
const STATE_FILE = "anvil-state.json.gz";
/** Hash of the empty block that would follow. */
const PROBE_FILE = "anvil-state.probe";

const headSchema = z.object({ hash: hashSchema, timestamp: z.coerce.number() });
const pendingSchema = z.object({ baseFeePerGas: z.coerce.bigint() });

/** Saves this Anvil's state, so that a later one need not mine the same history again. */
export async function keepState(request: Request, dir: string): Promise<void> {
  const dump = hexSchema.parse(await request({ method: "anvil_dumpState" }));
  // Until the new pair is complete there is none: a state with another's probe would be refused anyway.
  rmSync(join(dir, PROBE_FILE), { force: true });
  writeFileWhole(join(dir, STATE_FILE), Buffer.from(dump.slice(2), "hex"));
  writeFileAtomic(join(dir, PROBE_FILE), await probe(request));
}

export function forgetState(dir: string): void {
  for (const name of [PROBE_FILE, STATE_FILE]) rmSync(join(dir, name), { force: true });
}

export const isKept = (dir: string): boolean => [PROBE_FILE, STATE_FILE].every((name) => existsSync(join(dir, name)));

/** A saved state cannot be resumed. */
export class KeptStateRefused extends AgentCityError {
  constructor(reason: string) {
    super("KeptStateRefused", reason);
  }
}

/** Unpacks the saved state into this file for a new Anvil; the caller removes it. Throws KeptStateRefused. */
export async function unpackState(dir: string, path: string): Promise<void> {
  try {
    writeFileWhole(path, await promisify(gunzip)(readFileSync(join(dir, STATE_FILE))));
  } catch (error) {
    throw new KeptStateRefused(`${STATE_FILE} cannot be unpacked (${messageOf(error)})`);
  }
}

/**
 * Hash of the last block of an Anvil started from the saved state. Throws KeptStateRefused if it would not continue like the dumped one.
 *
 * Anvil 1.7.1 does not continue from its own dump: BLOCKHASH invents hashes of loaded blocks, and empty slots that are read enter the state
 * root. Rolling a block back restores both, so one is mined and rolled back (test/chain/anvil-state.test.ts fails without). A second one
 * must then equal, up to its state root, the block that the dumped Anvil would have mined.
 */
export async function resumeState(request: Request, dir: string): Promise<Hash> {
  await probe(request);
  if ((await probe(request)) !== readFileSync(join(dir, PROBE_FILE), "utf8"))
    throw new KeptStateRefused("the next empty block differs from the one that the saving Anvil would have mined");
  return (await latest(request)).hash;
}

/** Mines an empty block, and rolls it back. */
async function probe(request: Request): Promise<Hash> {
  await request({ method: "anvil_dropAllTransactions" });
  const { timestamp } = await latest(request);
  const { baseFeePerGas } = pendingSchema.parse(await request({ method: "eth_getBlockByNumber", params: ["pending", false] }));
  await request({ method: "evm_setNextBlockTimestamp", params: [timestamp] });
  await request({ method: "evm_mine" });
  const { hash } = await latest(request);
  await request({ method: "anvil_rollback", params: [1] });
  // After a rollback the node still derives the next block's fee from the block it dropped.
  await request({ method: "anvil_setNextBlockBaseFeePerGas", params: [numberToHex(baseFeePerGas)] });
  await request({ method: "evm_setNextBlockTimestamp", params: [timestamp] });
  return hash;
}

async function latest(request: Request): Promise<z.infer<typeof headSchema>> {
  return headSchema.parse(await request({ method: "eth_getBlockByNumber", params: ["latest", false] }));
}
