/**
 * A whole city on a chain in this process, wired and unsealed: the deployer still governs, so that a test can set what it needs.
 * Nothing is mocked. What only another institution may do is done *as* its address (`city.as`).
 */
import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/types";
import { AbiCoder, type ContractTransactionResponse, id, type TypedDataDomain, Wallet } from "ethers";
import { network } from "hardhat";
import { type Address, getAddress, keccak256, stringToHex, zeroHash } from "viem";
import type {} from "../../artifacts/typechain/hardhat.d.ts";
import { deployLaw, type GenesisPort, publishTemplate } from "../../deploy/genesis.ts";
import { MAX_TRANSACTION_GAS } from "../../orchestrator/chain/driven.ts";
import { actionName, institutionNames as INSTITUTIONS, type InstitutionName } from "../../orchestrator/protocol/actions.ts";
import { actTypedData, type OverrideAction } from "../../orchestrator/protocol/acts.ts";
import { DEVNET, PARAMETERS } from "../../orchestrator/protocol/parameters.ts";
import { type MessageName, typesOf } from "../../orchestrator/protocol/typed-data.ts";
import type { ServiceTerms } from "../../orchestrator/rules/admissions.ts";
import { CODE, SCHEMAS } from "./admitted.ts";

// Each transaction may take all that one may: searching for the least would carry out every one of them ten times.
const connection = await network.create({ network: "default", override: { gas: Number(MAX_TRANSACTION_GAS) } });
const { ethers, networkHelpers, provider } = connection;

export { ethers, networkHelpers, provider };

type Restorer = Awaited<ReturnType<typeof networkHelpers.takeSnapshot>>;
/** Oldest first: going back to one ends all that came after it. */
let snapshots: { readonly fixture: () => Promise<unknown>; readonly restorer: Restorer; readonly data: unknown }[] = [];

/**
 * Runs a fixture once, afterwards goes back to where it ended, and when: Hardhat's clock would go on since then, and whatever ends within
 * an hour would be over for who comes late in a long run. Fixtures may load others, which Hardhat's own helper loses count of.
 */
export async function loadFixture<Data>(fixture: () => Promise<Data>): Promise<Data> {
  const known = snapshots.find((snapshot) => snapshot.fixture === fixture);
  if (known === undefined) {
    const data = await fixture();
    snapshots.push({ fixture, restorer: await networkHelpers.takeSnapshot(), data });
    return data;
  }
  await known.restorer.restore();
  await networkHelpers.time.setNextBlockTimestamp((await networkHelpers.time.latest()) + 1);
  snapshots = snapshots.slice(0, snapshots.indexOf(known) + 1);
  return known.data as Data;
}

/** Authorisation by being the caller. */
export const directly = (agent: { readonly address: string }) => ({ agent: agent.address, deadline: 2n ** 40n - 1n, signature: "0x" });

const MINING = new Set(["eth_sendTransaction", "eth_sendRawTransaction", "evm_mine", "hardhat_mine"]);

/**
 * Until the answer is called, the chain's clock moves when a test says so and never by itself, as on the embedded chain (decision
 * 33): the same calls are the same history on any machine.
 */
export function stillTime(): () => void {
  const request = provider.request.bind(provider);
  let told = false;
  provider.request = async (call) => {
    if (call.method === "evm_setNextBlockTimestamp" || call.method === "evm_increaseTime") told = true;
    else if (MINING.has(call.method)) {
      if (!told) await request({ method: "evm_setNextBlockTimestamp", params: [ethers.toQuantity(await networkHelpers.time.latest())] });
      told = false;
    }
    return request(call);
  };
  return () => {
    provider.request = request;
  };
}

export { INSTITUTIONS, type InstitutionName };

