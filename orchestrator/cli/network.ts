import { z } from "zod";
import { type Network, networkOf } from "../../deploy/networks.ts";
import { type DevnetName, devnets } from "../city/city.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { readStateFile } from "../primitives/state-file.ts";

const OWN_NETWORKS = "agentcity.networks.json";

export class RpcUrlMissing extends AgentCityError {
  constructor(network: string) {
    super("RpcUrlMissing", `No RPC URL for ${network}`, {
      action: `--rpc <url>, AGENTCITY_RPC_URL, or "rpc" next to its chain id in ${OWN_NETWORKS}`,
    });
  }
}

/** The network of this name, from the known ones and this folder's own. */
export function findNetwork(name: string): Network {
  return networkOf(name, readStateFile(OWN_NETWORKS, z.json(), "correct it: docs/genesis.md has an example") ?? {});
}

/** Missions are run where this command holds every member's key. */
export class NotADevnet extends AgentCityError {
  constructor(name: string) {
    super("NotADevnet", `On ${name} agents and humans keep their own keys: this command cannot run a mission for them`, {
      details: `devnets: ${devnets.join(", ")}`,
      action: "found and verify a city there with genesis and verify; missions are run on devnets",
    });
  }
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
