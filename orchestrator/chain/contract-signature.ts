import { encodeFunctionData, type PublicClient, parseAbi } from "viem";
import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** Whether a contract accepts a signature over a hash (ERC-1271). */
export type IsSignedByContract = (contract: Address, hash: Hash, signature: Hex) => Promise<boolean>;

const ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const YES = `0x1626ba7e${"0".repeat(56)}`;
/** Gas limit for the contract's answer. */
const GAS = 300_000n;

/** Checks signatures of contracts on a chain (ERC-1271). No answer means no. */
export function contractsOf(chain: Pick<PublicClient, "call">): IsSignedByContract {
  return async (contract, hash, signature) => {
    const data = encodeFunctionData({ abi: ABI, functionName: "isValidSignature", args: [hash, signature] });
    const { data: answer } = await chain.call({ to: contract, data, gas: GAS }).catch(() => ({ data: undefined }));
    return answer === YES;
  };
}
