import { encodeFunctionData, type PublicClient, parseAbi } from "viem";
import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** Whether a contract says that this is its signature over a hash (ERC-1271). */
export type IsSignedByContract = (contract: Address, hash: Hash, signature: Hex) => Promise<boolean>;

const ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const YES = `0x1626ba7e${"0".repeat(56)}`;
/** What a contract may use to say so. */
const GAS = 300_000n;

/** Contracts of a chain, asked whether something is their signature (ERC-1271). Whoever gives no answer has not said yes. */
export function contractsOf(chain: Pick<PublicClient, "call">): IsSignedByContract {
  return async (contract, hash, signature) => {
    const data = encodeFunctionData({ abi: ABI, functionName: "isValidSignature", args: [hash, signature] });
    const { data: answer } = await chain.call({ to: contract, data, gas: GAS }).catch(() => ({ data: undefined }));
    return answer === YES;
  };
}
