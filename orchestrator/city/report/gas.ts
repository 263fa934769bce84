import { type Abi, decodeFunctionData, numberToHex, type TransactionReceipt } from "viem";
import { z } from "zod";
import { adjudicationProcedureAbi } from "../../chain/abi/AdjudicationProcedure.ts";
import { collaborationContractAbi } from "../../chain/abi/CollaborationContract.ts";
import { executionProcedureAbi } from "../../chain/abi/ExecutionProcedure.ts";
import { legislativeProcedureAbi } from "../../chain/abi/LegislativeProcedure.ts";
import { managementContractAbi } from "../../chain/abi/ManagementContract.ts";
import { stakePoolAbi } from "../../chain/abi/StakePool.ts";
import type { CityClient } from "../../client/client.ts";
import { numbersIn } from "../../primitives/bitmap.ts";
import { type Address, type Hex, hexSchema } from "../../primitives/hex.ts";
import { field, listOf } from "../../primitives/values.ts";
import { decodeClearWave, decodeCommitWave, decodeRevealWave } from "../../rules/wire.ts";
import type { Tree } from "../missions/family.ts";

/** Stage of a mission's life that a call belongs to, in order of appearance. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  legislate: [
    "openSession",
    "confirmIdentities",
    "propose",
    "sponsor",
    "openDebate",
    "strawPoll",
    "openVoting",
    "castBallots",
    "tally",
    "validate",
    "delegate",
    "recordResult",
    "codify",
    "approve",
  ],
  market: ["cover", "bid", "bidAll", "award", "withdrawBid", "reopen"],
  orchestrate: ["route", "mismatch"],
  commit: ["commit", "commitOpen", "commitWave", "reveal", "revealWave"],
  checkpoint: ["checkpoint"],
  verify: ["clear", "advance", "post", "redraw", "timeout", "report"],
  adjudicate: ["act"],
  settle: ["record", "claim", "refund", "close", "abort"],
  anchor: ["anchor"],
};

/** The stage that a function belongs to; "other" for one that no stage of a mission calls. */
export function stageOf(functionName: string): string {
  return Object.entries(STAGES).find(([, names]) => names.includes(functionName))?.[0] ?? "other";
}

/** Functions that concern nodes, and where in their arguments the node numbers are. */
const NODES_OF: Readonly<Record<string, (args: readonly unknown[]) => readonly unknown[]>> = {
  route: ([nodes]) => numbersIn(z.bigint().parse(nodes)),
  mismatch: ([live]) => [field(live, "node")],
  commit: ([node]) => [node],
  commitOpen: ([node]) => [node],
  reveal: ([node]) => [node],
  commitWave: ([wave]) => placesIn(decodeCommitWave(hexSchema.parse(wave)).pledges),
  revealWave: ([wave]) => placesIn(decodeRevealWave(hexSchema.parse(wave))),
  checkpoint: ([wave]) => listOf(field(wave, "pledges")).map((order) => field(order, "node")),
  clear: ([wave]) => placesIn(decodeClearWave(hexSchema.parse(wave)).orders),
  // Nearly all of it is the clearing: the nodes that start in it are not charged.
  advance: ([wave]) => placesIn(decodeClearWave(hexSchema.parse(wave)).orders),
  act: ([action]) => [field(action, "node")],
  record: ([node]) => [node],
  claim: ([nodes]) => listOf(nodes),
  timeout: ([node]) => [node],
  reopen: ([node]) => [node],
  report: ([node]) => [node],
};

/** Each node once, however many of its slots there are. */
function placesIn(places: readonly { readonly node: number }[]): readonly number[] {
  return [...new Set(places.map(({ node }) => node))];
}

export interface GasTable {
  readonly stages: readonly { readonly stage: string; readonly transactions: number; readonly gas: number }[];
  /** Gas by node number; a batch is shared equally, the odd units go to its first nodes. */
  readonly nodes: ReadonlyMap<number, number>;
}

/** One decoded transaction of the city. */
export interface CityCall {
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly to: Address;
  readonly receipt: TransactionReceipt;
}

