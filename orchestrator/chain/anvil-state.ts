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

/** What Anvil knows at its last block, as it dumps it itself. */
const STATE_FILE = "anvil-state.json.gz";
/** Hash of the empty block that would follow. */
const PROBE_FILE = "anvil-state.probe";

const headSchema = z.object({ hash: hashSchema, timestamp: z.coerce.number() });
const pendingSchema = z.object({ baseFeePerGas: z.coerce.bigint() });

/** Keeps what this Anvil knows, so that one that starts later need not mine the same history again. */
export async function keepState(request: Request, dir: string): Promise<void> {
  const dump = hexSchema.parse(await request({ method: "anvil_dumpState" }));
  // Until the new pair is whole there is none: a state whose probe is another's would be refused anyway.
  rmSync(join(dir, PROBE_FILE), { force: true });
  writeFileWhole(join(dir, STATE_FILE), Buffer.from(dump.slice(2), "hex"));
  writeFileAtomic(join(dir, PROBE_FILE), await probe(request));
}

export function forgetState(dir: string): void {
  for (const name of [PROBE_FILE, STATE_FILE]) rmSync(join(dir, name), { force: true });
}

export const isKept = (dir: string): boolean => [PROBE_FILE, STATE_FILE].every((name) => existsSync(join(dir, name)));

/** What an Anvil kept is not gone on from. */
export class KeptStateRefused extends AgentCityError {
  constructor(reason: string) {
    super("KeptStateRefused", reason);
  }
}

/** Unpacks the kept state for an Anvil that starts now into this file; the caller removes it. Throws KeptStateRefused. */
export async function unpackState(dir: string, path: string): Promise<void> {
  try {
    writeFileWhole(path, await promisify(gunzip)(readFileSync(join(dir, STATE_FILE))));
  } catch (error) {
    throw new KeptStateRefused(`${STATE_FILE} cannot be unpacked (${messageOf(error)})`);
  }
}

/**
 * Hash of the last block of an Anvil that was started from the kept state. Throws KeptStateRefused where it would not go on as the one
 * that was dumped.
 *
 * Anvil 1.7.1 does not go on from its own dump: BLOCKHASH makes up the hashes of blocks it loaded, and empty slots that are read enter
 * the state root. Rolling a block back restores both, so one is mined and taken back (test/chain/anvil-state.test.ts fails without). A
 * second one must then be, to its state root, the block that the dumped Anvil would have mined.
 */
export async function resumeState(request: Request, dir: string): Promise<Hash> {
  await probe(request);
  if ((await probe(request)) !== readFileSync(join(dir, PROBE_FILE), "utf8"))
    throw new KeptStateRefused("the next empty block is another one than the Anvil that kept it would have mined");
  return (await latest(request)).hash;
}

/** Mines an empty block, and takes it back. */
async function probe(request: Request): Promise<Hash> {
  await request({ method: "anvil_dropAllTransactions" });
  const { timestamp } = await latest(request);
  const { baseFeePerGas } = pendingSchema.parse(await request({ method: "eth_getBlockByNumber", params: ["pending", false] }));
  await request({ method: "evm_setNextBlockTimestamp", params: [timestamp] });
  await request({ method: "evm_mine" });
  const { hash } = await latest(request);
  await request({ method: "anvil_rollback", params: [1] });
  // What a rolled back node asks of the next block still follows from the block it gave up.
  await request({ method: "anvil_setNextBlockBaseFeePerGas", params: [numberToHex(baseFeePerGas)] });
  await request({ method: "evm_setNextBlockTimestamp", params: [timestamp] });
  return hash;
}

async function latest(request: Request): Promise<z.infer<typeof headSchema>> {
  return headSchema.parse(await request({ method: "eth_getBlockByNumber", params: ["latest", false] }));
}
