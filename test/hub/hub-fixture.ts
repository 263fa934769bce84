import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { chainSource } from "../../orchestrator/hub/chain-source.ts";
import { type Hub, type HubBoundary, openHub } from "../../orchestrator/hub/hub.ts";
import type { Boundary } from "../../orchestrator/primitives/boundary.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { memoryBlocks } from "../../orchestrator/records/blocks.ts";
import type { Database } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { cityOf, emitterCode } from "./emitter.ts";

const sender = devnetAccount(3);
const FEES = { type: "eip1559", chainId: 31337, gas: 200_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n } as const;

/** Deploys the emitter, then calls it once in each of `calls` blocks, with an empty block after every one. Returns its address. */
export async function emit(chain: DrivenChain, calls: number): Promise<Address> {
  const deployment = await sender.signTransaction({ ...FEES, nonce: 0, data: emitterCode });
  await chain.mine([deployment]);
  const found = await chain.publicClient.getTransactionReceipt({ hash: await hashOfFirst(chain) });
  if (found.contractAddress == null) throw new Error("no emitter");
  for (let call = 1; call <= calls; call += 1) {
    const raw = await sender.signTransaction({ ...FEES, nonce: call, to: found.contractAddress, value: BigInt(call) });
    await chain.mine([raw]);
    await chain.mine([]);
  }
  return found.contractAddress;
}

async function hashOfFirst(chain: DrivenChain) {
  const { transactions } = await chain.publicClient.getBlock();
  const [hash] = transactions;
  if (hash === undefined) throw new Error("no transaction");
  return hash;
}

/** A hub over a chain and a database whose log is already written. */
export function hubOver(
  chain: DrivenChain,
  database: Database,
  emitter: Address,
  boundary?: Boundary<HubBoundary>,
  blocks = memoryBlocks(),
): Promise<Hub> {
  return openHub({
    sql: database,
    chain: chainSource(chain.request),
    log: new RecordLog(database, chain.clock),
    blocks,
    addresses: cityOf(emitter),
    epochOf: async () => 0,
    finality: 0,
    random: () => `0x${"5e".repeat(32)}`,
    ...(boundary === undefined ? {} : { boundary }),
  });
}
