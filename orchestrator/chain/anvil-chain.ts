import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { numberToHex } from "viem";
import { z } from "zod";
import { makeFolder, writeFileAtomic } from "../primitives/files.ts";
import { hashSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { readStateFile } from "../primitives/state-file.ts";
import { OWN_CHAINS } from "../protocol/outcome.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { dealtIn, type TokenDeal } from "./dealt.ts";
import { DEVNET_GENESIS, devnetAccount } from "./devnet.ts";
import { type DrivenChain, type DrivenOptions, type Engine, openDrivenChain, TRANSCRIPT_FILE } from "./driven.ts";
import { startOf } from "./lock.ts";
import { requestOver } from "./rpc.ts";
import type { Genesis } from "./transcript.ts";

/** Block 0 of an Anvil city. Anvil's blocks depend on nothing else but what is mined and when: they replay hash for hash. */
export const ANVIL_GENESIS: Genesis = { ...DEVNET_GENESIS, engine: "anvil", coinbase: `0x${"0".repeat(40)}` };

export interface AnvilChainOptions extends DrivenOptions {
  /** An Anvil that somebody else runs, started with a city's flags (docs/genesis.md); it outlives this chain. */
  readonly url?: string;
  /** A node of a chain to go on from: a new chain begins at that chain's last block, an existing one asks it for what it does not hold. */
  readonly forkUrl?: string | undefined;
  /** What a new fork's founder is given of a token of that chain. */
  readonly deal?: TokenDeal | undefined;
  /** How many of the mnemonic's accounts are used. Default: those that have gas money. */
  readonly keys?: number;
}

const REQUEST_TIMEOUT = 30_000;
const PROCESS_FILE = "anvil.pid";
const processSchema = z.strictObject({ pid: z.int().positive(), started: z.string() });

/**
 * An L2 in another process. Whatever it loses when it is killed is mined again from the transcript, and what it has is compared with
 * it. Its own saved state is not used: a chain that went on from one does not always replay to the same hashes (Anvil 1.7.1).
 */
export async function openAnvilChain(options: AnvilChainOptions = {}): Promise<DrivenChain> {
  const { url, dir, forkUrl, deal, keys = ANVIL_GENESIS.accounts, log = () => {} } = options;
  const connect = async (genesis: Genesis) => (url === undefined ? ownAnvil(genesis, { dir, forkUrl, log }) : { anvil: undefined, url });
  const isNew = options.transcript === undefined && (dir === undefined || !existsSync(join(dir, TRANSCRIPT_FILE)));
  return openDrivenChain(
    {
      kind: "rpc",
      name: OWN_CHAINS.anvil,
      genesis: isNew && forkUrl !== undefined ? await forkedAt(forkUrl, keys, deal) : ANVIL_GENESIS,
      async connect(genesis): Promise<Engine> {
        const { anvil, url: at } = await connect(genesis);
        // Never sent twice by the transport: a block mined twice is another chain.
        const request = requestOver(at, REQUEST_TIMEOUT, 0);
        // What a killed city had sent and not mined is in its outbox, and comes again.
        if (anvil === undefined) await request({ method: "anvil_dropAllTransactions" });
        for (const index of genesis.fork?.delegated ?? [])
          await request({ method: "anvil_setCode", params: [devnetAccount(index, genesis.mnemonic).address, "0x"] });
        const dealt = genesis.fork?.dealt;
        if (dealt !== undefined) await request({ method: "anvil_setStorageAt", params: [dealt.address, dealt.slot, dealt.value] });
        return {
          request,
          async close() {
            await anvil?.stop();
            if (dir !== undefined && anvil !== undefined) rmSync(join(dir, PROCESS_FILE), { force: true });
          },
        };
      },
    },
    options,
  );
}

const headSchema = z.object({
  number: z.coerce.number(),
  hash: hashSchema,
  timestamp: z.coerce.number(),
  baseFeePerGas: z.coerce.number().default(0),
});

/** Genesis of a fork of this chain at its last block. Always a devnet's chain id: nothing signed there is good on the chain itself (decision 98). */
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

async function ownAnvil(
  genesis: Genesis,
  { dir, forkUrl, log }: { readonly dir: string | undefined; readonly forkUrl: string | undefined; readonly log: (line: string) => void },
): Promise<{ readonly anvil: Anvil; readonly url: string }> {
  if (dir !== undefined) {
    makeFolder(dir);
    endOrphan(dir, log);
  }
  const anvil = await startAnvil({ driven: genesis, forkUrl, onExit: (how) => log(`Anvil ended by itself (${how})`) });
  if (dir !== undefined) writeFileAtomic(join(dir, PROCESS_FILE), canonicalJson({ pid: anvil.pid, started: startOf(anvil.pid) ?? "" }));
  return { anvil, url: anvil.url };
}

/** Ends the Anvil that a killed city left running: nobody else would. */
export function endOrphan(dir: string, log: (line: string) => void): void {
  const path = join(dir, PROCESS_FILE);
  const orphan = readStateFile(path, processSchema, "delete it, and end an `anvil` process that still runs for this folder");
  if (orphan === undefined) return;
  const { pid, started } = orphan;
  // The number alone may be another program's by now.
  if (started !== "" && startOf(pid) === started) {
    process.kill(pid, "SIGKILL");
    log(`Anvil ${pid} of a killed city was still running: ended`);
  }
  rmSync(path, { force: true });
}