/** Positions in `enum Kind`. */
export const Kind = { NONE: 0, PRODUCER: 1, CLERK: 2, ADJUDICATOR: 3, VERIFIER: 4 } as const;
/** Positions in `enum Office`. */
export const Office = { REGISTRAR: 0, SPEAKER: 1, REGULATOR: 2, CODIFIER: 3 } as const;
/** Positions in `enum Standing`. */
/** How long an amendment waits on a devnet, seconds: the unbonding period and a week. */
export const AMENDMENT_NOTICE = DEVNET.UNBONDING_PERIOD + 604_800n;
export const Standing = { NONE: 0, CURRENT: 1, RETIRED: 2 } as const;

export const MANDATE = { text: "mandate", hash: keccak256(stringToHex("mandate")), cid: keccak256(stringToHex("its content id")) } as const;

/** Every capability, at its highest. */
export const EVERYTHING = (1n << 160n) - 1n;

/** `1000` whole tokens are `tokens(1000)` units. */
export const tokens = (whole: number | bigint): bigint => BigInt(whole) * 1_000_000n;

/** The devnet preset in the order of `enum Param`. */
export const parameterValues = (): bigint[] => PARAMETERS.map(({ name }) => DEVNET[name]);

/** Name of the template of probes. */
const PROBE = id("probe");

/** Sends as the chain's own accounts do here: with all the gas that a transaction may have. */
class Key extends Wallet {
  override estimateGas(): Promise<bigint> {
    return Promise.resolve(MAX_TRANSACTION_GAS);
  }
}

/** A key that is the same in every run; it signs, and pays gas once it came from `city.account`. */
export const keyOf = (name: string): Wallet => new Key(id(`agentcity test key ${name}`), ethers.provider);

export interface AgentOptions {
  kind?: number;
  stake?: bigint;
  principal?: Wallet;
  capabilities?: bigint;
  /** Default: one of its address. */
  did?: string;
}

/** A service as it is registered, and its id. */
export interface OfferedService {
  readonly service: string;
  readonly record: { owner: string } & ServiceTerms;
}

/** Procedures that a test city had before it got those it works with: retired, without a mission of their own. */
const REPLACED = ["LEGISLATION", "EXECUTION", "ADJUDICATION"] as const;
export const predecessorOf = (institution: (typeof REPLACED)[number]): Address => getAddress(keyOf(`former ${institution}`).address);

/** Genesis as it runs everywhere, over this chain's deployer. */
function genesisPort(deployer: HardhatEthersSigner): GenesisPort {
  return {
    deployer: getAddress(deployer.address),
    profile: "default",
    async create(_step, code) {
      const receipt = await (await deployer.sendTransaction({ data: code })).wait();
      return getAddress(receipt?.contractAddress ?? "");
    },
    async call(step, to, data) {
      if (step === "genesis:wire") await wireSuccessors(to, data);
      else await (await deployer.sendTransaction({ to, data })).wait();
    },
  };
}

/** Wires a city with other procedures, and puts its own in their place, as the constitution has it. */
async function wireSuccessors(to: Address, data: string): Promise<void> {
  const constitution = await ethers.getContractAt("ConstitutionContract", to);
  const [institutions, addresses] = constitution.interface.decodeFunctionData("wire", data);
  const replaced = REPLACED.map((name) => INSTITUTIONS.indexOf(name));
  const first = [...addresses].map((address: string, i) => {
    const name = REPLACED[replaced.indexOf(Number(institutions[i]))];
    return name === undefined ? address : predecessorOf(name);
  });
  await constitution.wire([...institutions], first);
  const why = id("a city with a past");
  for (const [i, institution] of [...institutions].entries())
    if (first[i] !== addresses[i]) await constitution.amend(institution, addresses[i], why);
  await networkHelpers.time.increase(AMENDMENT_NOTICE);
  for (const institution of replaced) await constitution.enact(institution);
}

