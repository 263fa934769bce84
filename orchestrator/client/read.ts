import type { ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from "viem";
import { TransactionReverted } from "../chain/errors.ts";
import { decodeRevert, revertOf } from "../chain/revert.ts";
import type { Address } from "../primitives/hex.ts";
import { addressOf, type Reader } from "./base.ts";
import { type AbiOf, type ContractName, contractAbis } from "./contracts.ts";
import { allErrors } from "./errors.ts";

type Reads = "view" | "pure";
export type ReadName<Name extends ContractName> = ContractFunctionName<AbiOf<Name>, Reads>;
export type ReadArgs<Name extends ContractName, Fn extends ReadName<Name>> = ContractFunctionArgs<AbiOf<Name>, Reads, Fn>;
export type ReadResult<Name extends ContractName, Fn extends ReadName<Name>> = ContractFunctionReturnType<
  AbiOf<Name>,
  Reads,
  Fn,
  ReadArgs<Name, Fn>
>;

export interface ReadParameters<Name extends ContractName, Fn extends ReadName<Name>> {
  readonly contract: Name;
  readonly functionName: Fn;
  readonly args: ReadArgs<Name, Fn>;
  /** Default: the city's contract of that name. */
  readonly address?: Address | undefined;
}

/** Asks a contract. A revert is a TransactionReverted with the contract's own error. */
export async function read<Name extends ContractName, Fn extends ReadName<Name>>(
  client: Reader,
  parameters: ReadParameters<Name, Fn>,
): Promise<ReadResult<Name, Fn>> {
  const { answers } = client.chain;
  if (answers === undefined) return ask(client, parameters);
  const question = nameOf(client, parameters);
  const known = answers.get(question);
  if (known !== undefined) return known as Promise<ReadResult<Name, Fn>>;
  const answer = ask(client, parameters);
  answers.set(question, answer);
  answer.catch(() => answers.delete(question));
  return answer;
}

/** Everything that the answer depends on, other than the block. */
function nameOf<Name extends ContractName, Fn extends ReadName<Name>>(client: Reader, parameters: ReadParameters<Name, Fn>): string {
  const { contract, functionName, args, address } = parameters;
  const plain = JSON.stringify(args, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  return `${addressOf(client, contract, address)} ${functionName} ${plain}`;
}

async function ask<Name extends ContractName, Fn extends ReadName<Name>>(
  client: Reader,
  { contract, functionName, args, address }: ReadParameters<Name, Fn>,
): Promise<ReadResult<Name, Fn>> {
  try {
    return await client.chain.publicClient.readContract({
      abi: contractAbis[contract],
      address: addressOf(client, contract, address),
      functionName,
      args,
    } as never);
  } catch (thrown) {
    const revert = revertOf(thrown);
    if (revert === undefined) throw thrown;
    throw new TransactionReverted({
      phase: "simulated",
      what: `${contract}.${functionName}`,
      ...decodeRevert(revert.data, allErrors),
      cause: thrown,
    });
  }
}
