import { zeroAddress } from "viem";
import { DEVNET_CHAIN_ID } from "../../chain/devnet.ts";
import { intentKey } from "../../chain/outbox.ts";
import type { Outsiders } from "../../execution/seat.ts";
import type { ContentStore } from "../../execution/world.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { keccak256, parseContentId } from "../../primitives/hash.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import type { CityCard, Join, Petition, ServiceOffer, SubAgent } from "../../protocol/calls.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { EvidenceClass } from "../../rules/admissibility.ts";
import { serveSeats } from "../../seats/http.ts";
import { Mailbox, type MailboxOptions, type WallClock } from "../../seats/mailbox.ts";
import { remoteSeat } from "../../seats/remote.ts";
import { remoteIssuer, remoteVerifier } from "../../seats/remote-office.ts";
import type { City } from "../city.ts";
import { wasPermitted } from "../founding/permit.ts";
import { memberOf } from "../founding/society.ts";
import { clearPetitions, filePetition, petitionName } from "../humans/petitions.ts";
import { RelayBudget } from "./relay-budget.ts";

/** Tokens that a devnet gives to a new principal, smallest unit. */
const ALLOWANCE = 100_000_000_000n;
/** Gas money that it gives, wei. */
const GAS_MONEY = 10n ** 17n;
/** Maximum number of external agents with a stake in one city; a place is free again once its stake was withdrawn. */
export const MAX_OUTSIDERS = 64;
/** Classes that a key can issue here. */
const ISSUED = ["REC", "ATT"] as const;
/** Services that one of them may have registered by this city. */
const MAX_SERVICES = 128;

export interface OpenSeatsOptions {
  /** 0 or nothing: any free port. */
  readonly port?: number;
  readonly clock: WallClock;
  /** Test only: seconds that seats have are multiplied by it. */
  readonly patience?: number;
  /** Gas that strangers' acts may cost this city in 24 hours. Default: RELAY_GAS. */
  readonly relayGas?: bigint | undefined;
}

/** What external agents can do in a city, over any transport. */
export interface SeatDesk {
  readonly mailbox: Mailbox;
  /** Budget for strangers' acts. */
  readonly relays: RelayBudget;
  readonly store: ContentStore;
  readonly card: Omit<CityCard, "now">;
  /** Relays a registration that both have signed. `from`: the address that it came from, where that is known. Throws RelayQuota. */
  join(request: Join, from?: string): Promise<void>;
  /** The same for an agent created by a producer. Throws NotRegistered for an unregistered creator, RelayQuota. */
  joinUnder(request: SubAgent, from?: string): Promise<void>;
  /** Relays the registration of a service that its owner has signed. Throws RelayQuota. */
  offer(owner: Address, service: ServiceOffer, from?: string): Promise<void>;
  /** Lays a petition for an office before the adjudicators. Throws PetitionRefused, RelayQuota. */
  petition(request: Petition, from?: string): Promise<void>;
  /** Test tokens for a principal, once, on devnets. Throws NoFaucet on other networks. */
  faucet(principal: Address): Promise<void>;
  /** All external members on chain; they survive a restart. */
  outsiders(): Promise<Outsiders>;
  /** How many of them are connected. */
  present(): Promise<number>;
}

/** A city whose seats are open to external agents. */
export interface OpenSeats {
  readonly url: string;
  readonly desk: SeatDesk;
  /** All external members on chain; they survive a restart. */
  readonly outsiders: () => Promise<Outsiders>;
  /** How many of them are connected. */
  readonly present: () => Promise<number>;
  close(): Promise<void>;
}

