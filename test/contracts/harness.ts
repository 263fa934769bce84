import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { network } from "hardhat";
import { type Abi, decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex, isHex } from "viem";
import { z } from "zod";

const artifactSchema = z.object({ abi: z.custom<Abi>(Array.isArray), bytecode: z.custom<Hex>(isHex) });
const receiptSchema = z.object({ contractAddress: z.custom<Hex>(isHex) });

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
 * Deploys `test/contracts/harness/<name>.sol` on a fresh in-process chain whose blocks have room for large batches. Small
 * batches are fastest: the provider records every step of a call.
 */
export async function openHarness(name: string): Promise<Harness> {
  const file = new URL(`../../artifacts/test/contracts/harness/${name}.sol/${name}.json`, import.meta.url);
  const { abi, bytecode } = artifactSchema.parse(JSON.parse(readFileSync(fileURLToPath(file), "utf8")));
  const { provider } = await network.connect({ network: "hardhat", override: { blockGasLimit: 10n ** 12n } });
  const [from] = z.array(z.string()).parse(await provider.request({ method: "eth_accounts" }));
  const hash = await provider.request({ method: "eth_sendTransaction", params: [{ from, data: bytecode, gas: "0x1000000" }] });
  const { contractAddress: to } = receiptSchema.parse(await provider.request({ method: "eth_getTransactionReceipt", params: [hash] }));

  const request = (functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args });
    return provider.request({ method: "eth_call", params: [{ to, data }, "latest"] });
  };
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

/** What the provider throws carries the revert's bytes. */
const revertData = z.object({ data: z.preprocess((data) => (isObject(data) ? data["data"] : data), z.custom<Hex>(isHex)) });

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Splits work into batches of a size that one call handles well. */
export function batches<Item>(items: readonly Item[], size = 25): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, k) => items.slice(size * k, size * (k + 1)));
}
