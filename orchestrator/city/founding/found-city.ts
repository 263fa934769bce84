import { erc20Abi, keccak256, stringToHex, zeroAddress } from "viem";
import type { Deployment, FoundedCity } from "../../../deploy/deployment.ts";
import { appointClerks, deployLaw, fillOffices, publishTemplate, seal, seedTreasury, setEnvelopes } from "../../../deploy/genesis.ts";
import type { GenesisPlan } from "../../../deploy/plan.ts";
import { verifyCore } from "../../../deploy/verify.ts";
import type { Chain } from "../../chain/chain.ts";
import { intentKey } from "../../chain/outbox.ts";
import type { Intent, Sender } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { type CityClient, createCityClient } from "../../client/client.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { writeMany } from "../../client/write.ts";
import { contentIdOf, digestOf } from "../../primitives/hash.ts";
import type { Address } from "../../primitives/hex.ts";
import { type RandomStream, randomStream } from "../../primitives/random.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { OFFICE_NAMES, OFFICES } from "../../protocol/offices.ts";
import { DEVNET, PARAMETERS, type ParameterName } from "../../protocol/parameters.ts";
import { FounderLacks, GenesisMismatch } from "../errors.ts";
import { chainReader } from "./chain-reader.ts";
import { codifierMandates, codifierServices } from "./codifier-services.ts";
import { GENESIS_GAS, type SendingPort } from "./genesis-port.ts";
import { signPermit } from "./permit.ts";
import { openPools } from "./pools.ts";
import { registerServices } from "./services.ts";
import { issuedBy, type Member, memberOf, membersOf } from "./society.ts";

const TOKEN = 1_000_000n;
const VERIFIER_WEIGHT = 100;
const OFFICERS = ["registrar", "speaker", "regulator", "codifier"] as const;
/** Bitmaps over `EvidenceClass`: what each issuer may attest. */
const CLASS_BITS = { ATT: 1 << 4, REC: 1 << 3 } as const;

/** Members that send their own transactions: the sponsor, for its money, and officers whose office is tied to their address. */
const SENDERS = ["sponsor", "monitor", "registrar", "speaker", "regulator", "codifier"] as const;

/** Devnet money, smallest unit. */
const ENDOWMENT = {
  stake: 10_000n * TOKEN,
  principal: 100_000n * TOKEN,
  sponsor: 1_000_000n * TOKEN,
  adjudicator: 5_000n * TOKEN,
  /** The treasury's initial funds (decision 43): free balance and insurance. */
  treasury: 5_000n * TOKEN,
  insurance: 5_000n * TOKEN,
  /** Wei for those who must send a transaction themselves. */
  gas: 10n ** 19n,
} as const;

/** Windows of a devnet in real time, seconds: where blocks take their time, every step of a session and of a panel takes some of them. */
export const REAL_TIME: Partial<Record<ParameterName, bigint>> = {
  LEGISLATIVE_PROPOSAL_TIMEOUT: 600n,
  REGULATORY_APPROVAL_TIMEOUT: 300n,
  VERIFICATION_TIMEOUT: 300n,
  MIN_HUMAN_REVIEW_TIMEOUT: 300n,
  MAX_NODE_TIMEOUT: 600n,
  OPTIMISTIC_WINDOW_MAX: 60n,
};

const MANDATE =
  "Agents legislate, software executes, humans adjudicate. No money moves on evidence weaker than what is at stake demands, " +
  "and any human with a seat can stop what is done here.";

/** Gas for a mission of a hundred nodes, per kind of sender. */
const GAS = { sender: 30_000_000n, relayer: 150_000_000n } as const;

/**
 * The founding plan of a city whose keys are all local: the prototype's parameters with short windows, and offices for the society's
 * members.
 */
