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

/** The predeploy that states L1 data costs on OP chains (`GasPriceOracle`). */
export const GAS_PRICE_ORACLE: Address = "0x420000000000000000000000000000000000000F";
const ABI = parseAbi(["function getL1Fee(bytes unsigned) view returns (uint256)"]);

/** JSON-RPC code of a reverted call. */
const REVERTED = 3;

/**
 * The current L1 data fee of a transaction, in addition to gas; wei. `bytes`: the serialized transaction; the chain adds the size of its
 * signature. Throws NoDataFee if there is no oracle, as on chains without such a fee or with another interface; and viem's errors if the
 * node does not answer or cannot run the view.
 */
export async function dataFeeOf(client: Pick<PublicClient, "readContract">, chain: string, bytes: Hex): Promise<bigint> {
  try {
    return await client.readContract({ address: GAS_PRICE_ORACLE, abi: ABI, functionName: "getL1Fee", args: [bytes] });
  } catch (error) {
    if (error instanceof BaseError && error.walk(isOfContract) !== null) throw new NoDataFee(chain, error.shortMessage);
    throw error;
  }
}

/** No contract, a different one, or one that reverts: the view did run. */
function isOfContract(error: unknown): boolean {
  if (error instanceof ContractFunctionRevertedError) return error.raw !== undefined;
  if (error instanceof ContractFunctionZeroDataError || error instanceof AbiDecodingDataSizeTooSmallError) return true;
  return error instanceof Error && "code" in error && error.code === REVERTED;
}
