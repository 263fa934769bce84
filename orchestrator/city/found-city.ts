import { keccak256, stringToHex } from "viem";
import type { Deployment, FoundedCity } from "../../deploy/deployment.ts";
import { appointClerks, deployLaw, fillOffices, publishTemplate, seal, seedTreasury, setEnvelopes } from "../../deploy/genesis.ts";
import type { GenesisPlan } from "../../deploy/plan.ts";
import { verifyCore } from "../../deploy/verify.ts";
import type { Chain } from "../chain/chain.ts";
import { intentKey } from "../chain/outbox.ts";
import type { Intent, Sender } from "../chain/sender.ts";
import type { LogNote } from "../client/base.ts";
import { type CityClient, createCityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { writeMany } from "../client/write.ts";
import { contentIdOf, digestOf } from "../primitives/hash.ts";
import type { Address } from "../primitives/hex.ts";
import { randomStream } from "../primitives/random.ts";
import { KINDS } from "../protocol/kinds.ts";
import { OFFICE_NAMES, OFFICES } from "../protocol/offices.ts";
import { DEVNET, PARAMETERS, type ParameterName } from "../protocol/parameters.ts";
import { chainReader } from "./chain-reader.ts";
import { codifierMandates, codifierServices } from "./codifier-services.ts";
import { GenesisMismatch } from "./errors.ts";
import type { SendingPort } from "./genesis-port.ts";
import { signPermit } from "./permit.ts";
import { openPools } from "./pools.ts";
import { registerServices } from "./services.ts";
import { type Member, memberOf, membersOf } from "./society.ts";

const TOKEN = 1_000_000n;
const VERIFIER_WEIGHT = 100;
const OFFICERS = ["registrar", "speaker", "regulator", "codifier"] as const;
/** Bitmaps over `EvidenceClass`: what each issuer may attest. */
const CLASS_BITS = { ATT: 1 << 4, REC: 1 << 3 } as const;

/** Who sends transactions of its own: the sponsor, whose money it is, and officers whose office is their address. */
const SENDERS = ["sponsor", "monitor", "registrar", "speaker", "regulator", "codifier"] as const;

/** Devnet money, smallest unit. */
const ENDOWMENT = {
  stake: 10_000n * TOKEN,
  principal: 100_000n * TOKEN,
  sponsor: 1_000_000n * TOKEN,
  adjudicator: 5_000n * TOKEN,
  /** What genesis seeds the treasury with (decision 43): free balance and insurance. */
  treasury: 5_000n * TOKEN,
  insurance: 5_000n * TOKEN,
  /** Wei for those who must send a transaction themselves. */
  gas: 10n ** 19n,
} as const;

const MANDATE =
  "Agents legislate, software executes, humans adjudicate. No money moves on evidence weaker than what is at stake demands, " +
  "and any human with a seat can stop what is done here.";

/** What a devnet's founders decide: the prototype's table with short windows, and offices for the society's members. */
export async function devnetPlan(
  society: readonly Member[],
  parameters: Partial<Record<ParameterName, bigint>> = {},
): Promise<GenesisPlan> {
  const person = (member: Member) => ({ address: member.account.address, principal: principalAddress(society, member) });
  const [reexecutor, receiver] = membersOf(society, "issuer");
  return {
    mandate: MANDATE,
    mandateDigest: digestOf(contentIdOf(new TextEncoder().encode(MANDATE))),
    parameters: PARAMETERS.map(({ name }) => parameters[name] ?? DEVNET[name]),
    token: null,
    seats: membersOf(society, "adjudicator").map(({ account: { address } }) => ({ adjudicator: address, principal: address })),
    clerks: OFFICERS.flatMap((role, office) =>
      membersOf(society, role).flatMap((clerk) => {
        const name = OFFICE_NAMES[office];
        return name === undefined ? [] : [{ office: name, ...person(clerk) }];
      }),
    ),
    issuers: [
      ...(reexecutor === undefined ? [] : [{ ...person(reexecutor), classes: CLASS_BITS.ATT }]),
      ...(receiver === undefined ? [] : [{ ...person(receiver), classes: CLASS_BITS.REC }]),
    ],
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
  readonly tell: (line: string) => void;
  /** Values of parameters that differ from a devnet's. */
  readonly parameters?: Partial<Record<ParameterName, bigint>>;
}

/** Of a city that is sealed. */
export type Founded = Deployment & { readonly city: FoundedCity };

/** Deploys the contracts, registers the members, fills the offices, and ends the deployer's power. Every step is idempotent. */
export async function foundCity(founding: Founding): Promise<Founded> {
  const { port, tell, chain, sender, society, network } = founding;
  const plan = await devnetPlan(society, founding.parameters);
  const addresses = await deployLaw(port, plan);
  await publishTemplate(port, addresses);
  await setEnvelopes(port, addresses);
  tell(`${Object.keys(addresses).length} contracts and the mission template deployed`);
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
  return requireFounded(chain, deployment, tell);
}

/** Reads back what must be on chain. */
export async function requireFounded(chain: Chain, deployment: Founded, tell: (line: string) => void): Promise<Founded> {
  const verification = await verifyCore(chainReader(chain), deployment, deployment.city);
  if (!verification.passed) throw new GenesisMismatch(verification);
  tell("city founded and sealed: its deployer has no power left");
  return deployment;
}

/** Test tokens for everybody, gas for those who send themselves, and the treasury's seed. */
async function payOut({ society, sender }: Founding, client: CityClient): Promise<void> {
  const { account: deployer } = memberOf(society, "deployer");
  const grants: [Address, bigint][] = [
    ...membersOf(society, "principal").map(({ account }): [Address, bigint] => [account.address, ENDOWMENT.principal]),
    ...membersOf(society, "adjudicator").map(({ account }): [Address, bigint] => [account.address, ENDOWMENT.adjudicator]),
    [memberOf(society, "sponsor").account.address, ENDOWMENT.sponsor],
    [deployer.address, ENDOWMENT.treasury + ENDOWMENT.insurance],
  ];
  await writeMany(
    client,
    grants.map(([to, amount]) => client.token.call.mint([to, amount], { intent: intentKey("genesis", "mint", to), account: deployer })),
  );
  await sender.sendMany(
    SENDERS.map((role) => {
      const { address } = memberOf(society, role).account;
      const intent = intentKey("genesis", "gas", address);
      return { intent, to: address, value: ENDOWMENT.gas, account: deployer, what: `gas for the ${role}` };
    }),
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
  { society, seed, chain, tell }: Pick<Founding, "society" | "seed" | "chain" | "tell">,
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
    if (registrations.length > BATCH) tell(`${Math.min(first + BATCH, registrations.length)} of ${registrations.length} agents registered`);
  }
}

/** One agent's registration, signed by both. */
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

/** Ten levels between 31,000 and 65,535: everybody can do everything, some better than others. */
function capabilitiesOf(seed: string, name: string): bigint {
  const stream = randomStream(seed, "capabilities", name);
  return Array.from({ length: 10 }, () => BigInt(31_000 + stream.int(34_536))).reduce(
    (word, level, dimension) => word | (level << BigInt(16 * dimension)),
    0n,
  );
}

/** What adjudicators stake on their seats, by their signatures. */
async function permitStakes({ society, chain }: Founding, client: CityClient): Promise<void> {
  const deadline = Number(chain.clock.now()) + VALIDITY;
  const permits = membersOf(society, "adjudicator").map(async ({ account, name }) => {
    const permit = await signPermit(client, account, client.roster.address, ENDOWMENT.adjudicator, deadline);
    return client.token.call.permit(permit, { intent: intentKey("genesis", "permit", name) });
  });
  await writeMany(client, await Promise.all(permits));
}

/** What the Codifier must use. What producers sell is registered when a law names it. */
async function registerAll({ society }: Founding, client: CityClient): Promise<void> {
  const owner = memberOf(society, "codifier").account;
  // A city whose mandates are set has them: one that was founded with other code is not given this code's, which it could not use.
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
