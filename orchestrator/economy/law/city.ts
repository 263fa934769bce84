/** A city of the economy's agents: contracts, offices and keys, on a chain in this process. */
import { keccak256, type LocalAccount, stringToHex, zeroHash } from "viem";
import { ascending, overrideOf, type Seat } from "../../adjudication/act.ts";
import type { DrivenChain } from "../../chain/driven.ts";
import { openEmbeddedChain } from "../../chain/embedded.ts";
import { intentKey } from "../../chain/outbox.ts";
import type { Sender } from "../../chain/sender.ts";
import { codifierServices, servicesInUse } from "../../city/founding/codifier-services.ts";
import { admitAgents, foundCity } from "../../city/founding/found-city.ts";
import { genesisPort } from "../../city/founding/genesis-port.ts";
import { registerServices } from "../../city/founding/services.ts";
import { assemblySociety, type Member, memberOf, membersOf } from "../../city/founding/society.ts";
import { type Clerks, openOffices } from "../../clerks/clerks.ts";
import type { LogNote } from "../../client/base.ts";
import { type CityClient, createCityClient } from "../../client/client.ts";
import { readMany } from "../../client/read.ts";
import { signOrder } from "../../client/sign/order.ts";
import { contentIdOf } from "../../primitives/hash.ts";
import type { Address, ContentId, Hash, Hex } from "../../primitives/hex.ts";
import { type ParameterName, parameterIndex } from "../../protocol/parameters.ts";
import { type ServiceTerms, serviceIdOf } from "../../rules/admissions.ts";
import { MAX_CLAIMED } from "../../rules/bid-score.ts";
import type { Agent } from "../agents.ts";
import { overclaims } from "../behaviour.ts";
import { type DirectSender, directSender } from "./direct-sender.ts";

const TOKEN = 1_000_000n;
/** Seconds of chain time. */
export const ROUND = 600n;
export const VALIDITY = 86_400;
/** Maximum capability, in each of ten dimensions. */
const MOST = 65_535;
/** Lost bids keep their locks, so the stake covers all of an agent's bids. */
const STAKE = 30_000n * TOKEN;

/** Without money: nothing is charged, staked or rewarded. */
const STRUCTURAL: Partial<Record<ParameterName, bigint>> = {
  PROTOCOL_FEE_RATE: 0n,
  INSURANCE_RESERVE_RATE: 0n,
  REPUTATION_MULTIPLIER_ALPHA: 0n,
  MIN_STAKE_LOW: 0n,
  MIN_STAKE_MEDIUM: 0n,
  SESSION_FEE: 0n,
};
/** Work has until the end of its round, and a law may last as long as a milestone. */
const BOTH: Partial<Record<ParameterName, bigint>> = { MAX_NODE_TIMEOUT: 3_600n };

export interface Service {
  readonly id: Hash;
  readonly record: {
    readonly owner: Address;
    readonly codeHash: Hash;
    readonly schemaHash: Hash;
    readonly endpoint: string;
    readonly constraints: Hash;
  };
}

export interface Resident {
  readonly agent: Agent;
  readonly member: Member;
  readonly principal: Member;
  readonly service: Service;
}

/** Adjudicators' acts on an agent or a principal. */
export interface Ruling {
  readonly action: "ADJUST_REPUTATION" | "SLASH" | "FREEZE_PRINCIPAL";
  readonly target: Address;
  readonly data: Hex;
  readonly about: string;
}

export interface GovernedCity {
  readonly chain: DrivenChain;
  readonly client: CityClient;
  readonly sender: DirectSender;
  readonly clerks: Clerks;
  readonly society: readonly Member[];
  readonly sponsor: LocalAccount;
  readonly runner: LocalAccount;
  readonly verifiers: ReadonlyMap<Address, LocalAccount>;
  /** Gas since the founding, which is not governance. */
  readonly founding: number;
  readonly residentOf: (agent: Agent) => Resident;
  readonly overclaims: (agent: Agent) => boolean;
  readonly agentAt: (address: Address) => Agent | undefined;
  /** Latest reputation on chain, in whole points, 0 to 1000. */
  readonly reputationOf: (agent: Agent) => number;
  /** Weights of quality and price in a bid's score, thousandths. */
  readonly weights: { readonly quality: bigint; readonly price: bigint };
  /** The nonce of the agent's next bid: all its bids go through here, and none is refused. */
  readonly bidNonce: (agent: Agent) => bigint;
  admit(agents: readonly Agent[]): Promise<void>;
  dismiss(agents: readonly Agent[]): Promise<void>;
  /** Each is signed by two adjudicators, a freeze by two thirds of them; batched into as few blocks as possible. */
  rule(orders: readonly Ruling[]): Promise<void>;
  /** Stores documents and justifications that the chain references by content id. */
  keep(content: string | Uint8Array): ContentId;
  /** The stored content, for audits. */
  readonly kept: ReadonlyMap<ContentId, Uint8Array>;
  /** Waits in chain time. */
  until(time: bigint): Promise<void>;
  seats(count: number): readonly Seat[];
  close(): Promise<void>;
}