/** Deploys and wires every institution. Use it through `loadWiredCity`. */
async function deployWiredCity() {
  const [deployer] = await ethers.getSigners();
  if (deployer === undefined) throw new Error("the chain has no accounts");
  const port = genesisPort(deployer);
  const built = await deployLaw(port, { mandate: MANDATE.text, mandateDigest: MANDATE.cid, parameters: parameterValues() });
  const constitution = await ethers.getContractAt("ConstitutionContract", built.ConstitutionContract);
  const token = await ethers.getContractAt("CityToken", built.CityToken);
  const producers = await ethers.getContractAt("ProducerContract", built.ProducerContract);
  const clerks = await ethers.getContractAt("ClerkContract", built.ClerkContract);
  const management = await ethers.getContractAt("ManagementContract", built.ManagementContract);
  const services = await ethers.getContractAt("ServiceContract", built.ServiceContract);
  const evidence = await ethers.getContractAt("EvidenceRegistry", built.EvidenceRegistry);
  const treasury = await ethers.getContractAt("Treasury", built.Treasury);
  const templates = await ethers.getContractAt("TemplateRegistry", built.TemplateRegistry);
  const validator = await ethers.getContractAt("ConstitutionalValidator", built.ConstitutionalValidator);
  const legislation = await ethers.getContractAt("LegislativeProcedure", built.LegislativeProcedure);
  const execution = await ethers.getContractAt("ExecutionProcedure", built.ExecutionProcedure);
  const adjudication = await ethers.getContractAt("AdjudicationProcedure", built.AdjudicationProcedure);
  const roster = await ethers.getContractAt("AdjudicatorRoster", built.AdjudicatorRoster);
  const pools = await ethers.getContractAt("StakePool", built.StakePool);
  const watchdog = await ethers.getContractAt("AdjudicatorWatchdog", built.AdjudicatorWatchdog);
  const addresses: Record<InstitutionName, Address> = {
    TOKEN: built.CityToken,
    PRODUCERS: built.ProducerContract,
    CLERKS: built.ClerkContract,
    MANAGEMENT: built.ManagementContract,
    SERVICES: built.ServiceContract,
    EVIDENCE: built.EvidenceRegistry,
    TREASURY: built.Treasury,
    TEMPLATES: built.TemplateRegistry,
    VALIDATOR: built.ConstitutionalValidator,
    LEGISLATION: built.LegislativeProcedure,
    EXECUTION: built.ExecutionProcedure,
    ADJUDICATION: built.AdjudicationProcedure,
    ROSTER: built.AdjudicatorRoster,
    STAKE_POOL: built.StakePool,
    WATCHDOG: built.AdjudicatorWatchdog,
  };

  /** A key with gas. */
  async function account(name: string): Promise<Wallet> {
    const key = keyOf(name);
    await networkHelpers.setBalance(key.address, 10n ** 20n);
    return key;
  }

  /** An institution, or whoever has this address, as a sender. */
  async function as(who: string) {
    const institution = INSTITUTIONS.find((name) => name === who);
    const address = institution === undefined ? who : addresses[institution];
    await networkHelpers.setBalance(address, 10n ** 20n);
    return ethers.getImpersonatedSigner(address);
  }

  /** Gives `owner` tokens and lets `spender` pull them. */
  async function fund(owner: Wallet, spender: string, amount: bigint): Promise<void> {
    await token.mint(owner.address, amount);
    await token.connect(owner).approve(spender, (await token.allowance(owner.address, spender)) + amount);
  }

  /** What an account has in its wallet, and in the vault. */
  async function wealthOf(account: string): Promise<bigint> {
    return (await token.balanceOf(account)) + (await treasury.creditOf(account));
  }

  async function now(): Promise<bigint> {
    return BigInt(await networkHelpers.time.latest());
  }

  /** One of the city's messages, signed for the contract that consumes it. */
  async function sign(name: MessageName, verifyingContract: string, message: Record<string, unknown>, key: Wallet): Promise<string> {
    const domain = { name: "AgentCity", version: "1", chainId: 31337n, verifyingContract };
    return key.signTypedData(domain, typesOf(name), message);
  }

  /** A runner's word for what a delegated service made. */
  async function resultBy(runner: Wallet, delegation: string, outputHash: string, intermediateHash: string) {
    const deadline = (await now()) + 3600n;
    const message = { runner: runner.address, delegation, outputHash, intermediateHash, deadline };
    return { agent: runner.address, deadline, signature: await sign("DelegationResult", addresses.MANAGEMENT, message, runner) };
  }

  /** An adjudicator's order, signed as its act's own type; one that no wallet could show, with a signature over nothing. */
  async function signOrder(
    message: Record<string, unknown>,
    key: Wallet,
    consumer: string = addresses.ADJUDICATION,
    chainId = 31337,
  ): Promise<string> {
    const { node, deadline, action } = message;
    if (actionName(Number(action)) === undefined) return "0x";
    const order = { ...message, action: Number(action), node: Number(node), deadline: Number(deadline) } as OverrideAction;
    const { domain, types, message: signed } = actTypedData(chainId, consumer as Address, order);
    return key.signTypedData(
      domain as TypedDataDomain,
      Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]])),
      signed,
    );
  }

  /** A principal's binding for an agent, with both signatures. */
  async function binding(agent: Wallet, principal: Wallet, options: AgentOptions = {}) {
    const did = options.did ?? `did:city:${agent.address.toLowerCase()}`;
    const message = {
      agent: agent.address,
      principal: principal.address,
      kind: options.kind ?? Kind.PRODUCER,
      did: id(did),
      capabilities: options.capabilities ?? 0n,
      stake: options.stake ?? tokens(5000),
      nonce: await producers.nonceOf(principal.address),
      deadline: (await now()) + 3600n,
    };
    const signed = (key: Wallet) => sign("PrincipalBinding", addresses.PRODUCERS, message, key);
    return { message, did, byPrincipal: await signed(principal), byAgent: await signed(agent) };
  }

  /** A producer's binding for an agent it made, with both signatures. */
  async function subBinding(agent: Wallet, creator: Wallet, options: AgentOptions = {}) {
    const did = `did:city:${agent.address.toLowerCase()}`;
    const message = {
      agent: agent.address,
      creator: creator.address,
      did: id(did),
      capabilities: options.capabilities ?? 0n,
      stake: options.stake ?? tokens(5000),
      nonce: await producers.nonceOf(creator.address),
      deadline: (await now()) + 3600n,
    };
    const signed = (key: Wallet) => sign("SubAgentBinding", addresses.PRODUCERS, message, key);
    return { message, did, byCreator: await signed(creator), byAgent: await signed(agent) };
  }

  /** Registers `name` as an agent of `options.principal` (default: its own principal `<name>'s principal`). */
  async function register(name: string, options: AgentOptions = {}): Promise<{ agent: Wallet; principal: Wallet }> {
    const agent = await account(name);
    const principal = options.principal ?? (await account(`${name}'s principal`));
    const { message, did, byPrincipal, byAgent } = await binding(agent, principal, options);
    await fund(principal, addresses.PRODUCERS, message.stake);
    await producers.register(message, did, byPrincipal, byAgent);
    return { agent, principal };
  }

  /** Registers a service of this name for an agent. */
  /** `terms` are of code that is not the one everybody sells. */
  async function offerService(
    agent: Wallet,
    name: string,
    terms: Partial<Pick<ServiceTerms, "codeHash" | "schemaHash">> = {},
  ): Promise<OfferedService> {
    const record = {
      owner: agent.address,
      codeHash: terms.codeHash ?? CODE,
      schemaHash: terms.schemaHash ?? SCHEMAS,
      endpoint: `city:${name}`,
      constraints: zeroHash,
    };
    const auth = { agent: agent.address, deadline: (await now()) + 3600n, signature: "0x" };
    await services.connect(agent).registerService(record.codeHash, record.schemaHash, record.endpoint, record.constraints, auth);
    return { record, service: await services.idOf(record) };
  }

  /** Seats `count` adjudicators of as many principals; returned in ascending order of address, as `act` wants them. */
  async function seatAdjudicators(count: number): Promise<Wallet[]> {
    const seated: Wallet[] = [];
    const stake = await constitution.paramInUnits(PARAMETERS.findIndex(({ name }) => name === "ADJUDICATOR_STAKE"));
    for (let i = 0; i < count; i++) {
      const adjudicator = await account(`adjudicator ${i}`);
      await fund(adjudicator, addresses.ROSTER, stake);
      await roster.seat(adjudicator.address, keyOf(`adjudicator ${i}'s principal`).address);
      seated.push(adjudicator);
    }
    return seated.sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
  }

  /** A version more of the template of probes. */
  async function publishProbe(): Promise<void> {
    await templates.publish(PROBE, await ethers.deployContract("MissionProbe"), id("audit"));
  }

  /** A genuine mission that only reports what reaches it (`MissionProbe`), as mission number `session`. */
  async function probe(session: number, params = 0n) {
    const name = PROBE;
    if ((await templates.latestVersion(name)) === 0n) await publishProbe();
    // Of the newest version. A law of one node and its context, ten words; word 0 counts the nodes, word 6 are the parameters, word 8 is the session.
    const words = [1n, 0n, 0n, 0n, 0n, 0n, params, 0n, BigInt(session), 0n];
    const args = AbiCoder.defaultAbiCoder().encode(Array(10).fill("uint256"), words);
    const version = await templates.latestVersion(name);
    const address = await templates.predict(name, version, args, session);
    await templates.connect(await as("LEGISLATION")).deploy(name, version, args, session);
    return probeAt(address);
  }

  return {
    deployer,
    port,
    /** What genesis returned, by contract name. */
    built,
    addresses,
    constitution,
    token,
    producers,
    clerks,
    management,
    services,
    evidence,
    treasury,
    templates,
    validator,
    legislation,
    execution,
    adjudication,
    roster,
    pools,
    watchdog,
    account,
    as,
    fund,
    wealthOf,
    now,
    sign,
    resultBy,
    signOrder,
    probe,
    publishProbe,
    binding,
    subBinding,
    register,
    offerService,
    seatAdjudicators,
  };
}