async function devnetPlan(
  society: readonly Member[],
  parameters: Partial<Record<ParameterName, bigint>> = {},
  token: Address | null = null,
): Promise<GenesisPlan> {
  const person = (member: Member) => ({ address: member.account.address, principal: principalAddress(society, member) });
  return {
    mandate: MANDATE,
    mandateDigest: digestOf(contentIdOf(new TextEncoder().encode(MANDATE))),
    parameters: PARAMETERS.map(({ name }) => parameters[name] ?? DEVNET[name]),
    token,
    seats: membersOf(society, "adjudicator").map(({ account: { address } }) => ({ adjudicator: address, principal: address })),
    clerks: OFFICERS.flatMap((role, office) =>
      membersOf(society, role).flatMap((clerk) => {
        const name = OFFICE_NAMES[office];
        return name === undefined ? [] : [{ office: name, ...person(clerk) }];
      }),
    ),
    issuers: membersOf(society, "issuer").map((member, place) => ({ ...person(member), classes: CLASS_BITS[issuedBy(place)] })),
    runners: membersOf(society, "runner").map(person),
    monitors: membersOf(society, "monitor").map(person),
    verifiers: membersOf(society, "verifier").map(({ account: { address } }) => ({ address, weight: VERIFIER_WEIGHT })),
    mandates: codifierMandates(await codifierServices(memberOf(society, "codifier").account.address)),
    treasury: { free: ENDOWMENT.treasury, insurance: ENDOWMENT.insurance },
  };
}

export interface Founding {
  readonly chain: Chain;
  readonly network: string;
  readonly sender: Sender;
  readonly society: readonly Member[];
  readonly port: SendingPort;
  readonly seed: string;
  readonly progress: (line: string) => void;
  /** Values of parameters that differ from a devnet's. */
  readonly parameters?: Partial<Record<ParameterName, bigint>>;
  /** The settlement token, which the deployer has enough of. Default: the devnet's test token. */
  readonly token?: Address | undefined;
}

/** A sealed city. */
export type Founded = Deployment & { readonly city: FoundedCity };

/** Deploys the contracts, registers the members, fills the offices, and ends the deployer's power. Every step is idempotent. */
export async function foundCity(founding: Founding): Promise<Founded> {
  const { port, progress, chain, sender, society, network } = founding;
  const plan = await devnetPlan(society, founding.parameters, founding.token);
  if (founding.token !== undefined) await requireFunds(founding, founding.token);
  const addresses = await deployLaw(port, plan, founding.token ?? null);
  await publishTemplate(port, addresses);
  await setEnvelopes(port, addresses);
  progress(`${Object.keys(addresses).length} contracts and the mission template deployed`);
  const client = createCityClient({ chain, addresses, sender });
  await payOut(founding, client);
  await seedTreasury(port, addresses, plan);
  await admitAgents(founding, client);
  await appointClerks(port, addresses, plan);
  await registerAll(founding, client);
  await openPools(founding, client);
  await permitStakes(founding, client);
  await fillOffices(port, addresses, plan);
  await seal(port, addresses);
  const city = { addresses, created: Object.fromEntries(port.created), ...port.blocks() };
  const deployment = { network, chainId: chain.id, deployer: port.deployer, profile: port.profile, plan, city };
  return requireFounded(chain, deployment, progress);
}

/** Reads back what must be on chain. */
export async function requireFounded(chain: Chain, deployment: Founded, progress: (line: string) => void): Promise<Founded> {
  const verification = await verifyCore(chainReader(chain), deployment, deployment.city);
  if (!verification.passed) throw new GenesisMismatch(verification);
  progress("city founded and sealed: its deployer has no power left");
  return deployment;
}

/** Initial grants, smallest unit. A valuable token is granted only for stakes, settlement and insurance. */
function grantsOf({ society, token }: Pick<Founding, "society" | "token">): readonly (readonly [Address, bigint])[] {
  const { account: deployer } = memberOf(society, "deployer");
  const stakesOf = (name: string) =>
    society.reduce((sum, { principal, role, stake = ENDOWMENT.stake }) => {
      const isAgent = role === "producer" || role === "verifier";
      return isAgent && principal === name ? sum + stake : sum;
    }, 0n);
  const grants = [
    ...membersOf(society, "principal").map(
      ({ name, account }) => [account.address, token === undefined ? ENDOWMENT.principal : stakesOf(name)] as const,
    ),
    ...membersOf(society, "adjudicator").map(({ account }) => [account.address, ENDOWMENT.adjudicator] as const),
    [memberOf(society, "sponsor").account.address, token === undefined ? ENDOWMENT.sponsor : ENDOWMENT.adjudicator] as const,
    [deployer.address, ENDOWMENT.treasury + ENDOWMENT.insurance] as const,
  ];
  return grants.filter(([, amount]) => amount > 0n);
}

