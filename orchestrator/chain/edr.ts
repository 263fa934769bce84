import type { EdrContext } from "@nomicfoundation/edr";
import { toBytes } from "viem";
import { z } from "zod";
import { hexSchema } from "../primitives/hex.ts";
import { devnetAccount, devnetSecret } from "./devnet.ts";
import type { Engine } from "./driven.ts";
import { EmbeddedChainMissing } from "./errors.ts";
import type { Genesis } from "./transcript.ts";

/** The library allows one of these in a process. */
let context: Promise<EdrContext> | undefined;

const answerSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }) }),
  z.object({ result: z.unknown() }),
]);
/** What EDR says of a transaction that ran and failed. */
const failureSchema = z.object({ data: hexSchema });
/** JSON-RPC's code of a revert, by which clients know one. */
const REVERT = 3;

/** A refusal of the node, as clients expect it. `data` is what a reverted call returned. */
export class NodeRefusal extends Error {
  readonly code: number;
  readonly data: string | undefined;
  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: string | undefined }) {
    super(message);
    this.name = "NodeRefusal";
    this.code = code;
    this.data = data;
  }
}

/** EDR, Hardhat's node, in this process: an L2 that mines when told to. Its own threads work; nothing interrupts them. */
export async function connectEdr(genesis: Genesis): Promise<Engine> {
  const edr = await import("@nomicfoundation/edr").catch((cause: unknown) => {
    throw new EmbeddedChainMissing(cause);
  });
  context ??= newContext(edr);
  const accounts = Array.from({ length: genesis.accounts }, (_, index) => index);
  const gasLimit = BigInt(genesis.gasLimit);
  const hardfork = edr.opHardforkFromString(genesis.hardfork);
  const provider = await (await context).createProvider(
    edr.OP_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: true,
      chainId: BigInt(genesis.chainId),
      networkId: BigInt(genesis.chainId),
      coinbase: toBytes(genesis.coinbase),
      defaultTransactionGasLimit: gasLimit,
      gasEstimationMode: edr.GasEstimationMode.NoInternalOutOfGas,
      genesisState: [
        ...accounts.map((index) => ({
          address: toBytes(devnetAccount(index, genesis.mnemonic).address),
          balance: BigInt(genesis.balance),
          code: new Uint8Array(),
        })),
        ...edr.opGenesisState(hardfork),
      ],
      hardfork: edr.opHardforkToString(hardfork),
      initialBaseFeePerGas: BigInt(genesis.baseFee),
      minGasPrice: 0n,
      mining: { autoMine: false, blockGasLimit: gasLimit, memPool: { order: edr.MineOrdering.Fifo } },
      network: { genesisBlockGasLimit: gasLimit, genesisBlockTime: BigInt(genesis.timestamp) },
      observability: {},
      ownedAccounts: accounts.map((index) => devnetSecret(index, genesis.mnemonic)),
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    // Reverts are explained by our own ABIs.
    new edr.ContractDecoder(),
  );
  let id = 0;
  return {
    async request({ method, params }) {
      id += 1;
      const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: "2.0", id, method, params: params ?? [] }));
      const answer = answerSchema.parse(typeof data === "string" ? JSON.parse(data) : data);
      if (!("error" in answer)) return answer.result;
      const { code, message, data: details } = answer.error;
      const failure = failureSchema.safeParse(details);
      throw new NodeRefusal(failure.success ? { code: REVERT, message, data: failure.data.data } : { code, message });
    },
    close: async () => {},
  };
}

async function newContext(edr: typeof import("@nomicfoundation/edr")): Promise<EdrContext> {
  const fresh = new edr.EdrContext();
  await fresh.registerProviderFactory(edr.OP_CHAIN_TYPE, edr.opProviderFactory());
  return fresh;
}
