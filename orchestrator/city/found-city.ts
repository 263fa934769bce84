import { fileURLToPath } from "node:url";
import { keccak256, stringToHex } from "viem";
import {
  type Constitution,
  callContract,
  deployLaw,
  type GenesisPort,
  publishTemplate,
  seal,
  setEnvelopes,
  verifyGenesis,
} from "../../deploy/genesis.ts";
import type { Chain } from "../chain/chain.ts";
import { intentKey } from "../chain/outbox.ts";
import type { Sender } from "../chain/sender.ts";
import { type AgentCityClient, createAgentCityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { writeMany } from "../client/write.ts";
import { bundled, bundleOf } from "../execution/sandbox/bundle.ts";
import { contentIdOf, digestOf } from "../primitives/hash.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { randomStream } from "../primitives/random.ts";
import type { CityAddresses } from "../protocol/addresses.ts";
import { operationId } from "../protocol/operations.ts";
import { DEVNET, PARAMETERS } from "../protocol/parameters.ts";
import { signPermit } from "./permit.ts";
import { offersOf, registeredService, registerServices, serviceId } from "./services.ts";
import { type Member, memberOf, membersOf } from "./society.ts";

const TOKEN = 1_000_000n;
/** `enum Kind` and `enum Office`. */
const KIND = { PRODUCER: 1, VERIFIER: 4 } as const;
const OFFICES = ["registrar", "speaker", "regulator", "codifier"] as const;
const CODIFIER = 3;
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

/** The constitution of a devnet: the prototype's table with short windows. */
export const devnetConstitution: Constitution = {
  mandate: MANDATE,
  mandateDigest: digestOf(contentIdOf(new TextEncoder().encode(MANDATE))),
  parameters: PARAMETERS.map(({ name }) => DEVNET[name]),
};

export interface Founding {
  readonly chain: Chain;
  readonly sender: Sender;
  readonly society: readonly Member[];
  readonly port: GenesisPort;
  readonly seed: string;
  readonly tell: (line: string) => void;
}

/** Deploys the law, lets everybody in, fills the offices, and ends the deployer's power. Every step is found again if repeated. */
export async function foundCity(founding: Founding): Promise<CityAddresses> {
  const { port, tell, chain, sender } = founding;
  const addresses = await deployLaw(port, devnetConstitution);
  await publishTemplate(port, addresses);
  await setEnvelopes(port, addresses);
  tell("law deployed: 14 contracts and the mission template");
  const client = createAgentCityClient({ chain, addresses, sender });
  await payOut(founding, client);
  await admitAgents(founding, client);
  await fillOffices(founding, client);
  await registerAll(founding, client);
  await seal(port, addresses);
  await verifyGenesis(port, addresses, devnetConstitution);
  tell("genesis sealed: the deployer has no power left");
  return addresses;
}

/** Test tokens for everybody, gas for those who send themselves, and the treasury's seed. */
async function payOut({ society, sender }: Founding, client: AgentCityClient): Promise<void> {
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
  for (const role of SENDERS) {
    const { address } = memberOf(society, role).account;
    await sender.send({
      intent: intentKey("genesis", "gas", address),
      to: address,
      value: ENDOWMENT.gas,
      account: deployer,
      what: `gas for the ${role}`,
    });
  }
  const treasury = client.treasury.address;
  await client.token.approve([treasury, ENDOWMENT.treasury + ENDOWMENT.insurance], {
    intent: intentKey("genesis", "seed-approve"),
    account: deployer,
  });
  await client.treasury.deposit([ENDOWMENT.treasury, ENDOWMENT.insurance, keccak256(stringToHex("genesis"))], {
    intent: intentKey("genesis", "seed"),
    account: deployer,
  });
}

/** Producers and verifiers, each bound by its principal's signature; the principal's stake is pulled by permit, so nobody needs gas. */
async function admitAgents({ society, seed, chain }: Founding, client: AgentCityClient): Promise<void> {
  const deadline = Number(chain.clock.now()) + 86_400;
  for (const principal of membersOf(society, "principal")) {
    const agents = society.filter(
      (member) => member.principal === principal.name && (member.role === "producer" || member.role === "verifier"),
    );
    if (agents.length === 0) continue;
    const permit = await signPermit(client, principal.account, client.agents.address, ENDOWMENT.stake * BigInt(agents.length), deadline);
    await client.token.permit(permit, { intent: intentKey("genesis", "permit", principal.name) });
    for (const [index, { account, name, role }] of agents.entries()) {
      const did = `did:pkh:eip155:${chain.id}:${account.address}`;
      const binding = {
        agent: account.address,
        principal: principal.account.address,
        kind: role === "producer" ? KIND.PRODUCER : KIND.VERIFIER,
        did: keccak256(stringToHex(did)),
        capabilities: capabilitiesOf(seed, name),
        stake: ENDOWMENT.stake,
        nonce: BigInt(index),
        deadline,
      };
      await client.agents.register(
        [
          binding,
          did,
          await signMessage(client, principal.account, "PrincipalBinding", binding),
          await signMessage(client, account, "PrincipalBinding", binding),
        ],
        { intent: intentKey("genesis", "register", name) },
      );
    }
  }
}

/** Ten levels between 31,000 and 65,535: everybody can do everything, some better than others. */
function capabilitiesOf(seed: string, name: string): bigint {
  const stream = randomStream(seed, "capabilities", name);
  return Array.from({ length: 10 }, () => BigInt(31_000 + stream.int(34_536))).reduce(
    (word, level, dimension) => word | (level << BigInt(16 * dimension)),
    0n,
  );
}

/** Clerks, seats of the panel, evidence roles: the deployer's last acts as governor. */
async function fillOffices({ society, chain }: Founding, client: AgentCityClient): Promise<void> {
  const { account: deployer } = memberOf(society, "deployer");
  const by = (step: string, name: string) => ({ intent: intentKey("genesis", step, name), account: deployer });
  const principalOf = ({ principal, account }: Member) =>
    principal === undefined ? account.address : memberOf(society, "principal", principal).account.address;
  for (const [office, role] of OFFICES.entries()) {
    for (const clerk of membersOf(society, role))
      await client.clerks.appoint([office, clerk.account.address, principalOf(clerk)], by("appoint", clerk.name));
  }
  const deadline = Number(chain.clock.now()) + 86_400;
  for (const { account, name } of membersOf(society, "adjudicator")) {
    const permit = await signPermit(client, account, client.roster.address, ENDOWMENT.adjudicator, deadline);
    await client.token.permit(permit, { intent: intentKey("genesis", "permit", name) });
    await client.roster.seat([account.address, account.address], by("seat", name));
  }
  for (const { account, name } of membersOf(society, "verifier"))
    await client.evidence.registerVerifier([account.address, 100], by("verifier", name));
  const [reexecutor, receiver] = membersOf(society, "issuer");
  for (const [issuer, classes] of [
    [reexecutor, CLASS_BITS.ATT],
    [receiver, CLASS_BITS.REC],
  ] as const) {
    if (issuer !== undefined)
      await client.evidence.registerIssuer([issuer.account.address, principalOf(issuer), classes], by("issuer", issuer.name));
  }
  const runner = memberOf(society, "runner");
  await client.evidence.registerRunner([runner.account.address, principalOf(runner)], by("runner", runner.name));
  const monitor = memberOf(society, "monitor");
  await client.evidence.registerMonitor([monitor.account.address, principalOf(monitor)], by("monitor", monitor.name));
}

/** What producers sell, and the compiler that the Codifier must use. */
async function registerAll({ society, port }: Founding, client: AgentCityClient): Promise<void> {
  const codifier = memberOf(society, "codifier").account;
  const compiler = bundleOf(await bundled(fileURLToPath(new URL("../client/compile-law.ts", import.meta.url)), "node"));
  const record = {
    owner: codifier.address,
    codeHash: compiler.codeHash,
    schemaHash: NO_SCHEMA,
    endpoint: "city:law-compiler",
    constraints: NO_SCHEMA,
  };
  const offers = await offersOf(membersOf(society, "producer"));
  await registerServices(client, [
    ...offers.map((offer) => ({ owner: offer.seller.account, record: registeredService(offer).record })),
    { owner: codifier, record },
  ]);
  await callContract(port, "mandate-compilation", client.addresses, "ManagementContract", "setMandate", [
    CODIFIER,
    operationId("compile-law"),
    serviceId(record),
    true,
    NO_SCHEMA,
  ]);
}

const NO_SCHEMA: Hash = `0x${"0".repeat(64)}`;