/** External agents' seats, behind a mailbox of this city. */
function openMailbox(city: City, options: Pick<MailboxOptions, "clock" | "patience" | "closed">) {
  const { client, society, chain, blocks } = city;
  const receiver = memberOf(society, "runner").account;
  const mailbox = new Mailbox({
    ...options,
    chainId: chain.id,
    city: client.addresses.ConstitutionContract,
    answers: city.answers,
    calls: city.calls,
    blocks,
    receiver,
    // Another mission that waits for a deadline would take this one's seats past theirs.
    hold: (work) => chain.clock.hold(work),
  });
  const store = { put: async (bytes: Uint8Array) => blocks.put(bytes), get: async (id: string) => blocks.get(parseContentId(id)) };
  const here = new Set(society.map(({ account }) => account.address));

  async function joined() {
    const registered = await client.agents.history("AgentRegistered");
    return registered.filter(({ args }) => !here.has(args.agent));
  }

  async function outsiders(): Promise<Outsiders> {
    await clearPetitions(client, city.dir);
    const outsider = (address: Address, principal: Address) => ({ name: nameOfOutsider(address), address, principal });
    const workers = (await joined())
      .filter(({ args }) => args.kind === KINDS.PRODUCER)
      .map(({ args: { agent, principal } }) => remoteSeat(outsider(agent, principal), mailbox, store));
    const elsewhere = <Named>(found: readonly Named[], nameOf: (one: Named) => Address) => [
      ...new Map(found.filter((one) => !here.has(nameOf(one))).map((one) => [nameOf(one), one])).values(),
    ];
    const verifiers = elsewhere(await client.evidence.history("VerifierRegistered"), ({ args }) => args.verifier).map(({ args }) =>
      remoteVerifier(outsider(args.verifier, args.principal), mailbox),
    );
    const appointed = elsewhere(await client.evidence.history("IssuerRegistered"), ({ args }) => args.issuer);
    const issuers = await Promise.all(
      appointed.map(async ({ args: { issuer, principal } }) => {
        // Classes that it may currently issue; a later act may change or revoke them.
        const may = await Promise.all(ISSUED.map((name) => client.evidence.mayIssue(issuer, EvidenceClass[name])));
        return remoteIssuer({ ...outsider(issuer, principal), issues: ISSUED.filter((_, place) => may[place]) }, mailbox, client);
      }),
    );
    return { workers, verifiers, issuers };
  }
  return { mailbox, store, receiver, joined, outsiders };
}

/**
 * External members of a city that currently does not ask them. A mission in which one works continues: its earlier answers are replayed,
 * and otherwise it is silent.
 */
export function closedSeats(city: City, clock: WallClock): Promise<Outsiders> {
  return openMailbox(city, { clock, closed: true }).outsiders();
}

