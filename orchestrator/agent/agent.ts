import { join as path } from "node:path";
import type { LocalAccount } from "viem";
import { z } from "zod";
import { CATALOG } from "../../services/catalog.ts";
import { isUnreachable } from "../chain/errors.ts";
import { type Offer, offersOf, registeredService } from "../city/founding/services.ts";
import { isSeated } from "../city/humans/petitions.ts";
import type { Judge } from "../clearing/mesh.ts";
import type { CityClient } from "../client/client.ts";
import { fenceProblem, NoSandbox } from "../execution/sandbox/fence.ts";
import { createSandbox } from "../execution/sandbox/run.ts";
import type { RegisteredService } from "../execution/world.ts";
import { HeuristicMind } from "../minds/heuristic-mind.ts";
import type { Mind } from "../minds/mind.ts";
import { privateKeyToAccount } from "../primitives/accounts.ts";
import { AgentCityError, InvalidValue, messageOf } from "../primitives/errors.ts";
import { type Address, type Hex, hexToBytes } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import { signerOf } from "../primitives/signing.ts";
import { type Call, receivedSchema } from "../protocol/calls.ts";
import { KINDS } from "../protocol/kinds.ts";
import { examine, type Finding, type Standing, standingOf } from "./checkup.ts";
import { type Contact, reach } from "./contact.ts";
import { type Enrolment, enrol, type OfficeTerms, petition, seatOf } from "./enrol.ts";
import { CityAway, CityRefused } from "./errors.ts";
import { HANDLED, type Handlers } from "./handlers.ts";
import { IssuerPolicy } from "./issuer.ts";
import { type Limits, limitsSchema } from "./limits.ts";
import { CityLink } from "./link.ts";
import { Memory } from "./memory.ts";
import { type AskOwner, Policy } from "./policy.ts";
import { recorded } from "./replay.ts";
import { VerifierPolicy } from "./verifier.ts";