/** What a founder grants, and reserves for the treasury, in a valuable token; smallest unit. */
export function foundingUnits(society: readonly Member[]): bigint {
  return grantsOf({ society, token: zeroAddress }).reduce((sum, [, amount]) => sum + amount, 0n);
}

/** The deployer holds what genesis gives away, and the gas. Once begun, the chain itself refuses what cannot be paid. */
async function requireFunds(founding: Founding, token: Address): Promise<void> {
  const { chain, society } = founding;
  const { address } = memberOf(society, "deployer").account;
  if ((await chain.publicClient.getTransactionCount({ address })) > 0) return;
  const { maxFeePerGas } = await chain.fees();
  const wei =
    maxFeePerGas * (GENESIS_GAS + GAS.sender * BigInt(SENDERS.length) + GAS.relayer * BigInt(membersOf(society, "relayer").length));
  const units = grantsOf(founding).reduce((sum, [, amount]) => sum + amount, 0n);
  const held = {
    wei: await chain.publicClient.getBalance({ address }),
    units: await chain.publicClient.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [address] }),
  };
  if (held.wei < wei) throw new FounderLacks(address, `${wei} wei for gas at today's fees`, `${held.wei}`);
  if (held.units < units) throw new FounderLacks(address, `${units} units of the settlement token ${token}`, `${held.units}`);
}

/** Grants tokens to all members, and gas to those who send transactions. */
async function payOut(founding: Founding, client: CityClient): Promise<void> {
  const { society, sender, token, chain } = founding;
  const { account: deployer } = memberOf(society, "deployer");
  await writeMany(
    client,
    grantsOf(founding).flatMap(([to, amount]) => {
      const options = { intent: intentKey("genesis", "mint", to), account: deployer };
      if (token === undefined) return [client.token.call.mint([to, amount], options)];
      return to === deployer.address ? [] : [client.token.call.transfer([to, amount], options)];
    }),
  );
  const fee = token === undefined ? 0n : (await chain.fees()).maxFeePerGas;
  const senders = [...SENDERS.map((role) => memberOf(society, role)), ...(token === undefined ? [] : membersOf(society, "relayer"))];
  await sender.sendMany(
    senders.map(({ name, role, account: { address } }) => ({
      intent: intentKey("genesis", "gas", address),
      to: address,
      value: token === undefined ? ENDOWMENT.gas : fee * (role === "relayer" ? GAS.relayer : GAS.sender),
      account: deployer,
      what: `gas for the ${name}`,
    })),
  );
}

/** Seconds of chain time that a signature given at genesis holds. */
const VALIDITY = 86_400;
/** A registration costs less than half. It is sent unsimulated: a principal's bindings count up, so the second needs the first. */
const REGISTRATION_GAS = 400_000n;
/** Registrations that are signed, written down and sent together. */
const BATCH = 250;

