import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { openAnvilChain } from "../chain/anvil-chain.ts";
import { TRANSCRIPT_FILE } from "../chain/driven.ts";
import { openEmbeddedChain } from "../chain/embedded.ts";
import { connectRpcChain } from "../chain/rpc.ts";
import { deploymentFile, readDeployment } from "../city/founding/deployment-file.ts";
import { verifyLive } from "../city/founding/found-network.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { home } from "./home.ts";
import { findNetwork, rpcUrlOf } from "./network.ts";
import { typedPath } from "./shell.ts";
import { printVerification } from "./verification-screen.ts";
import { wallTime } from "./wall-time.ts";

export interface VerifyOptions {
  readonly network: string;
  readonly rpc?: string;
  readonly deployment?: string;
  readonly json?: boolean;
}

export class NoCityThere extends AgentCityError {
  constructor(network: string, path: string) {
    super("NoCityThere", `No city is known on ${network}`, {
      details: `looked for ${path}`,
      action: `found one: npm run genesis -- --network ${network}`,
    });
  }
}

/** Compares a live deployment with its founding, as genesis does. */
export async function verify({ network: name, rpc, deployment: named, json = false }: VerifyOptions): Promise<void> {
  const file = named === undefined ? undefined : typedPath(named);
  const network = findNetwork(name);
  const dir = file === undefined ? home(name).dir : dirname(file);
  const path = file ?? deploymentFile(dir);
  const deployment = readDeployment(path);
  if (deployment?.city == null) throw new NoCityThere(name, path);
  const isOwn = rpc === undefined && process.env["AGENTCITY_RPC_URL"] === undefined && existsSync(join(dir, TRANSCRIPT_FILE));
  const chain =
    isOwn && network.devnet
      ? await (name === "anvil" ? openAnvilChain({ dir }) : openEmbeddedChain({ dir }))
      : await connectRpcChain({ url: rpcUrlOf(network, rpc), chainId: network.chainId, wall: wallTime });
  try {
    printVerification(await verifyLive(chain, deployment, deployment.city), json);
  } finally {
    await chain.close();
  }
}
