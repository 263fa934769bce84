import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
  parseAbi,
} from "viem";
import type { Address, Hex } from "../primitives/hex.ts";
import { NoDataFee } from "./errors.ts";

/** Where OP chains say what a transaction's data costs on L1 (`GasPriceOracle`, a predeploy). */
export const GAS_PRICE_ORACLE: Address = "0x420000000000000000000000000000000000000F";
const ABI = parseAbi(["function getL1Fee(bytes unsigned) view returns (uint256)"]);

/** Of JSON-RPC: the call ran, and reverted. */
const REVERTED = 3;

/**
 * What the chain would charge now, beside gas, for having a transaction's bytes on L1; wei. `bytes`: the serialized transaction; the
 * chain adds what its signature takes. Throws NoDataFee where no oracle answers, as on chains that charge nothing or say it otherwise; and
 * what viem throws, where the node is silent or does not run the view.
 */
export async function dataFeeOf(client: Pick<PublicClient, "readContract">, chain: string, bytes: Hex): Promise<bigint> {
  try {
    return await client.readContract({ address: GAS_PRICE_ORACLE, abi: ABI, functionName: "getL1Fee", args: [bytes] });
  } catch (error) {
    if (error instanceof BaseError && error.walk(isOfContract) !== null) throw new NoDataFee(chain, error.shortMessage);
    throw error;
  }
}

/** No contract, another one, or one that refuses: the view did run. */
function isOfContract(error: unknown): boolean {
  if (error instanceof ContractFunctionRevertedError) return error.raw !== undefined;
  if (error instanceof ContractFunctionZeroDataError || error instanceof AbiDecodingDataSizeTooSmallError) return true;
  return error instanceof Error && "code" in error && error.code === REVERTED;
}
