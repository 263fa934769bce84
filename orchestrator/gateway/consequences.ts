import { isAddressEqual, parseEventLogs, zeroAddress } from "viem";
import { storageLayouts } from "../chain/abi/layouts.ts";
import { type Keys, namedChanges } from "../chain/storage.ts";
import { chainTime } from "../city/humans/order-caps.ts";
import { type ContractName, contractAbis } from "../client/contracts.ts";
import { orderDigest } from "../client/sign/order.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import type { OverrideAction } from "../protocol/acts.ts";
import { cityContracts } from "../protocol/addresses.ts";
import { type NodeReport, REPORTING, type Unreported } from "./ask-node.ts";
import type { World } from "./command.ts";
import type { Simulated } from "./orders.ts";
import { toAddress } from "./wire.ts";

export const SIMULATED_BY = [...REPORTING, "eth_call"] as const;

export interface Consequences extends Simulated {
  readonly method: (typeof SIMULATED_BY)[number];
  /** Why more detailed methods gave no answer. */
  readonly unreported: readonly Unreported[];
  /** Every storage word that would change; null if the node does not report them. */
  readonly storage: readonly (Simulated["changes"][number] & { readonly contract: string; readonly address: Address })[] | null;
  /** Token transfers, smallest unit; null if the node does not report them. */
  readonly transfers: readonly { readonly from: Address; readonly to: Address; readonly units: string }[] | null;
}

/** A node's report with the contracts' names: storage by their layouts, transfers by events. */
export async function inNames(
  world: World,
  message: OverrideAction,
  signers: readonly Address[],
  { logs, storage }: NodeReport,
): Promise<Pick<Consequences, "storage" | "transfers">> {
  const { addresses } = world.client;
  const token = logs.filter(({ address }) => isAddressEqual(address, addresses.CityToken));
  const moved = parseEventLogs({
    ...{ abi: contractAbis.CityToken, eventName: "Transfer" },
    logs: token.map(({ address, topics, data }) => ({ address, topics: [...topics], data })) as never,
  });
  const transfers = moved.map(({ args: { from, to, value } }) => ({ from, to, units: value.toString() }));
  if (storage === undefined) return { storage: null, transfers };
  const keys = await keysOf(world, message, signers, logs);
  const named = [...storage].flatMap(([address, changed]) => {
    const contract = contractAt(world, message, address);
    const layout = contract === undefined ? { places: [], types: {} } : storageLayouts[contract];
    return namedChanges(layout, changed, keys).map((change) => ({ contract: contract ?? "other", address: toAddress(address), ...change }));
  });
  return { storage: named, transfers };
}

function contractAt({ client }: World, { mission }: OverrideAction, address: Address): ContractName | undefined {
  if (isAddressEqual(address, mission)) return "CollaborationContract";
  return cityContracts.find((name) => isAddressEqual(client.addresses[name], address));
}

/** Maximum number of attempts of a node, and of executors per attempt. */
const ATTEMPTS = 8;
const SLOTS = 16;
/** Periods by which contracts number time: daily acts of an adjudicator, ten-day corrections, months of treasury and panel. Seconds. */
const PERIODS = [1n, 10n, 30n].map((days) => days * 86_400n);

/** Possible keys of mappings: the subject of the order, its signers, and values in events. */
async function keysOf({ client }: World, message: OverrideAction, signers: readonly Address[], logs: NodeReport["logs"]): Promise<Keys> {
  const { mission, target, node, caseHash } = message;
  const topics = [...new Set(logs.flatMap((log) => log.topics.slice(1)))];
  const principals = await Promise.all(signers.map((signer) => client.roster.principalOf(signer)));
  const named = topics.flatMap((topic) => (/^0x0{24}(?!0{8})/.test(topic) ? [toAddress(`0x${topic.slice(26)}`)] : []));
  const addresses = [target, mission, ...signers, ...principals, ...named, ...cityContracts.map((name) => client.addresses[name])];
  const now = await chainTime({ client });
  // A mission's keys (MissionStorage.sol): node, attempt, executor.
  const attempts = Array.from({ length: ATTEMPTS }, (_, attempt) => (BigInt(node) << 8n) | BigInt(attempt));
  const slots = attempts.flatMap((attempt) => Array.from({ length: SLOTS }, (_, slot) => (attempt << 8n) | BigInt(slot)));
  const small = topics.map(BigInt).filter((topic) => topic < 1n << 40n);
  const times = PERIODS.map((period) => now / period);
  const numbers = [BigInt(node), ...times, ...small, ...attempts, ...slots, ...Array.from({ length: 256 }, (_, number) => BigInt(number))];
  const words: readonly Hex[] = [orderDigest(client, message), caseHash, ...topics];
  return {
    addresses: [...new Set(addresses)].filter((address) => address !== zeroAddress),
    numbers: [...new Set(numbers)],
    words: [...new Set(words)],
  };
}
