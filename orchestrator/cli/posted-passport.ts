import { ContractFunctionExecutionError } from "viem";
import type { z } from "zod";
import { evidenceRegistryAbi } from "../chain/abi/EvidenceRegistry.ts";
import type { Chain } from "../chain/chain.ts";
import { RpcUnreachable } from "../chain/errors.ts";
import { connectRpcChain } from "../chain/rpc.ts";
import { secondsOf } from "../clearing/fields.ts";
import { indexDigest, type PassportIndex } from "../execution/passports.ts";
import { cityDocumentSchema } from "../gateway/commands/city.ts";
import { passportListOutput } from "../gateway/commands/passports.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { type Address, hashSchema } from "../primitives/hex.ts";
import { askCity } from "./ask-city.ts";
import type { SignedPassport } from "./passport.ts";
import { wallTime } from "./wall-time.ts";

/** A passport's card is not what the chain says of it. */
export class NotOnChain extends AgentCityError {
  constructor(subject: string, problem: string, action = "ask the city's operator") {
    super("NotOnChain", `The card of ${subject} is not to be relied on: ${problem}`, { action });
  }
}

export interface Node {
  /** A node of the city's chain that the reader trusts. */
  readonly rpc: string;
  /** The city's EvidenceRegistry, as the reader knows it. Default: as the city names it. */
  readonly registry?: Address | undefined;
}

/** What a node confirmed. */
export interface OnChain {
  readonly rpc: string;
  readonly chainId: number;
  readonly registry: Address;
  /** The city itself named the registry: an impostor would name its own. */
  readonly isNamedByCity: boolean;
}

/**
 * Compares a signed card with the chain: its runner is registered, the list of passports that contains it was posted when the card says, and
 * none was posted since (or until `at`). Throws NotOnChain, WrongChain, RpcUnreachable.
 */
export async function requireOnChain(
  url: string,
  { card, runner, posted }: SignedPassport,
  { rpc, registry: known }: Node,
  at?: number,
): Promise<OnChain> {
  const { document } = await askCity(url, "get_city", cityDocumentSchema);
  const chain = await connectRpcChain({ url: rpc, chainId: document.chainId, wall: wallTime });
  try {
    const registry = addressSchema.parse(known ?? document.addresses["EvidenceRegistry"]);
    const refuse = (problem: string, action?: string) => new NotOnChain(card.subject, problem, action);
    const named = `the registry ${registry} on chain ${chain.id}`;
    const isRunner = await isRunnerIn(chain, registry, addressSchema.parse(runner));
    if (isRunner === undefined)
      throw refuse(`${named} is no EvidenceRegistry`, "check --registry, and that --rpc is a node of the city's chain");
    if (!isRunner) throw refuse(`${named} knows no runner ${runner}`);
    const [first, next] = await postingsFrom(chain, registry, BigInt(posted.block));
    if (first === undefined || first.index !== posted.index)
      throw refuse(`${named} has no passports ${posted.index} in block ${posted.block}`);
    if (first.time !== secondsOf(card.period.until)) throw refuse("its period does not end with that block");
    if (next !== undefined && (at === undefined || next.time <= at))
      throw refuse(`others were posted since, in block ${next.block}`, "ask again: they may have been posted a moment ago");
    const listed = await indexFrom(url, at);
    if (listed === undefined || indexDigest(listed) !== posted.index)
      throw refuse("the list that was posted is another than the city's", "ask again");
    if (listed[addressSchema.parse(card.subject)] !== card.passport_digest) throw refuse("another passport of this agent was posted");
    return { rpc, chainId: chain.id, registry, isNamedByCity: known === undefined };
  } finally {
    await chain.close();
  }
}

/** Whether the registry at this address knows a runner; undefined if none answers there. */
async function isRunnerIn({ publicClient }: Chain, address: Address, runner: Address): Promise<boolean | undefined> {
  try {
    return await publicClient.readContract({ abi: evidenceRegistryAbi, address, functionName: "isRunner", args: [runner] });
  } catch (error) {
    if (error instanceof ContractFunctionExecutionError && !(error.walk() instanceof RpcUnreachable)) return undefined;
    throw error;
  }
}

/** What was posted in this block, the last if there are several, and what was posted next. */
async function postingsFrom({ publicClient }: Chain, address: Address, block: bigint) {
  const asked = { abi: evidenceRegistryAbi, address, eventName: "PassportsPosted", strict: true } as const;
  const logs = await publicClient.getContractEvents({ ...asked, fromBlock: block });
  const within = logs.filter(({ blockNumber }) => blockNumber === block).at(-1);
  const after = logs.find(({ blockNumber }) => blockNumber > block);
  return Promise.all(
    [within, after].map(async (log) => {
      if (log === undefined) return undefined;
      const { timestamp } = await publicClient.getBlock({ blockNumber: log.blockNumber });
      return { index: log.args.passports, block: log.blockNumber, time: Number(timestamp) };
    }),
  );
}

/** Pages of a city's list, beyond which it does not end. */
const MOST_PAGES = 1_000;

/** All digests as the city lists them; undefined if its pages do not go on, or do not end. */
async function indexFrom(url: string, at?: number): Promise<PassportIndex | undefined> {
  const index: Record<string, PassportIndex[string]> = {};
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages += 1) {
    const page: z.output<typeof passportListOutput> = await askCity(url, "list_passports", passportListOutput, {
      ...(at === undefined ? {} : { at }),
      ...(cursor === "" ? {} : { cursor }),
      limit: 200,
    });
    for (const { subject, passport_digest } of page.items) index[subject] = hashSchema.parse(passport_digest);
    if (page.next !== null && (page.next <= cursor || pages === MOST_PAGES)) return undefined;
    cursor = page.next;
  }
  return index;
}
