import { join } from "node:path";
import type { Chain } from "../../orchestrator/chain/chain.ts";
import { findLivingCity } from "../../orchestrator/chain/city-file.ts";
import { connectRpcChain } from "../../orchestrator/chain/rpc.ts";
import { deploymentFile, readDeployment } from "../../orchestrator/city/founding/deployment-file.ts";
import { home } from "../../orchestrator/cli/home.ts";
import { findNetwork, livingNetwork, rpcUrlOf } from "../../orchestrator/cli/network.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import { type CityClient, createCityClient } from "../../orchestrator/client/client.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { addressesOf, type CityAddresses } from "../../orchestrator/protocol/addresses.ts";
import { type Blocks, openBlocks } from "../../orchestrator/records/blocks.ts";

/** An adjudicator's workplace: a city that runs in another process or on a public network, and this folder's files. */
export interface Office {
  /** The network's folder. */
  readonly dir: string;
  readonly client: CityClient;
  /** Stored reasons, by the ids that go on chain. */
  readonly blocks: Blocks;
  close(): Promise<void>;
}

export interface OfficeOptions {
  /** Default: that of the city that runs for this folder. */
  readonly network?: string;
  readonly rpc?: string;
}

export class NoCityRuns extends AgentCityError {
  constructor(network: string, dir: string) {
    super("NoCityRuns", `No city of the ${network} network runs for this folder`, {
      details: `looked in ${dir}`,
      action: "in another terminal: npm start -- --wait-for-humans; or name a network with --network and --rpc",
    });
  }
}

/** Finds the city: the one that runs for this folder, or a deployment behind an RPC URL. Reads only. */
export async function openOffice({ network: name = livingNetwork(), rpc }: OfficeOptions): Promise<Office> {
  const { dir } = home(name);
  const { chain, addresses } = await find(name, rpc, dir);
  return {
    dir,
    client: createCityClient({ chain, addresses }),
    blocks: openBlocks(join(dir, "blocks")),
    close: () => chain.close(),
  };
}

async function find(name: string, rpc: string | undefined, dir: string): Promise<{ chain: Chain; addresses: CityAddresses }> {
  const living = rpc === undefined ? findLivingCity(dir) : undefined;
  if (living !== undefined) {
    const chain = await connectRpcChain({ url: living.rpcUrl, chainId: living.chainId, wall: wallTime });
    return { chain, addresses: addressesOf(living.addresses, `The city in ${dir}`) };
  }
  const network = findNetwork(name);
  const city = readDeployment(deploymentFile(dir))?.city;
  if (city == null || (network.devnet && rpc === undefined)) throw new NoCityRuns(name, dir);
  const chain = await connectRpcChain({ url: rpcUrlOf(network, rpc), chainId: network.chainId, wall: wallTime });
  return { chain, addresses: city.addresses };
}
