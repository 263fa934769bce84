import {
  decodeAbiParameters,
  decodeFunctionData,
  decodeFunctionResult,
  deploylessCallViaBytecodeBytecode,
  encodeDeployData,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  parseAbi,
} from "viem";
import { InvalidValue } from "../primitives/errors.ts";
import { isHex } from "../primitives/hex.ts";
import { field } from "../primitives/values.ts";
import type { Request } from "./chain.ts";
import { revertOf } from "./revert.ts";

/** A call to a contract that exists for this call only: its code and the call's data. */
const DEPLOYLESS = parseAbi(["constructor(bytes code, bytes data)"]);

interface Gathered {
  /** Code of Multicall3. */
  readonly code: Hex;
  readonly calls: readonly { readonly target: Hex; readonly callData: Hex }[];
}

/**
 * viem gathers views into one call of an undeployed Multicall3. Its answer counts as that contract's code, of which nodes accept 24,576
 * bytes (EIP-170), so that views of several callers could be refused together for a size that none has alone. Such a call is split in
 * halves, and a single remaining view is called directly.
 */
export function inHalves(request: Request): Request {
  async function ask({ code, calls }: Gathered, more: readonly unknown[]): Promise<readonly Answer[]> {
    const [only, ...others] = calls;
    if (only !== undefined && others.length === 0) return [await alone({ to: only.target, data: only.callData }, more)];
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map((call) => ({ ...call, allowFailure: true }))],
    });
    try {
      const deployed = encodeDeployData({ abi: DEPLOYLESS, bytecode: deploylessCallViaBytecodeBytecode, args: [code, data] });
      const answer = bytesIn(await request({ method: "eth_call", params: [{ data: deployed }, ...more] }));
      return decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: answer });
    } catch (error) {
      if (revertOf(error) === undefined) throw error;
      return halves({ code, calls }, more);
    }
  }

  async function halves({ code, calls }: Gathered, more: readonly unknown[]): Promise<readonly Answer[]> {
    const middle = Math.ceil(calls.length / 2);
    const asked = [calls.slice(0, middle), calls.slice(middle)].map((half) => ask({ code, calls: half }, more));
    return (await Promise.all(asked)).flat();
  }

  async function alone(call: { readonly to: Hex; readonly data: Hex }, more: readonly unknown[]): Promise<Answer> {
    try {
      return { success: true, returnData: bytesIn(await request({ method: "eth_call", params: [call, ...more] })) };
    } catch (error) {
      const reverted = revertOf(error);
      if (reverted === undefined) throw error;
      return { success: false, returnData: reverted.data ?? "0x" };
    }
  }

  return async (call) => {
    try {
      return await request(call);
    } catch (error) {
      const [asked, ...more] = call.method === "eth_call" ? (call.params ?? []) : [];
      const gathered = gatheredIn(asked);
      if (gathered === undefined || revertOf(error) === undefined) throw error;
      const answers = await halves(gathered, more);
      return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: [...answers] });
    }
  };
}

interface Answer {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** Validated without a schema: the package's client has none. */
function bytesIn(answer: unknown): Hex {
  if (!isHex(answer)) throw new InvalidValue("answer to eth_call", "expected bytes");
  return answer;
}

/** The views in a call that viem gathered; undefined for any other call. */
function gatheredIn(asked: unknown): Gathered | undefined {
  const call = field(asked, "data");
  const isDeployless = isHex(call) && field(asked, "to") === undefined && call.startsWith(deploylessCallViaBytecodeBytecode);
  if (!isDeployless) return undefined;
  const [code, data] = decodeAbiParameters(
    [{ type: "bytes" }, { type: "bytes" }],
    `0x${call.slice(deploylessCallViaBytecodeBytecode.length)}`,
  );
  const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data });
  return functionName === "aggregate3" ? { code, calls: args[0] } : undefined;
}
