import type { EdrContext } from "@nomicfoundation/edr";
import { numberToHex, toBytes } from "viem";
import { z } from "zod";
import { hexSchema } from "../primitives/hex.ts";
import type { Request } from "./chain.ts";
import { devnetAccount, devnetSecret } from "./devnet.ts";
import type { Engine } from "./driven.ts";
import { EmbeddedChainMissing } from "./errors.ts";
import type { Genesis } from "./transcript.ts";

/** The library allows only one per process. */
let context: Promise<EdrContext> | undefined;

const answerSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }) }),
  z.object({ result: z.unknown() }),
]);
/** EDR's answer for a transaction that ran and failed. */
const failureSchema = z.object({ data: hexSchema });
/** JSON-RPC's code of a revert, by which clients recognise one. */
const REVERT = 3;

/** A refusal of the node in the form that clients expect. `data`: returned by a reverted call. */
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

/** EDR, Hardhat's node, in this process: an L2 that mines on request. It works on its own threads and cannot be interrupted. */
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
    // Reverts are decoded with our own ABIs.
    new edr.ContractDecoder(),
  );
  let id = 0;
  const request: Request = async ({ method, params }) => {
    id += 1;
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: "2.0", id, method, params: params ?? [] }));
    const answer = answerSchema.parse(typeof data === "string" ? JSON.parse(data) : data);
    if (!("error" in answer)) return answer.result;
    const { code, message, data: details } = answer.error;
    const failure = failureSchema.safeParse(details);
    throw new NodeRefusal(failure.success ? { code: REVERT, message, data: failure.data.data } : { code, message });
  };
  // An estimate takes several requests: later ones wait for it, so that answers do not depend on timing.
  let estimates: Promise<unknown> | undefined;
  return {
    async request(call) {
      if (call.method !== "eth_estimateGas") return estimates === undefined ? request(call) : estimates.then(() => request(call));
      const estimate = Promise.resolve(estimates).then(() => estimateGas(request, call.params ?? []));
      const end = estimate.then(
        () => {},
        () => {},
      );
      estimates = end;
      void end.then(() => {
        if (estimates === end) estimates = undefined;
      });
      return estimate;
    },
    close: async () => {},
  };
}

/** A call without gas limit, at a block, and without overrides. */
const callSchema = z.looseObject({ gas: z.undefined().optional(), gasLimit: z.undefined().optional() });
const openCallSchema = z.union([z.tuple([callSchema]), z.tuple([callSchema, z.string()])]);
const traceSchema = z.object({ gasUsed: z.coerce.bigint(), error: z.undefined().optional() });

/**
 * Limits to try, from the gas used: an eighth more, since contracts pass on 63/64 of their gas; and the same for a call with the largest
 * refund, a fifth (EIP-3529).
 */
const LIMITS = [(used: bigint) => (used * 9n) / 8n, (used: bigint) => (used * 45n) / 32n] as const;

/**
 * EDR's own estimate tries one limit after the other, and each that is too low costs a hundred times an execution, because a call that runs
 * out of gas is traced. Here one trace finds the gas used, and a cheap call whether a limit suffices; the first nearly always does. Calls
 * that need more, and failing ones, are left to EDR.
 */
async function estimateGas(request: Request, params: readonly unknown[]): Promise<unknown> {
  const { data: open } = openCallSchema.safeParse(params);
  const [call, block = "latest"] = open ?? [];
  const used = call === undefined ? undefined : await usedGas(request, call, block);
  if (used !== undefined)
    for (const limit of LIMITS) {
      const gas = numberToHex(limit(used));
      if (await succeeds(request, { ...call, gas }, block)) return gas;
    }
  return request({ method: "eth_estimateGas", params });
}

/** Undefined if the call fails. */
async function usedGas(request: Request, call: object, block: string): Promise<bigint | undefined> {
  const tracer = { tracer: "callTracer", tracerConfig: { onlyTopCall: true } };
  const trace = await request({ method: "debug_traceCall", params: [call, block, tracer] }).catch(() => undefined);
  return traceSchema.safeParse(trace).data?.gasUsed;
}

function succeeds(request: Request, call: object, block: string): Promise<boolean> {
  return request({ method: "eth_call", params: [call, block] }).then(
    () => true,
    () => false,
  );
}

async function newContext(edr: typeof import("@nomicfoundation/edr")): Promise<EdrContext> {
  const fresh = new edr.EdrContext();
  await fresh.registerProviderFactory(edr.OP_CHAIN_TYPE, edr.opProviderFactory());
  return fresh;
}
