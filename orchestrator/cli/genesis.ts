import { readFileSync } from "node:fs";
import type { Verification } from "../../deploy/deployment.ts";
import { parseFoundingFile } from "../../deploy/founding-file.ts";
import { type DevnetName, openCity } from "../city/city.ts";
import { foundedSeed } from "../city/founding/city-folder.ts";
import { deploymentFile, readDeployment } from "../city/founding/deployment-file.ts";
import { foundNetwork, verifyLive } from "../city/founding/found-network.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { home } from "./home.ts";
import { accountFrom, deployerAccount } from "./keys.ts";
import { devnetNamed, findNetwork, rpcUrlOf } from "./network.ts";
import { withProgress } from "./progress.ts";
import { typedPath } from "./shell.ts";
import { testBoundary } from "./test-boundary.ts";
import { printVerification } from "./verification-screen.ts";
import { wallTime } from "./wall-time.ts";

export interface GenesisOptions {
  readonly network: string;
  readonly rpc?: string;
  readonly city?: string;
  readonly json?: boolean;
}

export class FoundingFileMissing extends AgentCityError {
  constructor(what: string) {
    super("FoundingFileMissing", what, { action: "write one (docs/genesis.md has an example) and give it with --city <file>" });
  }
}

/** Founds a city. A devnet without a founding file gets the society of `npm start`; every other city needs named founders. */
export async function genesis(options: GenesisOptions): Promise<void> {
  const verification = await withProgress(({ progress, enter }) => {
    enter("founding the city, then verifying it");
    return found(options, progress);
  });
  printVerification(verification, options.json === true);
}

async function found({ network: name, rpc, city: file }: GenesisOptions, progress: (line: string) => void): Promise<Verification> {
  const network = findNetwork(name);
  if (file === undefined && !network.devnet) throw new FoundingFileMissing(`${name} is not a devnet: a founding file is required`);
  const { dir, cacheDir } = home(name);
  if (file === undefined) return foundDevnet(devnetNamed(name), rpc, progress);
  const founders = parseFoundingFile(readFounding(typedPath(file)), file, network.devnet);
  const { verification } = await foundNetwork({
    dir,
    cacheDir,
    network,
    rpcUrl: rpcUrlOf(network, rpc),
    deployer: deployerAccount(),
    codifier: accountFrom("AGENTCITY_CODIFIER_KEY"),
    founders,
    wall: wallTime,
    progress,
    boundary: testBoundary(),
  });
  return verification;
}

async function foundDevnet(network: DevnetName, rpcUrl: string | undefined, progress: (line: string) => void): Promise<Verification> {
  const { dir, cacheDir } = home(network);
  const seed = foundedSeed(dir) ?? "7";
  const city = await openCity({ dir, cacheDir, network, rpcUrl, seed, progress, millis: wallTime.millis });
  try {
    const deployment = readDeployment(deploymentFile(dir));
    if (deployment?.city == null) throw new RangeError("an open city without a deployment");
    return await verifyLive(city.chain, deployment, deployment.city);
  } finally {
    await city.close();
  }
}

function readFounding(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new FoundingFileMissing(`${file} cannot be read: ${messageOf(error)}`);
  }
}
