import type { Abi, ContractErrorName } from "viem";
import { errorsAbi } from "../chain/abi/errors.ts";
import { errorsOf } from "../chain/chain.ts";
import { TransactionReverted } from "../chain/errors.ts";
import { type AbiOf, type ContractName, contractAbis } from "./contracts.ts";

/** Errors of every contract and library, any of which may occur somewhere in a call. */
export const allErrors: Abi = [...errorsAbi, ...errorsOf(Object.values(contractAbis))];

/** Whether a call reverted with this error of this contract: `revertedWith(error, "LegislativeProcedure", "AlreadyVoted")`. */
export function revertedWith<Name extends ContractName>(
  error: unknown,
  _contract: Name,
  ...names: readonly ContractErrorName<AbiOf<Name>>[]
): error is TransactionReverted {
  return error instanceof TransactionReverted && names.some((name) => name === error.errorName);
}