/** An agent's claimed capability per dimension; an overclaiming agent claims the maximum. */
export const declared = (agent: Agent): readonly number[] =>
  agent.capabilities.map((level) => (overclaims(agent) ? MOST : Math.round(MOST * level)));

/** The same in the contracts' encoding. */
const packed = (levels: readonly number[]): bigint =>
  levels.reduce((word, level, dimension) => word | (BigInt(level) << BigInt(16 * dimension)), 0n);

/** The only service; everyone sells it. */
export const WORK: ServiceTerms = {
  codeHash: keccak256("0x01"),
  schemaHash: keccak256("0x02"),
  endpoint: "city:work",
  constraints: keccak256("0x03"),
};

const recordOf = (owner: Address): Service["record"] => ({ owner, ...WORK });

/** The chain's events state reputation in thousandths of a point. */
const MILLI = 1000;

/** Signatures required for each act (contracts/libraries/ActionTable.sol). */
const SIGNATURES = 2;
/** A freeze strikes voters, which takes two thirds of the seats if many are struck (decision 68). */
const signaturesFor = (action: Ruling["action"], seats: number): number =>
  action === "FREEZE_PRINCIPAL" ? Math.ceil((2 * seats) / 3) : SIGNATURES;

/** The city's chain and its transport: by default in this process, without storage. */
export type PortsMaker = (relayer: LocalAccount) => Promise<Ports>;
export interface Ports {
  readonly chain: DrivenChain;
  readonly sender: Sender<LogNote>;
}