export type City = Awaited<ReturnType<typeof deployWiredCity>>;

/** The same with the mission template published. Use it through `loadCity`. */
async function deployCity(): Promise<City> {
  const city = await deployWiredCity();
  await publishTemplate(city.port, city.built);
  return city;
}

/** A fresh city for each test; the chain goes back to a snapshot. */
export const loadCity = (): Promise<City> => loadFixture(deployCity);

/** A fresh city without any template. */
export const loadWiredCity = (): Promise<City> => loadFixture(deployWiredCity);

/** A `MissionProbe` by its address. */
export async function probeAt(address: string) {
  const contract = await ethers.getContractAt("MissionProbe", address);
  const send = (name: string, ...args: unknown[]): Promise<ContractTransactionResponse> => contract.getFunction(name)(...args);
  return {
    contract,
    address,
    caseHash: (node: number): Promise<string> => contract.getFunction("caseHash")(node),
    missionCaseHash: (): Promise<string> => contract.getFunction("missionCaseHash")(),
    nodeOf: (node: number): Promise<{ readonly attempt: bigint }> => contract.getFunction("nodeOf")(node),
    /** Sends the treasury so much of what it holds, and has it credit these payments. */
    settle: (treasury: string, token: string, sent: bigint, payments: readonly bigint[]) => send("settle", treasury, token, sent, payments),
    /** Refuses every override from now on. */
    refuse: () => send("refuse"),
    /** Is in this state of a mission from now on. */
    become: (state: number) => send("become", state),
  };
}
