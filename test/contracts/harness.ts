import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import hre from "hardhat";
import { type Abi, createPublicClient, decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex, http, isHex } from "viem";
import { z } from "zod";
import { startAnvil } from "../../orchestrator/chain/anvil.ts";
import { DEVNET_GENESIS } from "../../orchestrator/chain/devnet.ts";

const artifactSchema = z.object({ abi: z.custom<Abi>(Array.isArray), bytecode: z.custom<Hex>(isHex) });
const receiptSchema = z.object({ contractAddress: z.custom<Hex>(isHex) });

const GAS_LIMIT = 10 ** 12;

/** Ten thousand cases take seconds on an idle machine; the limit allows for a busy one. */
export const DIFFERENTIAL_TIMEOUT = 240_000;

/** A deployed test contract whose pure functions are called in batches. */
export interface Harness {
  /** The result as viem decodes it: structs are objects. */
  call<Result>(functionName: string, ...args: readonly unknown[]): Promise<Result>;
  /** Name and values of the custom error a call reverts with; fails if it does not revert. */
  refusal(functionName: string, ...args: readonly unknown[]): Promise<{ code: string; values: readonly unknown[] }>;
}

/**
 * Deploys `test/contracts/harness/<name>.sol` for a suite, on a chain of its own whose blocks have room for large batches. That chain is Anvil:
 * Hardhat's node records every step of a call, most of what a call costs, and is used where those steps are wanted, for coverage. Call inside
 * `describe`.
 */
export function harnessOf(name: string): Harness {
  const file = new URL(`../../artifacts/test/contracts/harness/${name}.sol/${name}.json`, import.meta.url);
  let end = async (): Promise<unknown> => undefined;
  let abi: Abi;
  let request: (functionName: string, args: readonly unknown[]) => Promise<unknown>;
  before(async () => {
    const artifact = artifactSchema.parse(JSON.parse(readFileSync(fileURLToPath(file), "utf8")));
    abi = artifact.abi;
    const node = hre.globalOptions.coverage ? await ofHardhat() : await ofAnvil();
    end = node.end;
    const [from] = z.array(z.string()).parse(await node.request({ method: "eth_accounts" }));
    const deploying = { from, data: artifact.bytecode, gas: "0x1000000" };
    const hash = await node.request({ method: "eth_sendTransaction", params: [deploying] });
    await node.request({ method: "evm_mine" });
    const { contractAddress: to } = receiptSchema.parse(await node.request({ method: "eth_getTransactionReceipt", params: [hash] }));
    request = (functionName, args) =>
      node.request({ method: "eth_call", params: [{ to, data: encodeFunctionData({ abi, functionName, args }) }, "latest"] });
  });
  after(() => end());
  return {
    async call<Result>(functionName: string, ...args: readonly unknown[]) {
      const data = z.custom<Hex>(isHex).parse(await request(functionName, args));
      return decodeFunctionResult({ abi, functionName, data }) as Result;
    },
    async refusal(functionName, ...args) {
      try {
        await request(functionName, args);
      } catch (error) {
        const { errorName, args: values } = decodeErrorResult({ abi, data: revertData.parse(error).data });
        return { code: errorName, values: values ?? [] };
      }
      throw new Error(`${functionName} did not revert`);
    },
  };
}

interface Node {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  end(): Promise<unknown>;
}

async function ofHardhat(): Promise<Node> {
  const { provider, close } = await hre.network.create({ network: "hardhat", override: { blockGasLimit: BigInt(GAS_LIMIT) } });
  return { request: ({ method, params = [] }) => provider.request({ method, params: [...params] }), end: close };
}

async function ofAnvil(): Promise<Node> {
  const anvil = await startAnvil({ driven: { ...DEVNET_GENESIS, gasLimit: GAS_LIMIT } });
  const { request } = createPublicClient({ transport: http(anvil.url, { retryCount: 0 }) });
  return { request: (call) => request(call as Parameters<typeof request>[0]), end: () => anvil.stop("SIGKILL") };
}

/** What the provider throws carries the revert's bytes. */
const revertData = z.object({ data: z.preprocess((data) => (isObject(data) ? data["data"] : data), z.custom<Hex>(isHex)) });

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Splits work into batches of a size that one call handles well. */
export function batches<Item>(items: readonly Item[], size = 25): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, k) => items.slice(size * k, size * (k + 1)));
}
