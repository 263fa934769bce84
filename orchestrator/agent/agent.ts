import { join as path } from "node:path";
import { keccak256, type LocalAccount, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { CATALOG } from "../../services/catalog.ts";
import { isUnreachable } from "../chain/errors.ts";
import { connectRpcChain } from "../chain/rpc.ts";
import { signPermit } from "../city/permit.ts";
import { offersOf, registeredService } from "../city/services.ts";
import { type CityClient, createCityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { createSandbox } from "../execution/sandbox/run.ts";
import type { RegisteredService } from "../execution/world.ts";
import { HeuristicMind } from "../minds/heuristic-mind.ts";
import type { Mind } from "../minds/mind.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { type Address, type Hash, type Hex, hashSchema, hexToBytes } from "../primitives/hex.ts";
import { signerOf } from "../primitives/signing.ts";
import { cityAddressesSchema } from "../protocol/addresses.ts";
import { type Call, type CityCard, cityCardSchema } from "../protocol/calls.ts";
import { KINDS } from "../protocol/kinds.ts";
import { AnotherCity } from "./errors.ts";
import { CityLink } from "./link.ts";
import { Memory } from "./memory.ts";
import { type Limits, Policy } from "./policy.ts";

/** Times of the machine. */
export interface AgentClock {
  readonly millis: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

export interface AgentOptions {
  /** Where the city's seats are: `http://127.0.0.1:8787`. */
  readonly city: string;
  /** The chain it believes. Default: the city's own, which is said aloud. */
  readonly rpc?: string | undefined;
  /** The agent's secret key. It stays in this object. */
  readonly key: Hex;
  /** Who answers for the agent: signs its registration and gives its stake. Needed until it is registered. */
  readonly principal?: LocalAccount | undefined;
  /** A folder of its own, of this city and this key. */
  readonly folder: string;
  /** Names in the catalogue. Default: all. */
  readonly sells?: readonly string[] | undefined;
  /** Decides what to offer, within the limits. Default: a heuristic mind. */
  readonly bid?: Mind["bid"] | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly clock: AgentClock;
  readonly tell?: (line: string) => void;
}

export interface Agent {
  readonly address: Address;
  /** Joins, then answers until it is told to stop. */
  run(stop: AbortSignal): Promise<void>;
  /** One line for each thing that it needs: what there is, and whether that will do. */
  doctor(): Promise<readonly Finding[]>;
}

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly details: string;
}

/** What is pinned at first contact: a city that differs in any of it later is another. */
const pinnedSchema = cityCardSchema.omit({ rpcUrl: true });

/** Claimed levels: enough for everything that is asked of a newcomer (0.6 of the scale). */
const CLAIMED = 39_322n;
/** Smallest units of stake that it registers with. */
const STAKE = 10_000_000_000n;
/** Seconds of chain time that a registration's signatures hold. */
const VALIDITY = 86_400;
/** Seconds that a request for calls waits at the city. */
const WAIT = 20;
/** Milliseconds that one takes at most. */
const LONGEST_REQUEST = 30_000;
/** Milliseconds before an unreachable city is asked again. */
const PAUSE = 500;
const NO_LIMITS: Limits = { leastPrice: 1n, mostStake: 2n ** 63n, mostNodes: 256 };

/** An agent of one owner in a city of others: its key, its mind and its services stay on this machine. */
export function createAgent(options: AgentOptions): Agent {
  const { key, folder, clock, tell = () => {} } = options;
  const account = privateKeyToAccount(key);
  const link = new CityLink(options.city, account, clock.millis);
  const memory = new Memory(path(folder, "memory"));
  const sandbox = createSandbox({ now: clock.millis });

  /** The city as it was at first contact. Throws AnotherCity. */
  async function reach(): Promise<{ readonly card: CityCard; readonly client: CityClient }> {
    const card = await link.card();
    const { rpcUrl, ...now } = card;
    const chain = await connectRpcChain({ url: options.rpc ?? rpcUrl, chainId: card.chainId, wall: clock });
    const addresses = cityAddressesSchema.parse(card.addresses);
    const client = createCityClient({ chain, addresses });
    const { hash } = await chain.publicClient.getBlock({ blockNumber: 0n });
    if (hash !== card.genesis) throw new AnotherCity("first block");
    const code = await codeAt(client);
    if ((await memory.keep(["code"], hashSchema, async () => code)) !== code) throw new AnotherCity("code");
    const pinned = await memory.keep(["city"], pinnedSchema, async () => now);
    for (const [what, value] of Object.entries(pinned))
      if (JSON.stringify(value) !== JSON.stringify(Object.entries(now).find(([name]) => name === what)?.[1])) throw new AnotherCity(what);
    return { card, client };
  }

  /** Of all the city's contracts together. */
  async function codeAt({ chain, addresses }: CityClient): Promise<Hash> {
    const codes = await Promise.all(Object.values(addresses).map((address) => chain.publicClient.getCode({ address })));
    return keccak256(stringToHex(codes.join()));
  }

  async function servicesOwn(): Promise<readonly RegisteredService[]> {
    const { sells } = options;
    const unknown = sells?.find((name) => !CATALOG.some(({ id }) => id === name));
    if (unknown !== undefined) throw new AgentCityError("NoSuchService", `There is no service ${unknown} in the catalogue`);
    const catalogue = CATALOG.filter(({ id }) => sells === undefined || sells.includes(id));
    return (await offersOf([{ account }], catalogue)).map(registeredService);
  }

  /** Registers what is not registered yet; everything is read back from the chain. */
  async function join(client: CityClient, services: readonly RegisteredService[]): Promise<Address> {
    const known = await client.agents.principalOf(account.address);
    if (BigInt(known) === 0n) await register(client);
    const deadline = Number((await client.chain.publicClient.getBlock()).timestamp) + VALIDITY;
    for (const { id, record } of services) {
      if (await client.services.isLive(id)) continue;
      const { owner: agent, ...terms } = record;
      const signature = await signMessage(client, account, "RegisterService", { agent, ...terms, deadline });
      await link.post("/v1/services", { ...terms, deadline, signature });
      if (!(await client.services.isLive(id)))
        throw new AgentCityError("NotRegistered", "The city said that it registered a service, and the chain does not have it");
    }
    return client.agents.principalOf(account.address);
  }

  async function register(client: CityClient): Promise<void> {
    const { principal } = options;
    if (principal === undefined)
      throw new AgentCityError("PrincipalMissing", "This agent is not registered, and nobody answers for it", {
        action: "add --principal <keystore>",
      });
    if ((await client.token.balanceOf(principal.address)) < STAKE) await link.post("/v1/faucet", { principal: principal.address });
    const deadline = Number((await client.chain.publicClient.getBlock()).timestamp) + VALIDITY;
    const did = `did:pkh:eip155:${client.chain.id}:${account.address}`;
    const capabilities = Array.from({ length: 10 }, (_, place) => CLAIMED << BigInt(16 * place)).reduce((a, b) => a | b);
    const binding = {
      agent: account.address,
      principal: principal.address,
      kind: KINDS.PRODUCER,
      did: keccak256(stringToHex(did)),
      capabilities,
      stake: STAKE,
      nonce: await client.agents.nonceOf(principal.address),
      deadline,
    };
    const [, , value, until, v, r, s] = await signPermit(client, principal, client.agents.address, STAKE, deadline);
    await link.post("/v1/join", {
      binding: { ...binding, capabilities: String(capabilities), stake: String(STAKE), nonce: String(binding.nonce) },
      did,
      byPrincipal: await signMessage(client, principal, "PrincipalBinding", binding),
      byAgent: await signMessage(client, account, "PrincipalBinding", binding),
      permit: { value: String(value), deadline: String(until), v, r, s },
    });
    if ((await client.agents.principalOf(account.address)) !== principal.address)
      throw new AgentCityError("NotRegistered", "The city said that it registered this agent, and the chain does not have it");
    tell(`registered: ${principal.address} answers for it`);
  }

  async function answerOne(policy: Policy, call: Call): Promise<void> {
    try {
      const answer = await policy.answer(call);
      await link.answer(call.id, answer);
      tell(`answered ${call.kind}`);
    } catch (error) {
      const why = messageOf(error);
      tell(`declined ${call.kind}: ${why}`);
      await link.decline(call.id, why).catch(() => undefined);
    }
  }

  async function run(stop: AbortSignal): Promise<void> {
    const services = await servicesOwn();
    const { card, client } = await untilReached(reach, stop);
    const where = card.embedded ? "it lives in the operator's process" : "no --rpc of your own was given";
    if (options.rpc === undefined) tell(`this city's operator can rewrite its chain: ${where}`);
    const principal = await join(client, services);
    const standard = new HeuristicMind({ persona: "cooperative", seed: account.address });
    const policyOf = (by: CityClient) =>
      new Policy({
        ...{ client: by, account, principal, services, sandbox, memory },
        seal: signerOf("secp256k1", hexToBytes(key)),
        bid: options.bid ?? ((request) => standard.bid(request)),
        limits: { ...NO_LIMITS, ...options.limits },
        block: (id) => link.block(id),
        putBlock: (bytes) => link.putBlock(bytes),
      });
    let policy = policyOf(client);
    tell(`answering as ${account.address}`);
    const busy = new Map<string, Promise<void>>();
    while (!stop.aborted) {
      try {
        await answerAll(policy, busy, stop);
      } catch (error) {
        if (stop.aborted) break;
        tell(`the city is away (${messageOf(error)}); asking again`);
        // It may come back at another address of this machine; that it is the same one is asked again.
        policy = policyOf((await untilReached(reach, stop)).client);
        tell("the city is back");
      }
    }
    await Promise.allSettled(busy.values());
  }

  /** Begins to answer whatever is asked now, or waits for the first question. */
  async function answerAll(policy: Policy, busy: Map<string, Promise<void>>, stop: AbortSignal): Promise<void> {
    const over = AbortSignal.any([stop, AbortSignal.timeout(LONGEST_REQUEST)]);
    for (const call of await link.calls(busy.size > 0 ? 0 : WAIT, over)) {
      if (busy.has(call.id) || call.to !== account.address) continue;
      const answering = answerOne(policy, call).finally(() => busy.delete(call.id));
      busy.set(call.id, answering);
    }
    if (busy.size > 0) await Promise.race([...busy.values(), clock.sleep(PAUSE)]);
  }

  async function untilReached(ask: typeof reach, stop: AbortSignal): ReturnType<typeof reach> {
    for (let told = false; ; ) {
      try {
        return await ask();
      } catch (error) {
        if (stop.aborted || (error instanceof AgentCityError && !isUnreachable(error)) || error instanceof z.ZodError) throw error;
        if (!told) tell(`no city at ${options.city} yet (${messageOf(error)}); asking again`);
        told = true;
        await clock.sleep(PAUSE);
      }
    }
  }

  async function doctor(): Promise<readonly Finding[]> {
    const found: Finding[] = [];
    const check = async (what: string, look: () => Promise<string>) => {
      try {
        found.push({ what, ok: true, details: await look() });
        return true;
      } catch (error) {
        found.push({ what, ok: false, details: messageOf(error) });
        return false;
      }
    };
    let client: CityClient | undefined;
    await check("key", async () => account.address);
    await check("services", async () => `${(await servicesOwn()).length} of this machine's own code`);
    await check("city", async () => {
      ({ client } = await reach());
      return `${options.city}: chain, addresses and code are as they were`;
    });
    const reached = client;
    if (reached === undefined) return found;
    await check("clock", async () => {
      await link.calls(0, AbortSignal.timeout(10_000));
      return "its requests are taken";
    });
    await check("registration", async () => {
      const principal = await reached.agents.principalOf(account.address);
      if (BigInt(principal) === 0n) throw new AgentCityError("NotRegistered", "not registered: run the agent with --principal once");
      return `${principal} answers for it`;
    });
    await check("stake", async () => {
      const { held, locked } = await reached.agents.stakeOf(account.address);
      if (held <= locked) throw new AgentCityError("NoStake", "nothing is free to back a bid");
      return `${held - locked} of ${held} units are free`;
    });
    return found;
  }

  return { address: account.address, run, doctor };
}
