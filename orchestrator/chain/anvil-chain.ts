import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { numberToHex } from "viem";
import { z } from "zod";
import { messageOf } from "../primitives/errors.ts";
import { makeFolder, writeFileAtomic } from "../primitives/files.ts";
import { hashSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { readStateFile } from "../primitives/state-file.ts";
import { OWN_CHAINS } from "../protocol/outcome.ts";
import { type Anvil, AnvilFailed, startAnvil } from "./anvil.ts";
import { forgetState, isKept, KeptStateRefused, keepState, resumeState, unpackState } from "./anvil-state.ts";
import type { Request } from "./chain.ts";
import { dealtIn, type TokenDeal } from "./dealt.ts";
import { DEVNET_GENESIS, devnetAccount } from "./devnet.ts";
import { type Drive, type DrivenChain, type DrivenOptions, type Engine, openDrivenChain, TRANSCRIPT_FILE } from "./driven.ts";
import { TranscriptMismatch } from "./errors.ts";
import { startOf } from "./lock.ts";
import { requestOver } from "./rpc.ts";
import type { Genesis, TranscriptBlock } from "./transcript.ts";

/** Block 0 of an Anvil city. Anvil's blocks depend only on what is mined and when, so they replay hash for hash. */
export const ANVIL_GENESIS: Genesis = { ...DEVNET_GENESIS, engine: "anvil", coinbase: `0x${"0".repeat(40)}` };

export interface AnvilChainOptions extends DrivenOptions {
  /** An Anvil run by someone else, started with a city's flags (docs/genesis.md); it outlives this chain. */
  readonly url?: string;
  /** Node of the chain to fork: a new chain starts at that chain's last block; an existing fork queries it for state it does not hold. */
  readonly forkUrl?: string | undefined;
  /** Tokens of the forked chain that a new fork's founder receives. */
  readonly deal?: TokenDeal | undefined;
  /** Number of the mnemonic's accounts in use. Default: those that have gas money. */
  readonly keys?: number;
}

const REQUEST_TIMEOUT = 30_000;
const PROCESS_FILE = "anvil.pid";
const processSchema = z.strictObject({ pid: z.int().positive(), started: z.string() });

/**
 * Opens an L2 in another process. Blocks that it lost when killed are mined again from the transcript, and those it has are compared with
 * it. Its state is saved regularly in its folder (anvil-state.ts), so that opening takes seconds however long the chain is.
 */
export async function openAnvilChain(options: AnvilChainOptions = {}): Promise<DrivenChain> {
  const { url, dir, forkUrl, deal, keys = ANVIL_GENESIS.accounts, log = () => {} } = options;
  const isNew = options.transcript === undefined && (dir === undefined || !existsSync(join(dir, TRANSCRIPT_FILE)));
  const genesis = isNew && forkUrl !== undefined ? await forkedAt(forkUrl, keys, deal) : ANVIL_GENESIS;
  const drive: Drive = {
    kind: "rpc",
    name: OWN_CHAINS.anvil,
    genesis,
    async connect(genesis, recorded): Promise<Engine> {
      if (url === undefined) return ownAnvil(genesis, recorded, { dir, forkUrl, log });
      const request = requestTo(url);
      // Transactions that a killed city had sent but not mined are in its outbox, and will be sent again.
      await request({ method: "anvil_dropAllTransactions" });
      await prepare(request, genesis);
      return { request, close: async () => {} };
    },
  };
  try {
    return await openDrivenChain(drive, options);
  } catch (error) {
    if (!(error instanceof TranscriptMismatch) || dir === undefined || !isKept(dir)) throw error;
    // Either the transcript or the saved state is damaged: replaying from the beginning tells which.
    refuseState(dir, error, log);
    return openDrivenChain(drive, options);
  }
}

/** Without retries by the transport: a block mined twice makes another chain. */
const requestTo = (url: string, isTrusted = false): Request => requestOver(url, REQUEST_TIMEOUT, { retries: 0, isTrusted });

/** Applies the differences between a fork's block 0 and the forked block. */
async function prepare(request: Request, { fork, mnemonic }: Genesis): Promise<void> {
  for (const index of fork?.delegated ?? [])
    await request({ method: "anvil_setCode", params: [devnetAccount(index, mnemonic).address, "0x"] });
  const dealt = fork?.dealt;
  if (dealt !== undefined) await request({ method: "anvil_setStorageAt", params: [dealt.address, dealt.slot, dealt.value] });
}

const headSchema = z.object({
  number: z.coerce.number(),
  hash: hashSchema,
  timestamp: z.coerce.number(),
  baseFeePerGas: z.coerce.number().default(0),
});

/**
 * Genesis of a fork of this chain at its last block. Its chain id is always a devnet's: signatures made there are invalid on the chain
 * itself (decision 98).
 */
async function forkedAt(url: string, keys: number, deal: TokenDeal | undefined): Promise<Genesis> {
  const request = requestOver(url, REQUEST_TIMEOUT);
  const chainId = z.coerce.number().parse(await request({ method: "eth_chainId" }));
  const { number, hash, timestamp, baseFeePerGas } = headSchema.parse(
    await request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
  );
  const delegated: number[] = [];
  for (let index = 0; index < keys; index += 1) {
    const { address } = devnetAccount(index, ANVIL_GENESIS.mnemonic);
    if ((await request({ method: "eth_getCode", params: [address, numberToHex(number)] })) !== "0x") delegated.push(index);
  }
  const dealt = deal === undefined ? {} : { dealt: await dealtIn(request, deal, numberToHex(number)) };
  const fork = { chainId, number, hash, ...(delegated.length === 0 ? {} : { delegated }), ...dealt };
  return { ...ANVIL_GENESIS, timestamp, baseFee: baseFeePerGas, fork };
}

interface OwnAnvil {
  readonly dir: string | undefined;
  readonly forkUrl: string | undefined;
  readonly log: (line: string) => void;
}

async function ownAnvil(genesis: Genesis, recorded: readonly TranscriptBlock[], { dir, forkUrl, log }: OwnAnvil): Promise<Engine> {
  const start = (from?: string) =>
    startAnvil({ driven: genesis, forkUrl, from, onExit: (how) => log(`Anvil exited unexpectedly (${how})`) });
  if (dir !== undefined) {
    makeFolder(dir);
    endOrphan(dir, log);
  }
  // Of a fork Anvil dumps only the state it has read so far.
  const keepsIn = genesis.fork === undefined ? dir : undefined;
  const resumed = keepsIn === undefined ? undefined : await resume(keepsIn, recorded, start, log);
  const anvil = resumed ?? (await start());
  const request = requestTo(anvil.url, true);
  if (resumed === undefined) await prepare(request, genesis);
  if (dir !== undefined) writeFileAtomic(join(dir, PROCESS_FILE), canonicalJson({ pid: anvil.pid, started: startOf(anvil.pid) ?? "" }));
  return {
    request,
    ...(keepsIn === undefined ? {} : { keep: () => keepState(request, keepsIn) }),
    async close() {
      await anvil.stop();
      if (dir !== undefined) rmSync(join(dir, PROCESS_FILE), { force: true });
    },
  };
}

/** An Anvil started from the saved state, if that state is part of this transcript. */
async function resume(
  dir: string,
  recorded: readonly TranscriptBlock[],
  start: (from: string) => Promise<Anvil>,
  log: (line: string) => void,
): Promise<Anvil | undefined> {
  if (!isKept(dir)) return undefined;
  const from = join(dir, "anvil-state.json");
  let anvil: Anvil | undefined;
  try {
    await unpackState(dir, from);
    anvil = await start(from);
    const head = await resumeState(requestTo(anvil.url), dir);
    if (!recorded.some(({ hash }) => hash === head)) throw new KeptStateRefused("its last block does not belong to this chain");
    return anvil;
  } catch (error) {
    await anvil?.stop("SIGKILL");
    refuseState(dir, error, log);
    return undefined;
  } finally {
    rmSync(from, { force: true });
  }
}

/** Discards a state that cannot be resumed, and logs why the city opens slowly. */
function refuseState(dir: string, error: unknown, log: (line: string) => void): void {
  const said = error instanceof AnvilFailed ? error.details?.split("\n", 1)[0] : undefined;
  log(`Anvil's saved state of this chain is not used: ${said ?? messageOf(error)}`);
  forgetState(dir);
}

/** Kills the Anvil of a killed city, which would otherwise run forever. */
export function endOrphan(dir: string, log: (line: string) => void): void {
  const path = join(dir, PROCESS_FILE);
  const orphan = readStateFile(path, processSchema, "delete it, and end an `anvil` process that still runs for this folder");
  if (orphan === undefined) return;
  const { pid, started } = orphan;
  // The pid alone may belong to another program by now.
  if (started !== "" && startOf(pid) === started) {
    process.kill(pid, "SIGKILL");
    log(`Anvil ${pid} of a killed city was still running: ended`);
  }
  rmSync(path, { force: true });
}
