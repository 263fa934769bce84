import { BaseError, ContractFunctionExecutionError, type PublicClient, parseAbi } from "viem";
import type { Address, Hex } from "../primitives/hex.ts";
import { NoDataFee } from "./errors.ts";

/** Where OP chains say what a transaction's data costs on L1 (`GasPriceOracle`, a predeploy). */
export const GAS_PRICE_ORACLE: Address = "0x420000000000000000000000000000000000000F";
const ABI = parseAbi(["function getL1Fee(bytes unsigned) view returns (uint256)"]);

/**
 * What the chain would charge now, beside gas, for having a transaction's bytes on L1; wei. `bytes`: the serialized transaction; the
 * chain adds what its signature takes. Throws NoDataFee where no oracle answers, as on chains that charge nothing or say it otherwise.
 */
export async function dataFeeOf(client: Pick<PublicClient, "readContract">, chain: string, bytes: Hex): Promise<bigint> {
  try {
    return await client.readContract({ address: GAS_PRICE_ORACLE, abi: ABI, functionName: "getL1Fee", args: [bytes] });
  } catch (error) {
    // No contract, another one, or one that refuses: the node did answer. Its silence is no answer.
    if (error instanceof ContractFunctionExecutionError) throw new NoDataFee(chain, error instanceof BaseError ? error.shortMessage : "");
    throw error;
  }
}
