import { join } from "node:path";
import type { LocalAccount } from "viem";
import type { Deployment, FoundedCity, Verification } from "../../../deploy/deployment.ts";
import { appointClerks, deployLaw, fillOffices, publishTemplate, seal, seedTreasury, setEnvelopes } from "../../../deploy/genesis.ts";
import type { Network } from "../../../deploy/networks.ts";
import { type GenesisPlan, planJson } from "../../../deploy/plan.ts";
import { verifyDeployment } from "../../../deploy/verify.ts";
import type { Chain } from "../../chain/chain.ts";
import { acquireLock } from "../../chain/lock.ts";
import { connectRpcChain, type RpcOptions } from "../../chain/rpc.ts";
import { createSender, type Sender, type SenderBoundary } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { createCityClient } from "../../client/client.ts";
import { allErrors } from "../../client/errors.ts";
import { type Boundary, noBoundary } from "../../primitives/boundary.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { openDatabase } from "../../records/database.ts";
import { RecordLog } from "../../records/log.ts";
import { openOutbox } from "../../records/outbox.ts";
import { serviceIdOf } from "../../rules/admissions.ts";
import { GenesisMismatch } from "../errors.ts";
import { chainReader } from "./chain-reader.ts";
import { codifierMandates, codifierServices } from "./codifier-services.ts";
import { deploymentFile, readDeployment, writeDeployment } from "./deployment-file.ts";
import { expectedCode } from "./expected-code.ts";
import { GENESIS_GAS, genesisPort } from "./genesis-port.ts";
import { pendingActs, requireDone } from "./people-first.ts";
import { registerServices } from "./services.ts";
import { requireToken } from "./settlement-token.ts";

export interface NetworkFounding {
  /** The network's folder: records, lock, `deployment.json`. */
  readonly dir: string;
  readonly cacheDir: string;
  readonly network: Network;
  readonly rpcUrl: string;
  /** Pays for every step and loses its power at the end. */
  readonly deployer: LocalAccount;
  /** The first codifier's key, if it is here: it registers law compiler and audit by its signature. Otherwise it does so itself. */
  readonly codifier?: LocalAccount | undefined;
  readonly founders: Omit<GenesisPlan, "mandates">;
  readonly wall: RpcOptions["wall"];
  readonly progress: (line: string) => void;
  readonly boundary?: Boundary<SenderBoundary>;
}

/** Genesis in this folder was begun with other decisions. */
export class GenesisDiffers extends AgentCityError {
  constructor(dir: string, what: string) {
    super("GenesisDiffers", `Genesis was begun in ${dir} with another ${what}`, {
      action: "continue with the same decisions, or set AGENTCITY_HOME to an empty folder to found another city",
    });
  }
}

export class NoFunds extends AgentCityError {
  constructor(deployer: string, balance: bigint, needed: bigint) {
    super("NoFunds", "The deployer cannot pay for genesis", {
      details: `${deployer} has ${balance} wei; at today's fees genesis needs up to ${needed}`,
      action: "send it more and run the command again",
    });
  }
}

/** Founds a city on a chain reached by URL. If killed at any step, running it again resumes it; at the end everything is read back. */
export async function foundNetwork(
  founding: NetworkFounding,
): Promise<{ readonly deployment: Deployment; readonly verification: Verification }> {
  const { dir, cacheDir, network, rpcUrl, deployer, wall, progress, boundary = noBoundary } = founding;
  const chain = await connectRpcChain({ url: rpcUrl, chainId: network.chainId, wall });
  const lock = acquireLock(dir, progress);
  try {
    const plan = await planOf(founding.founders);
    begin(founding, plan);
    await preflight(chain, founding);
    const database = await openDatabase({ dir: join(dir, "records"), cache: cacheDir });
    try {
      const sender = createSender<LogNote>({
        chain,
        outbox: openOutbox(database, new RecordLog(database, chain.clock)),
        relayers: [deployer],
        abis: [allErrors],
        boundary,
        guard: () => lock.assertHeld(),
      });
      const again = await sender.recover();
      if (again > 0) progress(`resumed: ${again} signed transactions had no known fate and were sent again, byte for byte`);
      const sealed = readDeployment(deploymentFile(dir))?.city ?? null;
      const city = sealed ?? (await steps(founding, chain, sender, plan));
      const deployment = { network: network.name, chainId: chain.id, deployer: deployer.address, profile: network.profile, plan, city };
      const verification = await verifyLive(chain, deployment, city);
      // After the founding adjudicators may change what is theirs; at the founding nothing may differ.
      const isBorn = sealed === null ? verification.checks.every(({ findings }) => findings.length === 0) : verification.passed;
      if (!isBorn) throw new GenesisMismatch(verification);
      writeDeployment(dir, deployment);
      progress("genesis sealed and read back: the deployer has no power left");
      return { deployment, verification };
    } finally {
      await database.close();
    }
  } finally {
    lock.release();
    await chain.close();
  }
}