/** Opens the seats of a city; a transport of the caller's brings agents to them. */
export async function seatDesk(city: City, { clock, patience, relayGas }: Omit<OpenSeatsOptions, "port">): Promise<SeatDesk> {
  const relays = new RelayBudget(city.database, clock.millis, relayGas);
  const { client, society, chain } = city;
  const { addresses } = client;
  const { mailbox, store, receiver, joined, outsiders } = openMailbox(city, { clock, ...(patience === undefined ? {} : { patience }) });

  async function requireRoom(): Promise<void> {
    const stakes = await Promise.all((await joined()).map(({ args }) => client.agents.stakeOf(args.agent)));
    if (stakes.filter(({ held }) => held > 0n).length >= MAX_OUTSIDERS)
      throw new AgentCityError("CityFull", `${MAX_OUTSIDERS} external agents already have a stake in this city`, {
        action: "come again when one has left and taken its stake back",
      });
  }

  /** The provider of a stake permits the city's contract to take it. Anybody may hand the permit in. */
  const allow = (giver: Address, { value, deadline, v, r, s }: Join["permit"], sealed: Hash) => {
    const permit = [giver, addresses.ProducerContract, BigInt(value), BigInt(deadline), v, r, s] as const;
    return client.token.permit(permit, { intent: intentKey("join", "permit", sealed), alreadyDone: () => wasPermitted(client, permit) });
  };
  const isKnown = async (agent: Address) => (await client.agents.principalOf(agent)) !== zeroAddress;

  /** Both have signed everything; the city pays the gas. */
  async function join({ binding, did, byPrincipal, byAgent, permit }: Join, from?: string): Promise<void> {
    if (await isKnown(binding.agent)) return;
    await requireRoom();
    if (binding.kind !== KINDS.PRODUCER && binding.kind !== KINDS.VERIFIER)
      throw new AgentCityError("WrongKind", "Only producers and verifiers join this way");
    const sealed = keccak256(canonicalBytes([binding, did, byPrincipal, byAgent, permit]));
    await relays.spend("join", { principal: binding.principal, from }, async (took) => {
      const step = { intent: intentKey("join", sealed), alreadyDone: () => isKnown(binding.agent) };
      took(await allow(binding.principal, permit, sealed));
      took(await client.agents.register([inNumbers(binding), did, byPrincipal, byAgent], step));
    });
    city.progress(`${nameOfOutsider(binding.agent)} joined the city as an external agent`);
  }

  /** The same for an agent created by a producer of this city; it counts as its principal's. */
  async function joinUnder({ binding, did, byCreator, byAgent, permit }: SubAgent, from?: string): Promise<void> {
    const { agent, creator } = binding;
    if (await isKnown(agent)) return;
    const principal = await client.agents.principalOf(creator);
    if (principal === zeroAddress)
      throw new AgentCityError("NotRegistered", "Only producers of this city make agents", { details: creator });
    await requireRoom();
    const sealed = keccak256(canonicalBytes([binding, did, byCreator, byAgent, permit]));
    await relays.spend("join", { principal, from }, async (took) => {
      const step = { intent: intentKey("join", sealed), alreadyDone: () => isKnown(agent) };
      took(await allow(creator, permit, sealed));
      took(await client.agents.registerSubAgent([inNumbers(binding), did, byCreator, byAgent], step));
    });
    city.progress(`${nameOfOutsider(agent)} joined the city as an external agent, created by ${nameOfOutsider(creator)}`);
  }

  async function offer(owner: Address, { signature, deadline, ...terms }: ServiceOffer, from?: string): Promise<void> {
    const { codeHash, schemaHash, endpoint, constraints } = terms;
    const principal = await client.agents.principalOf(owner);
    if (principal === zeroAddress) throw new AgentCityError("NotRegistered", "Only agents of this city sell services");
    const id = await client.services.idOf({ owner, ...terms });
    const alreadyDone = () => client.services.isLive(id);
    if (await alreadyDone()) return;
    const own = await client.services.history("ServiceRegistered", { owner });
    if (own.length >= MAX_SERVICES) throw new AgentCityError("TooManyServices", `this city registers ${MAX_SERVICES} services of an agent`);
    const offered = [codeHash, schemaHash, endpoint, constraints, { agent: owner, deadline, signature }] as const;
    await relays.spend("offer", { principal, from }, async (took) =>
      took(await client.services.registerService(offered, { intent: intentKey("join", "service", id, keccak256(signature)), alreadyDone })),
    );
  }

  async function faucet(principal: Address): Promise<void> {
    if (chain.id !== DEVNET_CHAIN_ID) throw new AgentCityError("NoFaucet", "There is test money on devnets only");
    const options = { intent: intentKey("join", "faucet", principal), account: memberOf(society, "deployer").account };
    await client.token.mint([principal, ALLOWANCE], options);
    // A mission's sponsor sends transactions of its own.
    const { account } = options;
    await city.sender.send({ intent: intentKey("join", "faucet-gas", principal), to: principal, value: GAS_MONEY, account });
  }

  const first = await chain.publicClient.getBlock({ blockNumber: 0n });
  const card = {
    chainId: chain.id,
    rpcUrl: city.rpcUrl,
    addresses,
    receiver: receiver.address,
    genesis: first.hash,
    embedded: chain.kind === "embedded",
  };
  const present = async () => (await joined()).filter(({ args }) => args.kind === KINDS.PRODUCER && mailbox.isConnected(args.agent)).length;
  const petition = async (request: Petition, from?: string) => {
    const { principal } = request.petition;
    await filePetition(client, city.dir, request, async () => void (await relays.take("petition", { principal, from })));
    city.progress(`${nameOfOutsider(request.petition.account)} petitions for an office: npm run override -- show ${petitionName(request)}`);
  };
  return { mailbox, relays, store, card, join, joinUnder, offer, petition, faucet, outsiders, present };
}

/** Opens a city's seats: external agents join with their own keys, and are asked over HTTP. */
export async function openSeats(city: City, { port, ...options }: OpenSeatsOptions): Promise<OpenSeats> {
  const desk = await seatDesk(city, options);
  const server = await serveSeats({
    ...desk,
    progress: city.progress,
    millis: options.clock.millis,
    ...(port === undefined ? {} : { port }),
  });
  return { url: server.url, desk, outsiders: desk.outsiders, present: desk.present, close: server.close };
}

/** Numbers beyond 2⁵³, which are sent as text. */
function inNumbers<Terms extends Record<"capabilities" | "stake" | "nonce", string>>({ capabilities, stake, nonce, ...rest }: Terms) {
  return { ...rest, capabilities: BigInt(capabilities), stake: BigInt(stake), nonce: BigInt(nonce) };
}

/** Display name of an external agent. */
function nameOfOutsider(agent: Address): string {
  return `agent ${agent.slice(0, 8)}`;
}
