import { existsSync } from "node:fs";
import { z } from "zod";
import { type Network, networkOf } from "../../deploy/networks.ts";
import { findLivingCity } from "../chain/city-file.ts";
import { type DevnetName, devnets, type LivePlace } from "../city/city.ts";
import { foundedSeed } from "../city/founding/city-folder.ts";
import { deploymentFile } from "../city/founding/deployment-file.ts";
import type { Member } from "../city/founding/society.ts";
import { AgentCityError, InvalidValue } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { readStateFile } from "../primitives/state-file.ts";
import { home } from "./home.ts";
import { ownSociety } from "./keys.ts";
import { wallTime } from "./wall-time.ts";

const OWN_NETWORKS = "agentcity.networks.json";

export class RpcUrlMissing extends AgentCityError {
  constructor(network: string) {
    super("RpcUrlMissing", `No RPC URL for ${network}`, {
      action: `--rpc <url>, AGENTCITY_RPC_URL, or "rpc" next to its chain id in ${OWN_NETWORKS}`,
    });
  }
}

/** A network by name, from the built-in ones and this folder's own. */
export function findNetwork(name: string): Network {
  return networkOf(name, readStateFile(OWN_NETWORKS, z.json(), "correct it: docs/genesis.md has an example") ?? {});
}

/** This command creates its own chain. */
export class NotADevnet extends AgentCityError {
  constructor(name: string) {
    super("NotADevnet", `${name} is not a devnet: this command starts a new chain each time`, {
      details: `devnets: ${devnets.join(", ")}`,
      action: "npm run mission -- <file> --network <name> runs a mission there",
    });
  }
}

export class TokenMissing extends AgentCityError {
  constructor(name: string) {
    super("TokenMissing", `A city on ${name} settles in a real token of that network`, {
      action: "name an ERC-20 with six decimals and permit, such as USDC, when the city is founded: --token 0x…",
    });
  }
}

/** Where a command's city lives: its own devnet, or a live network. */
export interface Place {
  /** The folder's name. */
  readonly name: string;
  readonly devnet: DevnetName;
  /** URL of a running Anvil. */
  readonly rpcUrl?: string | undefined;
  /** RPC URL of the chain that an own Anvil forks. */
  readonly forkUrl?: string | undefined;
  /** Settlement token, a contract of the forked chain, of a city founded on the fork. */
  readonly forkToken?: Address | undefined;
  readonly live?: LivePlace | undefined;
  /** Members of the city. Default: the devnet's, whose keys are public. */
  readonly society?: readonly Member[] | undefined;
}

export interface PlaceOptions {
  readonly network: string;
  readonly rpc?: string | undefined;
  readonly fork?: string | undefined;
  readonly confirmations?: number | undefined;
  /** Wei per gas. */
  readonly maxFee?: bigint | undefined;
  /** The settlement token. */
  readonly token?: Address | undefined;
}

/** The place selected by a command's options. */
export function placeOf({ network: name, rpc, fork, confirmations, maxFee, token }: PlaceOptions): Place {
  if (fork !== undefined && (name !== "anvil" || rpc !== undefined))
    throw new InvalidValue("--fork", "a fork needs the city's own Anvil", { action: "--network anvil, without --rpc" });
  const devnet = devnets.find((each) => each === name);
  if (devnet === undefined) {
    const network = findNetwork(name);
    const { chainId, profile, devnet: isDevnet } = network;
    if (!isDevnet && token === undefined && !existsSync(deploymentFile(home(name).dir))) throw new TokenMissing(name);
    const live = {
      network: { name, chainId, confirmations, maxFeePerGas: maxFee },
      ...{ url: rpcUrlOf(network, rpc), wall: wallTime, profile, token },
    };
    return { name, devnet: "anvil", live, ...(isDevnet ? {} : { society: ownSociety() }) };
  }
  if (rpc !== undefined && devnet !== "anvil")
    throw new InvalidValue("--rpc", "the embedded chain lives in this process", { action: "add --network anvil" });
  if (confirmations !== undefined || maxFee !== undefined)
    throw new InvalidValue("--confirmations, --max-fee", `on ${name} a step counts at once and costs nothing`, {
      action: "leave them out",
    });
  if (token !== undefined && fork === undefined)
    throw new InvalidValue("--token", `a city on ${name} settles in its own test token`, { action: "leave it out, or add --fork" });
  return { name, devnet, rpcUrl: rpc, forkUrl: fork, forkToken: token };
}

/** Where a long-lived city runs: where this folder's city is, otherwise on an Anvil, which has its own memory and no block limit. */
export function lastingNetwork(): DevnetName {
  const has = (name: DevnetName) => foundedSeed(home(name).dir) !== undefined;
  return has("embedded") && !has("anvil") ? "embedded" : "anvil";
}

/** The devnet on which this folder's city is running; if none is, the default of commands without a network. */
export function livingNetwork(): DevnetName {
  return devnets.find((name) => findLivingCity(home(name).dir) !== undefined) ?? "embedded";
}

/** A devnet by its name. */
export function devnetNamed(name: string): DevnetName {
  const found = devnets.find((devnet) => devnet === name);
  if (found === undefined) throw new NotADevnet(findNetwork(name).name);
  return found;
}

/** Flag over environment over configuration. */
export function rpcUrlOf(network: Network, flag: string | undefined): string {
  const url = flag ?? process.env["AGENTCITY_RPC_URL"] ?? network.rpc;
  if (url === undefined) throw new RpcUrlMissing(network.name);
  return url;
}