/** The machine's clock and timers. */
export interface AgentClock {
  readonly millis: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

export interface AgentOptions {
  /** The city's seat server: `http://127.0.0.1:8787`. */
  readonly city: string;
  /** The RPC endpoint that the agent trusts. Default: the city's own, with a warning. */
  readonly rpc?: string | undefined;
  /** The agent's secret key. It never leaves this object, and handlers do not see it. */
  readonly key: Hex;
  /** The principal: signs the registration and provides the stake. Required until the agent is registered. */
  readonly principal?: Hex | LocalAccount | undefined;
  /** A registered producer that creates this agent in place of a principal: it provides the stake, and its principal answers for both. */
  readonly creator?: Hex | LocalAccount | undefined;
  /** The agent's own folder, one per city and key. Every decision is written here before it is signed. */
  readonly folder: string;
  /** The agent's role: a producer, or a verifier or issuer that adjudicators seat. Default: a producer. */
  readonly office?: OfficeTerms | undefined;
  /** Catalogue names of the services that it sells, or that an issuer re-executes. Default: all. */
  readonly services?: readonly string[] | undefined;
  /** Makes decisions within the limits. A heuristic mind makes those that are left out. */
  readonly mind?: Partial<Mind> | undefined;
  /** Limits set by the owner. */
  readonly limits?: z.input<typeof limitsSchema> | Limits | undefined;
  /** Asked about anything above `limits.askAbove`. Default: such work is declined. */
  readonly askOwner?: AskOwner | undefined;
  readonly clock: AgentClock;
  /** Path of the Node (24 or later) that runs services. Default: this process's. */
  readonly nodePath?: string | undefined;
  readonly progress?: ((line: string) => void) | undefined;
  /** The build reported to the city, which publishes it: `agentcity/0.1.0 node/24.21.0`. Default: none. */
  readonly build?: string | undefined;
  /** Model that a verifier uses for semantic checks. Default: none, and the verifier abstains from them. */
  readonly judge?: Judge | undefined;
  /** Allows an issuer to run services without bubblewrap where it is not installed. Logged as a warning. */
  readonly weakSandbox?: boolean | undefined;
}

export interface Agent {
  readonly address: Address;
  /** Replaces the mind's decision for one kind of call. Throws InvalidValue for an unknown kind. */
  handle<Kind extends keyof Handlers>(kind: Kind, handler: Handlers[Kind]): Agent;
  /** Joins the city, then answers calls until `stop` aborts; without a signal, indefinitely. */
  run(stop?: AbortSignal): Promise<void>;
  /** Checks every prerequisite; one finding each. */
  doctor(): Promise<readonly Finding[]>;
  /** Whether the agent is earning, and if not, why. */
  status(): Promise<Standing>;
}

/** The policy of a role: decides how each call is answered. */
interface Answering {
  answer(call: Pick<Call, "kind" | "payload">): Promise<JsonValue>;
}

/** How long the city holds a request for calls open, seconds. */
const WAIT = 20;
/** Timeout of such a request, milliseconds. */
const LONGEST_REQUEST = 30_000;
/** Pause before retrying an unreachable city, milliseconds. */
const PAUSE = 500;

/** Whether the city or its chain did not answer, or not now, so that the request may be repeated. */
const isAway = (error: unknown) => error instanceof CityAway || (error instanceof CityRefused && error.isPassing) || isUnreachable(error);

/** An agent in a city that someone else operates. Its key, mind and services stay on this machine. */
export function createAgent(options: AgentOptions): Agent {
  const { key, folder, clock, progress = () => {} } = options;
  const account = privateKeyToAccount(key);
  const link = new CityLink(options.city, account, clock.millis);
  const memory = new Memory(path(folder, "memory"));
  const { nodePath = process.execPath } = options;
  const unfenced = fenceProblem(nodePath);
  const sandbox = createSandbox({ now: clock.millis, nodePath, isFenced: unfenced === undefined });
  const limits = limitsSchema.parse(options.limits ?? {});
  const standard = new HeuristicMind({ persona: "cooperative", seed: account.address });
  const handlers: Partial<Handlers> = { ...options.mind };
  const contact = () => reach(link, memory, options.rpc, clock);

  async function offersHere(): Promise<readonly Offer[]> {
    const { services } = options;
    const unknown = services?.find((name) => !CATALOG.some(({ id }) => id === name));
    if (unknown !== undefined) throw new AgentCityError("NoSuchService", `There is no service ${unknown} in the catalogue`);
    const catalogue = CATALOG.filter(({ id }) => services === undefined || services.includes(id));
    return offersOf([{ account }], catalogue);
  }

  /** The owner's handlers first, a heuristic mind otherwise. Each decision is recorded with its question for `replay`. */
  function mind(): Mind {
    const { plan, draft, speak, rank, bid } = handlers;
    return {
      plan: (request) => recorded(memory, "plan", request, () => plan?.(request) ?? standard.plan(request)),
      draft: (request) => recorded(memory, "draft", request, () => draft?.(request) ?? standard.draft(request)),
      speak: (request) => recorded(memory, "speak", request, () => speak?.(request) ?? standard.speak(request)),
      rank: (request) => recorded(memory, "rank", request, () => rank?.(request) ?? standard.rank(request)),
      bid: (request) => recorded(memory, "bid", request, () => bid?.(request) ?? standard.bid(request)),
    };
  }

  async function answerOne(policy: Answering, call: Call): Promise<void> {
    try {
      const answer = await policy.answer(call);
      const receipt = await link.answer(call.id, answer);
      progress(`answered ${call.kind}`);
      // Proof of delivery, should the city claim that no answer came.
      if (await link.isReceipt(call.id, receipt)) await memory.keep(["received", call.id], receivedSchema, async () => receipt);
      else progress(`the city's receipt for its answer to ${call.kind} does not hold`);
    } catch (error) {
      const why = messageOf(error);
      progress(`declined ${call.kind}: ${why}`);
      await link.decline(call.id, why).catch(() => undefined);
    }
  }

  /** An issuer runs code and inputs chosen by others next to its signing key, hence a sandbox. */
  function requireFence(): void {
    if (unfenced === undefined) return;
    if (options.office?.office === "issuer" && options.weakSandbox !== true) throw new NoSandbox(unfenced);
    progress(`services run behind one fence here: ${unfenced}`);
  }

  async function run(stop: AbortSignal = new AbortController().signal): Promise<void> {
    requireFence();
    const { office } = options;
    const offers = office?.office === "verifier" ? [] : await offersHere();
    const { card, client } = await untilReached(stop);
    const where = card.embedded ? "it lives in the operator's process" : "no --rpc of your own was given";
    if (options.rpc === undefined) progress(`this city's operator can rewrite its chain: ${where}`);
    const holder = (of: Hex | LocalAccount | undefined) => (typeof of === "string" ? privateKeyToAccount(of) : of);
    const joining = { client, link, account, progress, principal: holder(options.principal), creator: holder(options.creator) };
    const services = office === undefined ? offers.map(registeredService) : [];
    const principal = await untilJoined(joining, services, stop);
    if (principal === undefined) return;
    const policyOf = (by: CityClient) => answering(by, principal, offers);
    let policy = policyOf(client);
    progress(`answering as ${account.address}`);
    const busy = new Map<string, Promise<void>>();
    while (!stop.aborted) {
      try {
        await answerAll(policy, busy, stop);
      } catch (error) {
        if (stop.aborted) break;
        progress(`the city is away (${messageOf(error)}); asking again`);
        // It may return at another address of this machine; `reach` checks that it is the same city.
        policy = policyOf((await untilReached(stop)).client);
        progress("the city is back");
      }
    }
    await Promise.allSettled(busy.values());
  }

  /** Joins, retrying while the city or its chain is unreachable. Earlier steps are read back from the chain. */
  async function untilJoined(...asked: Parameters<typeof joined>): ReturnType<typeof joined> {
    const [, , stop] = asked;
    for (let reported = false; !stop.aborted; ) {
      try {
        return await joined(...asked);
      } catch (error) {
        if (!isAway(error)) throw error;
        if (!reported) progress("the city, or its chain, does not answer; asking again");
        reported = true;
        await clock.sleep(PAUSE);
      }
    }
    return undefined;
  }

  /** Returns the agent's principal once it is registered and seated; undefined if it was stopped before. */
  async function joined(
    joining: Omit<Enrolment, "kind" | "services">,
    services: readonly RegisteredService[],
    stop: AbortSignal,
  ): Promise<Address | undefined> {
    const { office } = options;
    const kind = office === undefined ? KINDS.PRODUCER : KINDS.VERIFIER;
    const principal = office?.office === "issuer" ? account.address : await enrol({ ...joining, services, kind });
    const wait = async () => {
      await clock.sleep(PAUSE);
      return !stop.aborted;
    };
    return office === undefined || (await petition(joining, office, wait)) ? principal : undefined;
  }

  /** The policy of the agent's role. */
  function answering(client: CityClient, principal: Address, offers: readonly Offer[]): Answering {
    const common = { client, account, memory, seal: signerOf("secp256k1", hexToBytes(key)), block: (id: string) => link.block(id) };
    if (options.office?.office === "verifier") return new VerifierPolicy({ ...common, judge: options.judge, progress });
    if (options.office?.office === "issuer") {
      const servicesOf = (owner: Address) =>
        offers.map((offer) => registeredService({ ...offer, seller: { account: { address: owner } } }));
      return new IssuerPolicy({ ...common, sandbox, servicesOf });
    }
    const { perform } = handlers;
    return new Policy({
      ...{ ...common, principal, sandbox, limits, askOwner: options.askOwner },
      services: offers.map(registeredService),
      mind: mind(),
      perform: perform === undefined ? undefined : (work) => recorded(memory, "perform", work, () => perform(work)),
      putBlock: (bytes) => link.putBlock(bytes),
    });
  }

  /** Starts answering every open call, or waits for the first one. */
  async function answerAll(policy: Answering, busy: Map<string, Promise<void>>, stop: AbortSignal): Promise<void> {
    const over = AbortSignal.any([stop, AbortSignal.timeout(LONGEST_REQUEST)]);
    for (const call of await link.calls(busy.size > 0 ? 0 : WAIT, over, options.build)) {
      if (busy.has(call.id) || call.to !== account.address) continue;
      const answering = answerOne(policy, call).finally(() => busy.delete(call.id));
      busy.set(call.id, answering);
    }
    if (busy.size > 0) await Promise.race([...busy.values(), clock.sleep(PAUSE)]);
  }

  async function untilReached(stop: AbortSignal): Promise<Contact> {
    for (let reported = false; ; ) {
      try {
        return await contact();
      } catch (error) {
        if (stop.aborted || (error instanceof AgentCityError && !isAway(error)) || error instanceof z.ZodError) throw error;
        if (!reported) progress(`${messageOf(error)}; asking again`);
        reported = true;
        await clock.sleep(PAUSE);
      }
    }
  }

  function seatedAs(office: OfficeTerms | undefined) {
    return office === undefined ? undefined : (client: CityClient) => isSeated(client, seatOf(account.address, office));
  }

  const agent: Agent = {
    address: account.address,
    handle(kind, handler) {
      if (!HANDLED.includes(kind)) throw new InvalidValue("kind", `it is none of ${HANDLED.join(", ")}`, { details: String(kind) });
      handlers[kind] = handler;
      return agent;
    },
    run,
    doctor: () =>
      examine({
        account,
        link,
        services: async () => (await offersHere()).map(registeredService),
        reach: contact,
        millis: clock.millis,
        isSeated: seatedAs(options.office),
      }),
    status: async () => standingOf((await contact()).client, account.address),
  };
  return agent;
}