/** Producers and verifiers, each bound by its principal's signature; the principal's stake is pulled by permit, so they need no gas. */
export async function admitAgents(
  { society, seed, chain, progress }: Pick<Founding, "society" | "seed" | "chain" | "progress">,
  client: CityClient,
): Promise<void> {
  const deadline = Number(chain.clock.now()) + VALIDITY;
  const agents = society.filter(({ role }) => role === "producer" || role === "verifier");
  const byPrincipal = Map.groupBy(agents, ({ principal }) => principal);
  const permits: Intent<LogNote>[] = [];
  const registrations: (() => Promise<Intent<LogNote>>)[] = [];
  for (const principal of membersOf(society, "principal")) {
    const own = byPrincipal.get(principal.name) ?? [];
    if (own.length === 0) continue;
    const stake = own.reduce((sum, agent) => sum + (agent.stake ?? ENDOWMENT.stake), 0n);
    const permit = await signPermit(client, principal.account, client.agents.address, stake, deadline);
    permits.push(client.token.call.permit(permit, { intent: intentKey("genesis", "permit", principal.name) }));
    registrations.push(...own.map((agent, index) => () => registrationOf(client, seed, principal, agent, BigInt(index), deadline)));
  }
  for (let first = 0; first < permits.length; first += BATCH) await writeMany(client, permits.slice(first, first + BATCH));
  for (let first = 0; first < registrations.length; first += BATCH) {
    await writeMany(client, await Promise.all(registrations.slice(first, first + BATCH).map((sign) => sign())));
    if (registrations.length > BATCH)
      progress(`${Math.min(first + BATCH, registrations.length)} of ${registrations.length} agents registered`);
  }
}

/** One agent's registration, signed by agent and principal. */
async function registrationOf(
  client: CityClient,
  seed: string,
  principal: Member,
  { account, name, role, stake = ENDOWMENT.stake, capabilities = capabilitiesOf(seed, name) }: Member,
  nonce: bigint,
  deadline: number,
): Promise<Intent<LogNote>> {
  const did = `did:pkh:eip155:${client.chain.id}:${account.address}`;
  const binding = {
    agent: account.address,
    principal: principal.account.address,
    kind: role === "producer" ? KINDS.PRODUCER : KINDS.VERIFIER,
    did: keccak256(stringToHex(did)),
    capabilities,
    stake,
    nonce,
    deadline,
  };
  const signed = (signer: Member["account"]) => signMessage(client, signer, "PrincipalBinding", binding);
  return client.agents.call.register([binding, did, await signed(principal.account), await signed(account)], {
    intent: intentKey("genesis", "register", name),
    gas: REGISTRATION_GAS,
  });
}

/** Enough of every dimension to bid for any shipped service: 0.6 of the highest level that one asks for. */
const LEAST_LEVEL = 36_864;

/** Ten levels: all may bid for everything, and each is good at something; above the least they follow Beta(2, 5) (AgentCity 3.5). */
function capabilitiesOf(seed: string, name: string): bigint {
  const stream = randomStream(seed, "capabilities", name);
  const levels = Array.from({ length: 10 }, () => LEAST_LEVEL + betaTwoFive(stream, 65_536 - LEAST_LEVEL));
  return levels.reduce((word, level, dimension) => word | (BigInt(level) << BigInt(16 * dimension)), 0n);
}

/** The second smallest of six uniform draws is distributed so. */
function betaTwoFive(stream: RandomStream, below: number): number {
  const draws = Array.from({ length: 6 }, () => stream.int(below)).sort((one, other) => one - other);
  return draws[1] ?? 0;
}

/** Permits for adjudicators' stakes on their seats. */
async function permitStakes({ society, chain }: Founding, client: CityClient): Promise<void> {
  const deadline = Number(chain.clock.now()) + VALIDITY;
  const permits = membersOf(society, "adjudicator").map(async ({ account, name }) => {
    const permit = await signPermit(client, account, client.roster.address, ENDOWMENT.adjudicator, deadline);
    return client.token.call.permit(permit, { intent: intentKey("genesis", "permit", name) });
  });
  await writeMany(client, await Promise.all(permits));
}

/** Registers the services that the Codifier must use. Producers' services are registered when a law names them. */
async function registerAll({ society }: Founding, client: CityClient): Promise<void> {
  const owner = memberOf(society, "codifier").account;
  // Mandates that are set are kept: a city founded with other code cannot use this version's services.
  if ((await client.mandates.operationsOf(OFFICES.CODIFIER)).length > 0) return;
  await registerServices(
    client,
    (await codifierServices(owner.address)).map(({ record }) => ({ owner, record })),
  );
}

/** The human behind a member, or the member itself. */
function principalAddress(society: readonly Member[], { principal, account }: Member): Address {
  return principal === undefined ? account.address : memberOf(society, "principal", principal).account.address;
}
