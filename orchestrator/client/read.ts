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
  /** Default: the city's contract with that name. */
  readonly address?: Address | undefined;
}

/** Calls a view. Throws TransactionReverted with the contract's own error on a revert. */
export async function read<Name extends ContractName, Fn extends ReadName<Name>>(
  client: Reader,
  parameters: ReadParameters<Name, Fn>,
): Promise<ReadResult<Name, Fn>> {
  const { answers } = client.chain;
  if (answers === undefined) return ask(client, parameters);
  const question = nameOf(client, parameters);
  const kept = LASTING.has(parameters.functionName) ? lastingOf(answers) : answers;
  const known = kept.get(question);
  if (known !== undefined) return known as Promise<ReadResult<Name, Fn>>;
  const answer = ask(client, parameters);
  kept.set(question, answer);
  answer.catch(() => kept.delete(question));
  return answer;
}

/** Views of an edition of the constitution, whose answers never change. */
const LASTING: ReadonlySet<string> = new Set<ReadName<"ConstitutionContract">>(["paramIn", "unitsIn"]);

/** Their answers, by chain: they are cached for good. */
const lasting = new WeakMap<Map<string, Promise<unknown>>, Map<string, Promise<unknown>>>();

function lastingOf(answers: Map<string, Promise<unknown>>): Map<string, Promise<unknown>> {
  const kept = lasting.get(answers) ?? new Map<string, Promise<unknown>>();
  lasting.set(answers, kept);
  return kept;
}

/**
 * Views per request. Each costs some 300 bytes of the request's code, of which a node accepts 49,152 (EIP-3860). Answers of up to eight
 * words fit into one answer; larger ones arrive in halves (gathered.ts).
 */
const TOGETHER = 60;

export interface ReadManyParameters<Name extends ContractName, Fn extends ReadName<Name>> extends Omit<ReadParameters<Name, Fn>, "args"> {
  readonly args: readonly ReadArgs<Name, Fn>[];
}

/** Calls one view with many arguments, sixty per request. Answers are in order; a revert throws as in `read`. */
export async function readMany<Name extends ContractName, Fn extends ReadName<Name>>(
  client: Reader,
  { args, ...question }: ReadManyParameters<Name, Fn>,
): Promise<readonly ReadResult<Name, Fn>[]> {
  const { answers } = client.chain;
  const asked = args.map((each) => ({ ...question, args: each }));
  const unknown = asked.filter((each) => answers?.has(nameOf(client, each)) !== true);
  const found = new Map<string, Promise<ReadResult<Name, Fn>>>();
  for (let at = 0; at < unknown.length; at += TOGETHER) {
    const part = unknown.slice(at, at + TOGETHER);
    const together = askTogether(client, part);
    for (const [place, each] of part.entries()) {
      const answer = together.then((all) => all[place] ?? ask(client, each));
      found.set(nameOf(client, each), answer);
    }
  }
  for (const [name, answer] of found) {
    answers?.set(name, answer);
    answer.catch(() => answers?.delete(name));
  }
  return Promise.all(asked.map((each) => found.get(nameOf(client, each)) ?? read(client, each)));
}

/** Undefined where a view reverted: a single call then yields the reason. */
async function askTogether<Name extends ContractName, Fn extends ReadName<Name>>(
  client: Reader,
  questions: readonly ReadParameters<Name, Fn>[],
): Promise<readonly (ReadResult<Name, Fn> | undefined)[]> {
  const results = await client.chain.publicClient.multicall({
    deployless: true,
    batchSize: 0,
    contracts: questions.map(({ contract, functionName, args, address }) => ({
      abi: contractAbis[contract],
      address: addressOf(client, contract, address),
      functionName,
      args,
    })),
  } as never);
  return (results as readonly { readonly result?: ReadResult<Name, Fn> }[]).map(({ result }) => result);
}

/** Everything that the answer depends on, except the block. */
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