/** Founds a city of these agents; up to `later` more may join. */
export async function foundEconomy(
  configuration: "structural" | "full",
  agents: readonly Agent[],
  { seed, later, ports }: { readonly seed: number; readonly later: number; readonly ports?: PortsMaker | undefined },
): Promise<GovernedCity> {
  const whole = assemblySociety(agents.length + later, 1);
  const relayer = memberOf(whole, "relayer", "relayer-1").account;
  const { chain, sender: through } = (await ports?.(relayer)) ?? { chain: await openEmbeddedChain(), sender: undefined };
  const producers = membersOf(whole, "producer");
  const memberFor = ({ id }: Agent): Member => {
    const member = producers[id];
    if (member === undefined) throw new RangeError(`no key for agent ${id}`);
    return member;
  };
  const settled = new Map(agents.map((agent) => [memberFor(agent).name, agent]));
  const society = whole.flatMap((member) => {
    if (member.role !== "producer") return [member];
    const agent = settled.get(member.name);
    return agent === undefined ? [] : [{ ...member, stake: STAKE, capabilities: packed(declared(agent)) }];
  });
  const sender = directSender(chain, relayer, through);
  const port = genesisPort(sender, memberOf(whole, "deployer").account, "default");
  const parameters = configuration === "structural" ? { ...BOTH, ...STRUCTURAL } : BOTH;
  const quiet = () => {};
  const { city } = await foundCity({ chain, network: "embedded", sender, society, port, seed: String(seed), progress: quiet, parameters });
  const client = createCityClient({ chain, addresses: city.addresses, sender });
  const codifier = memberOf(whole, "codifier").account;
  const clerks = openOffices(
    client,
    {
      registrar: memberOf(whole, "registrar").account,
      speaker: memberOf(whole, "speaker").account,
      regulators: membersOf(whole, "regulator").map(({ account }) => account),
      codifier,
      runner: memberOf(whole, "runner").account,
    },
    servicesInUse(await codifierServices(codifier.address)),
  );
  const [regulator] = membersOf(whole, "regulator").map(({ account }) => account);
  if (regulator === undefined) throw new RangeError("the society has no Regulator");
  const seats = membersOf(whole, "adjudicator");
  const sponsor = memberOf(whole, "sponsor").account;
  const residents = new Map<Agent, Resident>();
  const byAddress = new Map<Address, Agent>();
  const reputations = new Map<Agent, number>();

  async function settle(newcomers: readonly Agent[]): Promise<void> {
    for (const agent of newcomers) {
      const member = memberFor(agent);
      const record = recordOf(member.account.address);
      const principal = memberOf(whole, "principal", member.principal);
      residents.set(agent, { agent, member, principal, service: { id: serviceIdOf(record), record } });
      byAddress.set(member.account.address, agent);
    }
    await registerServices(
      client,
      newcomers.map((agent) => ({ owner: memberFor(agent).account, record: recordOf(memberFor(agent).account.address) })),
    );
    const known = await readMany(client, {
      contract: "ProducerContract",
      functionName: "reputationOf",
      args: newcomers.map((agent) => [memberFor(agent).account.address] as const),
    });
    for (const [place, agent] of newcomers.entries()) reputations.set(agent, Number(known[place]));
  }

  let turn = 0;
  const resident = (agent: Agent): Resident => {
    const found = residents.get(agent);
    if (found === undefined) throw new RangeError(`agent ${agent.id} does not live here`);
    return found;
  };
  sender.watch((receipt) => {
    for (const { args } of client.agents.events(receipt, "ReputationChanged")) {
      const agent = byAddress.get(args.agent);
      if (agent !== undefined) reputations.set(agent, Math.floor(args.current / MILLI));
    }
  });
  await settle(agents);
  const weight = (name: "BID_WEIGHT_QUALITY" | "BID_WEIGHT_PRICE") => client.constitution.param(parameterIndex(name));
  const weights = { quality: await weight("BID_WEIGHT_QUALITY"), price: await weight("BID_WEIGHT_PRICE") };
  const nonces = new Map<Agent, bigint>();
  const kept = new Map<ContentId, Uint8Array>();
  const keep = (content: string | Uint8Array): ContentId => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const id = contentIdOf(bytes);
    kept.set(id, bytes);
    return id;
  };
  const founding = sender.used.length;
  const panel = (count: number): Seat[] =>
    Array.from({ length: count }, (_, place) => seats[(turn + place) % seats.length]).filter((seat) => seat !== undefined);
  return {
    chain,
    client,
    sender,
    clerks,
    society: whole,
    sponsor,
    runner: memberOf(whole, "runner").account,
    verifiers: new Map(membersOf(whole, "verifier").map(({ account }) => [account.address, account])),
    founding,
    residentOf: resident,
    overclaims,
    agentAt: (address) => byAddress.get(address),
    reputationOf: (agent) => reputations.get(agent) ?? 0,
    weights,
    bidNonce(agent) {
      const nonce = nonces.get(agent) ?? 0n;
      nonces.set(agent, nonce + 1n);
      return nonce;
    },
    async admit(newcomers) {
      const names = new Set(newcomers.map((agent) => memberFor(agent).principal));
      const claimed = (agent: Agent) => declared(agent).map((level) => Math.min(level, MAX_CLAIMED));
      const joining = newcomers.map((agent) => ({ ...memberFor(agent), stake: STAKE, capabilities: packed(claimed(agent)) }));
      const owners = membersOf(whole, "principal").filter(({ name }) => names.has(name));
      await sender.sendMany(
        owners.map(({ account, name }) =>
          client.token.call.transfer([account.address, STAKE], { intent: intentKey("fund", name), account: sponsor }),
        ),
      );
      await admitAgents({ society: [...owners, ...joining], seed: String(seed), chain, progress: quiet }, client);
      // In this economy claimed capabilities are attested without further checks, also for newcomers.
      await sender.sendMany(
        newcomers
          .filter((agent) => declared(agent).some((level) => level > MAX_CLAIMED))
          .map((agent) =>
            client.agents.call.attestCapabilities([memberFor(agent).account.address, packed(declared(agent)), zeroHash], {
              intent: intentKey("attest", agent.id),
              account: regulator,
            }),
          ),
      );
      // The Registrar vouches for all newcomers, so that they can vote at once.
      await sender.sendMany(
        newcomers.map((agent) =>
          client.agents.call.enfranchise([memberFor(agent).account.address], {
            intent: intentKey("vouch", agent.id),
            account: memberOf(whole, "registrar").account,
          }),
        ),
      );
      await settle(newcomers);
    },
    async dismiss(leaving) {
      await sender.sendMany(
        leaving.map((agent) => ({
          intent: intentKey("gas", agent.id),
          to: resident(agent).principal.account.address,
          value: 10n ** 17n,
          gas: 21_000n,
        })),
      );
      await sender.sendMany(
        leaving.map((agent) => {
          const { member, principal } = resident(agent);
          return client.agents.call.deregister([member.account.address], {
            intent: intentKey("leave", agent.id),
            account: principal.account,
          });
        }),
      );
    },
    async rule(orders) {
      const deadline = BigInt(Number(chain.clock.now()) + VALIDITY);
      const intents = [];
      for (const { action, target, data, about } of orders) {
        turn += 1;
        const caseHash = keccak256(stringToHex(`${action} ${about}`));
        keep(about);
        const message = overrideOf({ action, caseHash, target, data, because: about }, deadline);
        const signatures = await Promise.all(
          panel(signaturesFor(action, seats.length)).map(async ({ account }) => ({
            adjudicator: account.address,
            signature: await signOrder(client, account, message),
          })),
        );
        intents.push(client.adjudication.call.act([message, ascending(signatures)], { intent: intentKey("rule", action, about) }));
      }
      await sender.sendMany(intents);
    },
    seats(count) {
      turn += 1;
      return panel(count);
    },
    keep,
    kept,
    until: (time) => chain.advanceTo(time),
    close: () => chain.close(),
  };
}