/** Every call to the branches' contracts and to some missions, from a block to the head. */
export async function callsSince(client: CityClient, from: bigint, missions: readonly Address[]): Promise<readonly CityCall[]> {
  const { publicClient } = client.chain;
  const abis = new Map<string, Abi>([
    [client.legislation.address.toLowerCase(), legislativeProcedureAbi],
    [client.mandates.address.toLowerCase(), managementContractAbi],
    [client.execution.address.toLowerCase(), executionProcedureAbi],
    [client.adjudication.address.toLowerCase(), adjudicationProcedureAbi],
    [client.pools.address.toLowerCase(), stakePoolAbi],
    ...missions.map((mission): [string, Abi] => [mission.toLowerCase(), collaborationContractAbi]),
  ]);
  const calls: CityCall[] = [];
  const head = await publicClient.getBlockNumber();
  for (let blockNumber = from; blockNumber <= head; blockNumber += 1n) {
    const block = await publicClient.getBlock({ blockNumber, includeTransactions: true });
    for (const { to, input, hash } of block.transactions) {
      const abi = to === null ? undefined : abis.get(to.toLowerCase());
      if (to === null || abi === undefined) continue;
      const receipt = await publicClient.getTransactionReceipt({ hash });
      calls.push({ ...decode(abi, input), to, receipt });
    }
  }
  return calls;
}

/** The calls about one tree, whatever else the city did meanwhile. */
export async function callsAbout(client: CityClient, from: bigint, { sessions, missions }: Tree): Promise<readonly CityCall[]> {
  const legislation = client.legislation.address.toLowerCase();
  const ours = new Set([
    ...missions.map((mission) => mission.toLowerCase()),
    ...sessions.map((session) => numberToHex(session, { size: 32 })),
  ]);
  const isOurs = (value: unknown) => typeof value === "string" && ours.has(value.toLowerCase());
  const isHandover = ({ functionName, args }: Pick<CityCall, "functionName" | "args">) =>
    functionName === "delegate" && sessions.some((session) => session === args[0]);
  const calls = await callsSince(client, from, missions);
  // A delegation is identified by its own hash from then on.
  for (const { functionName, args, receipt } of calls) {
    if (!isHandover({ functionName, args })) continue;
    for (const { args: event } of client.mandates.events(receipt, "Delegated")) ours.add(event.delegation.toLowerCase());
  }
  return calls.filter(
    ({ functionName, to, args, receipt }) =>
      isOurs(to) ||
      leavesOf(args).some(isOurs) ||
      receipt.logs.some(({ address, topics }) => address.toLowerCase() === legislation && isOurs(topics[1])) ||
      isHandover({ functionName, args }),
  );
}

/** Gas of calls by stage, and of those about one mission by its nodes. */
export function gasTable(calls: readonly CityCall[], mission: Address | undefined): GasTable {
  const nodes = new Map<number, number>();
  for (const { functionName, args, to, receipt } of calls) {
    const about = functionName === "act" ? field(args[0], "mission") : to;
    if (typeof about !== "string" || about.toLowerCase() !== mission?.toLowerCase()) continue;
    const numbers = nodesIn({ functionName, args });
    const gas = Number(receipt.gasUsed);
    for (const [index, number] of numbers.entries()) {
      const share = Math.floor(gas / numbers.length) + (index < gas % numbers.length ? 1 : 0);
      nodes.set(number, (nodes.get(number) ?? 0) + share);
    }
  }
  const stages = Object.entries(STAGES).map(([stage, names]) => {
    const own = calls.filter(({ functionName }) => names.includes(functionName));
    return { stage, transactions: own.length, gas: own.reduce((sum, { receipt }) => sum + Number(receipt.gasUsed), 0) };
  });
  return { stages: stages.filter(({ transactions }) => transactions > 0), nodes };
}

/** Numbers of the nodes that a call to a mission names, in its order. */
export function nodesIn({ functionName, args }: Pick<CityCall, "functionName" | "args">): readonly number[] {
  return (NODES_OF[functionName]?.(args) ?? []).map(Number);
}

/** Values inside nested arguments. */
function leavesOf(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  return Object.values(value).flatMap(leavesOf);
}

function decode(abi: Abi, data: Hex): { functionName: string; args: readonly unknown[] } {
  const { functionName, args } = decodeFunctionData({ abi, data });
  return { functionName, args: args ?? [] };
}