/** Compares a live deployment with its founding; code is compared with a genesis in this process. */
export async function verifyLive(chain: Chain, deployment: Deployment, city: FoundedCity): Promise<Verification> {
  const nonces = await chain.publicClient.getTransactionCount({ address: deployment.deployer });
  return verifyDeployment(chainReader(chain), deployment, city, await expectedCode(deployment, city, nonces));
}

async function steps(
  { network, deployer, codifier, progress }: NetworkFounding,
  chain: Chain,
  sender: Sender<LogNote>,
  plan: GenesisPlan,
): Promise<FoundedCity> {
  const port = genesisPort(sender, deployer, network.profile);
  const addresses = await deployLaw(port, plan, plan.token);
  await publishTemplate(port, addresses);
  progress(`law deployed: constitution at ${addresses.ConstitutionContract}`);
  await setEnvelopes(port, addresses);
  await appointClerks(port, addresses, plan);
  const client = createCityClient({ chain, addresses, sender });
  const services = await codifierServices(codifierOf(plan));
  for (const { record } of services) {
    if (codifier !== undefined && (await client.services.ownerOf(serviceIdOf(record))) !== record.owner)
      await registerServices(client, [{ owner: codifier, record }]);
  }
  if (!(await client.constitution.isSealed())) requireDone(await pendingActs(client, plan, deployer.address, services));
  await fillOffices(port, addresses, plan);
  await seedTreasury(port, addresses, plan);
  progress("offices filled");
  await seal(port, addresses);
  return { addresses, created: Object.fromEntries(port.created), ...port.blocks() };
}

/** Law compiler and audit belong to the first codifier. */
async function planOf(founders: NetworkFounding["founders"]): Promise<GenesisPlan> {
  return { ...founders, mandates: codifierMandates(await codifierServices(codifierOf(founders))) };
}

function codifierOf({ clerks }: Pick<GenesisPlan, "clerks">): GenesisPlan["clerks"][number]["address"] {
  const found = clerks.find(({ office }) => office === "CODIFIER");
  if (found === undefined) throw new RangeError("a plan without a codifier");
  return found.address;
}

/** Records the founding decisions before anything is sent; a repeated run must have the same ones. */
function begin({ dir, network, deployer, codifier }: NetworkFounding, plan: GenesisPlan): void {
  if (codifier !== undefined && codifier.address !== codifierOf(plan))
    throw new GenesisDiffers(dir, "codifier than AGENTCITY_CODIFIER_KEY");
  const asked = { network: network.name, chainId: network.chainId, deployer: deployer.address, profile: network.profile, plan, city: null };
  const begun = readDeployment(deploymentFile(dir));
  if (begun === undefined) writeDeployment(dir, asked);
  else if (begun.deployer !== asked.deployer) throw new GenesisDiffers(dir, `deployer, ${begun.deployer}`);
  else if (begun.chainId !== asked.chainId) throw new GenesisDiffers(dir, `chain, ${begun.chainId}`);
  else if (canonicalJson(planJson(begun.plan)) !== canonicalJson(planJson(plan))) throw new GenesisDiffers(dir, "founding file");
}

/** Checks everything that can be known before the first transaction. */
async function preflight(chain: Chain, { dir, deployer, founders: { token } }: NetworkFounding): Promise<void> {
  const { publicClient } = chain;
  if (token !== null) await requireToken(chain, token);
  // Once begun, the remaining cost is unknown: the chain itself refuses, and the next run continues.
  if (readDeployment(deploymentFile(dir))?.city !== null) return;
  if ((await publicClient.getTransactionCount({ address: deployer.address })) > 0) return;
  const balance = await publicClient.getBalance({ address: deployer.address });
  const needed = GENESIS_GAS * (await chain.fees()).maxFeePerGas;
  if (balance < needed) throw new NoFunds(deployer.address, balance, needed);
}
