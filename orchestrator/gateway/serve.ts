import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { zeroAddress } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { z } from "zod";
import type { AllowedOrigin } from "../attestation/index.ts";
import { findLivingCity, writeCityFile } from "../chain/city-file.ts";
import { BundleRequests } from "../city/bundle/bundle-requests.ts";
import type { City } from "../city/city.ts";
import { membersOf } from "../city/founding/society.ts";
import type { Hearings } from "../city/hearings/hearings.ts";
import type { SeatDesk } from "../city/missions/open-seats.ts";
import type { PostedMissions } from "../city/missions/posted-missions.ts";
import { RelayBudget } from "../city/missions/relay-budget.ts";
import type { Signer } from "../clearing/signature.ts";
import { engineOf, sealerOf } from "../execution/clearing-record.ts";
import { chainSource } from "../hub/chain-source.ts";
import { type Hub, openHub } from "../hub/hub.ts";
import { kuboBlocks, Mirror } from "../hub/mirror.ts";
import type { HubNews, StreamEvent } from "../hub/view.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { AgreementDesk } from "./agreements/desk.ts";
import { Releases } from "./agreements/releases.ts";
import { AgreementStops } from "./agreements/stops.ts";
import type { CampaignFolders } from "./campaigns.ts";
import { Canaries } from "./canaries.ts";
import { ClaimDesk } from "./claim-desk.ts";
import type { Caller, CityWorld } from "./command.ts";
import { shownBreakers } from "./commands/breakers.ts";
import { redactEvent } from "./commands/events.ts";
import { COMMANDS } from "./commands/table.ts";
import { Refused } from "./errors.ts";
import { type FrontSettings, operatorIn, operatorSecretIn, startFront, type Wall } from "./front.ts";
import type { Pages } from "./http.ts";
import { Laws } from "./laws.ts";
import { type GatewayLimits, LIMITS } from "./limits.ts";
import { LineClosed, openLine } from "./line.ts";
import { answersOf, type Charged, type FrontOrder, type PaidOrder } from "./link.ts";
import { guardedPush, type Push } from "./push.ts";
import { openQuotas } from "./quotas.ts";
import { openPayload, secrecyIn, withholding } from "./reading.ts";
import { sealFor, secretFor } from "./seals.ts";
import { SeatDoor } from "./seat-door.ts";
import { Webhooks } from "./webhooks.ts";
import { type Charge, PaymentRequired, Till, type Toll } from "./x402.ts";

export interface ServeOptions extends Wall {
  /** 0: any free port of loopback. */
  readonly port: number;
  /** By what others reach it, if a proxy stands before it; its host is then a name of this gateway too. */
  readonly publicUrl?: string | undefined;
  readonly origins?: readonly string[];
  /** Addresses of proxies of the operator's own, whose `X-Forwarded-For` says who asks. Default: none is believed. */
  readonly proxies?: readonly string[];
  readonly limits?: Partial<GatewayLimits>;
  /** Seats of agents elsewhere, if they are open: their questions come through here. */
  readonly seats?: SeatDesk | undefined;
  /** Missions of sponsors elsewhere, if they are taken. */
  readonly posted?: PostedMissions | undefined;
  /** Jobs of escrows anywhere before panels of this city, if they are heard here. */
  readonly hearings?: Hearings | undefined;
  /** What paid commands cost, and whom they pay. Default: they are free. */
  readonly toll?: Toll | undefined;
  /** Where agents of the package find the same seats. */
  readonly seatsUrl?: string | undefined;
  /** The console, if it is built. */
  readonly pages?: Pages | undefined;
  /** Where campaigns of the economy lie, to be shown. */
  readonly campaigns?: CampaignFolders | undefined;
  /** The folder of finished missions' bundles, to be handed out. */
  readonly bundles?: string | undefined;
  /** Gas that a mission may use before its metric alerts. Default: none. */
  readonly gasBudget?: number | undefined;
  /** An ERC-8004 identity registry of this city's chain: agents that are registered there are shown with their id, and may be parties of agreements. */
  readonly identities?: Address | undefined;
  /** The `AgreementEscrow` of this city's chain in which agreements may have their money. Default: they have none. */
  readonly escrow?: Address | undefined;
  /** A node's RPC (Kubo) that keeps every payload that may be read. Default: none. */
  readonly ipfs?: string | undefined;
  /** Months, 24 at least, after which payloads that the hub holds itself are let go of. Default: never. */
  readonly retainMonths?: number | undefined;
  /** Origins from which sources of claims are read besides the city's own payloads. Default: none. */
  readonly claimOrigins?: readonly AllowedOrigin[] | undefined;
  /** How endpoints of adjudicators are reached. Default: public addresses by https only. */
  readonly push?: Push | undefined;
  readonly version: string;
  /** A program that runs the front in a thread of its own (`startFront` over what it is given). Default: this thread. */
  readonly thread?: URL | undefined;
  /** How it is begun in this thread. Tests come between it and the city. */
  readonly begin?: typeof startFront;
}

export interface Gateway {
  readonly url: string;
  readonly hub: Hub;
  readonly world: CityWorld;
  /** Returns once everything that has happened by now is shown. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Blocks after which a live network is not expected to replace one. */
const LIVE_FINALITY = 64;
/** Milliseconds between two looks at chain and log. */
const LOOK = 250;
/** Milliseconds before a front that failed is started again. */
const PAUSE = 1_000;

/** Opens a city's hub and serves its gateway on loopback until it is closed. */
export async function serveGateway(city: City, options: ServeOptions): Promise<Gateway> {
  const { millis, sleep } = options;
  let front: Front | undefined;
  const order = async (given: FrontOrder) => front?.order(given);
  // A front that is gone begins with all of it when it is started again.
  const hub = await openCityHub(city, (news) => void order({ do: "advance", news }).catch(() => {}));
  await hub.sync();
  const closing = new AbortController();
  provideOperator(city.dir);
  const webhooks = new Webhooks({
    ...{ sql: city.database, hub, millis, operator: operatorIn(city.dir), chainId: city.chain.id },
    isSeated: (key) => city.client.roster.isActive(key),
    render: async (event) => z.json().parse(await redactEvent(event, withholding(world))),
    push: options.push ?? guardedPush(),
  });
  const till = new Till(city.client, city.database);
  await till.reconcile(city.progress);
  const stops = new AgreementStops({ sql: city.database, client: city.client });
  const door = { quotas: openQuotas(city.database), closing: closing.signal };
  const canaries: Canaries = new Canaries({
    ...{ sql: city.database, secret: secretFor("canaries", operatorSecretIn(city.dir)), millis },
    desk: () => agreements,
  });
  const releases: Releases = new Releases({
    ...{ sql: city.database, millis, operator: operatorIn(city.dir), chainId: city.chain.id },
    push: options.push ?? guardedPush(),
    desk: () => agreements,
  });
  const agreements: AgreementDesk = new AgreementDesk({
    ...{ sql: city.database, chain: city.chain, token: city.client.addresses.CityToken, millis, escrow: options.escrow },
    ...{ identities: options.identities, releases },
    stops: () => stops.outcomes(),
    unknown: () => till.unknown(),
    canaries: () => canaries.outcomes(),
    refused: () => releases.refused(),
    judged: (standing, evaluator) => canaries.judged(standing, evaluator),
  });
  const readable = { client: city.client, hub, laws: new Laws({ client: city.client, hub, blocks: city.blocks }) };
  const { claimOrigins = [], publicUrl } = options;
  let url = "";
  const world: CityWorld = {
    ...{ ...readable, blocks: city.blocks, dir: city.dir, millis, webhooks },
    claims: await ClaimDesk.open({
      ...{ sql: city.database, signer: sealFor("claims", operatorSecretIn(city.dir)), millis, allow: claimOrigins },
      url: () => publicUrl ?? url,
      isMember: async (key) => (await city.client.agents.principalOf(key)) !== zeroAddress,
      block: (id) => openPayload(readable, id),
    }),
    async attest(text) {
      const operator = operatorIn(city.dir);
      return { key: operator.address, signature: await operator.signMessage({ message: text }) };
    },
    engine: engineIn(city),
    recordsHead: () => city.log.head(),
    posted: options.posted,
    hearings: options.hearings,
    relays: options.seats?.relays ?? new RelayBudget(city.database, millis),
    ...{ agreements, canaries, stops },
    seats: options.seats === undefined ? undefined : new SeatDoor(options.seats, door),
  };
  const { request } = city.chain;
  const run = commandsOf(world);
  const charge = async (order: PaidOrder, payment: string | undefined) =>
    chargedBy(till, { url: order.url, description: order.description, ...pricing(world, order, options.toll) }, payment, () =>
      run(order.command, order.input, {}),
    );
  const end = { ...{ world, request, pages: options.pages, run, charge }, rows: city.database, progress: city.progress };
  const settings = { ...(await settingsOf(city, options)), relayGas: Number(world.relays.most) };
  const open = (port: number): Promise<string> => {
    front = startedFront({ ...settings, port, stream: hub.state() }, answersOf(end), options);
    return front.open();
  };
  url = await open(options.port);
  const watching = watch();

  /** A front that fails takes neither the city nor its missions with it. */
  async function watch(): Promise<void> {
    for (const port = Number(new URL(url).port); ; ) {
      const problem = await front?.ended;
      if (closing.signal.aborted) return;
      city.progress(`the gateway's thread ended (${problem ?? "nobody knows why"}) and is started again`);
      await sleep(PAUSE);
      // A failure to open ends it again, with the reason.
      if (!closing.signal.aborted) await open(port).catch(() => {});
    }
  }

  // Other processes of this machine find the gateway where they find the chain.
  const announced = findLivingCity(city.dir);
  if (announced !== undefined) writeCityFile(city.dir, { ...announced, apiUrl: url });
  const mirror = options.ipfs === undefined ? undefined : mirrorTo(options.ipfs, city, world);
  const { retainMonths } = options;
  const retention = retainMonths === undefined ? undefined : retentionOf(hub, retainMonths, millis);
  const breakers = showingBreakers(world, canaries, till, order);
  const { posted, hearings } = options;
  const requests = hearings && new BundleRequests(city);
  const followers = [webhooks, releases, mirror, retention, posted, hearings, requests, breakers].filter((each) => each !== undefined);
  const looking = look(hub, followers, city.progress, sleep, closing.signal);
  return {
    ...{ url, hub, world },
    async sync() {
      await hub.sync();
      // Orders are carried out in turn: this one comes after those of the steps before it.
      await order({ do: "advance", news: { cursor: hub.cursor(), missions: [], accounts: [] } });
      await breakers.show();
    },
    async close() {
      closing.abort();
      await front?.close();
      await Promise.all([watching, looking]);
    },
  };
}

/** The clearing engine of a city that has its runner's key. */
function engineIn({ society }: City): Signer | undefined {
  const [runner] = membersOf(society, "runner");
  return runner && sealerOf(engineOf(runner.account.address), runner.seal());
}

/** The gateway's front, seen from the city. */
interface Front {
  /** Listens from now on. Returns its URL. */
  open(): Promise<string>;
  order(order: FrontOrder): Promise<unknown>;
  /** What ended it; undefined when it was closed. */
  readonly ended: Promise<string | undefined>;
  close(): Promise<void>;
}

function startedFront(
  settings: FrontSettings,
  answer: (question: unknown) => Promise<unknown>,
  { thread, millis, sleep, begin = startFront }: Pick<ServeOptions, "thread" | "millis" | "sleep" | "begin">,
): Front {
  const { port1, port2 } = new MessageChannel();
  const line = openLine(port1, answer);
  const order = (given: FrontOrder) => line.ask(given);
  const ended = thread === undefined ? line.closed.then(() => undefined) : inThread(thread, port2, settings);
  if (thread === undefined) begin(port2, settings, { millis, sleep });
  return {
    ...{ order, ended },
    async open() {
      try {
        return z.string().parse(await order({ do: "open" }));
      } catch (error) {
        line.close();
        // Without a thread nobody answers: what ended it says more.
        throw error instanceof LineClosed ? new AgentCityError("GatewayFailed", `The gateway's thread ended: ${await ended}`) : error;
      }
    },
    async close() {
      await order({ do: "close" }).catch(() => {});
      line.close();
      await ended;
    },
  };
}

/** Runs a program in a thread of its own. Resolves when that has ended: with its error, if it failed. */
function inThread(program: URL, port: MessagePort, settings: FrontSettings): Promise<string | undefined> {
  const thread = new Worker(program, { workerData: { port, settings }, transferList: [port], execArgv: [] });
  return new Promise((resolve) => {
    thread.once("error", (error) => resolve(messageOf(error)));
    thread.once("exit", () => resolve(undefined));
  });
}

/** Runs the commands that only the city can. The front has checked who asks. */
function commandsOf(world: CityWorld): (name: string, input: unknown, caller: Caller) => Promise<string> {
  const own = new Map(COMMANDS.flatMap((command) => (command.at === "city" ? [[command.name, command] as const] : [])));
  return async (name, input, caller) => {
    const command = own.get(name);
    if (command === undefined) throw new Refused("NoSuchCommand", `The city has no command ${name}`);
    return canonicalJson(await command.run(world, fieldsSchema.parse(input), caller));
  };
}

/** What a paid command costs: the operator's price, or a debt that is paid once. */
function pricing(
  world: CityWorld,
  { command: name, input, conditions }: PaidOrder,
  toll: Toll | undefined,
): Pick<Charge, "request" | "price" | "debt"> {
  const command = COMMANDS.find((each) => each.name === name);
  const fields = fieldsSchema.parse(input);
  if (command?.at === "city" && command.debt !== undefined) {
    const { debt } = command;
    const owed = debt.name(fields);
    // Whoever asks, and by which proof, it is the same debt.
    return { request: owed, debt: owed, price: () => debt.price(world, fields, { conditions }) };
  }
  if (command?.paid === undefined || toll === undefined) throw new RangeError("nothing is paid for here");
  return { request: `${name} ${canonicalJson(fields)}`, price: async () => toll };
}

async function chargedBy(till: Till, charge: Charge, payment: string | undefined, work: () => Promise<string>): Promise<Charged> {
  try {
    return await till.charge(charge, payment, work);
  } catch (error) {
    // Its header would not come through as an error.
    if (error instanceof PaymentRequired) return { problem: error.details ?? error.message, required: error.required };
    throw error;
  }
}

/** Each command checks its own. */
const fieldsSchema = z.record(z.string(), z.unknown());

async function settingsOf(city: City, options: ServeOptions): Promise<Omit<FrontSettings, "port" | "stream" | "relayGas">> {
  const { publicUrl, origins = [], proxies = [], limits, version, campaigns, bundles, seatsUrl, pages } = options;
  const { chain, client, dir } = city;
  const { hash: genesis } = await chain.publicClient.getBlock({ blockNumber: 0n });
  return {
    ...{
      publicUrl,
      origins: [...origins],
      proxies: [...proxies],
      limits: { ...LIMITS, ...limits },
      version,
      dir,
      campaigns,
      bundles,
      seatsUrl,
    },
    hasPages: pages !== undefined,
    claimSources: ["urn", ...new Set((options.claimOrigins ?? []).map(({ origin }) => new URL(origin).protocol.slice(0, -1)))],
    hasToll: options.toll !== undefined,
    gasBudget: options.gasBudget,
    identities: options.identities,
    network: { name: chain.name, genesis, isEmbedded: chain.kind === "embedded", finality: finalityOf(city), rpcUrl: city.rpcUrl },
    addresses: client.addresses,
  };
}

/** The Logging Hub of a city that runs in this process. */
export function openCityHub(city: City, publish?: (news: HubNews) => void): Promise<Hub> {
  const { database, chain, log, blocks, client } = city;
  return openHub({
    ...(publish === undefined ? {} : { publish }),
    sql: database,
    chain: chainSource(chain.request),
    ...{ log, blocks, addresses: client.addresses },
    epochOf: async (_, session) => (await client.legislation.sessionOf(BigInt(session))).epoch,
    firstBlock: Number(chain.firstBlock),
    finality: finalityOf(city),
  });
}

/** A chain that a city drives block by block is never reorganized. */
const finalityOf = ({ chain }: City) => (chain.isLive ? LIVE_FINALITY : 0);

/** Milliseconds between two looks at breakers. */
const BREAKERS_LOOK = 15_000;

/** Tests evaluators, tells the front which breakers are open, and asks the chain again of payments whose fate is not known. */
function showingBreakers(world: CityWorld, canaries: Canaries, till: Till, order: (given: FrontOrder) => Promise<unknown>) {
  let last = Number.NEGATIVE_INFINITY;
  const show = async () => {
    const breakers = z.array(z.json()).parse(await shownBreakers(world));
    await order({ do: "show", breakers, canaries: await canaries.count(), stoppedMissions: world.posted?.stopped ?? 0 });
  };
  return {
    show,
    async step() {
      const now = world.millis();
      if (now - last < BREAKERS_LOOK) return;
      last = now;
      if ((await till.unknown()) > 0) await till.reconcile(() => {});
      await canaries.step();
      await show();
    },
  };
}

/** Every payload that may be read, to a node of the operator's own. */
function mirrorTo(rpc: string, { database: sql }: City, world: CityWorld): Mirror {
  const secrecyOf = (event: StreamEvent) => secrecyIn(world)(event);
  return new Mirror({ sql, hub: world.hub, name: rpc, put: kuboBlocks(rpc), secrecyOf });
}

const DAY = 86_400_000;

/** Lets go of what is old, once a day. */
function retentionOf(hub: Hub, months: number, millis: () => number): Follower {
  let last = Number.NEGATIVE_INFINITY;
  return {
    async step() {
      const now = millis();
      if (now - last < DAY) return;
      await hub.retain(months, now);
      last = now;
    },
  };
}

/** What follows the hub, a step at a time. */
interface Follower {
  step(): Promise<unknown>;
}

/** Keeps the hub up to date, and its followers. A failure is reported once, and retried. */
async function look(
  hub: Hub,
  followers: readonly Follower[],
  progress: (line: string) => void,
  sleep: (millis: number) => Promise<void>,
  closing: AbortSignal,
): Promise<void> {
  const reported = new Map<unknown, string>();
  /** Says a problem once, until something went well. */
  const saying = (what: unknown, words: string) => (error: unknown) => {
    const problem = `${words}: ${messageOf(error)}`;
    if (problem !== reported.get(what)) progress(problem);
    reported.set(what, problem);
  };
  // One that is slow keeps nobody waiting but itself.
  const busy = new Map<Follower, Promise<unknown>>();
  while (!closing.aborted) {
    await hub.sync().then(() => reported.delete(hub), saying(hub, "the hub cannot go on"));
    for (const follower of followers) {
      if (busy.has(follower)) continue;
      const step = follower.step().then(() => reported.delete(follower), saying(follower, "what follows the hub cannot go on"));
      busy.set(
        follower,
        step.finally(() => busy.delete(follower)),
      );
    }
    await sleep(LOOK);
  }
  await Promise.all(busy.values());
}

/** The operator's own key is made on first use: it signs what the city says of itself, and holds no money. */
function provideOperator(dir: string): void {
  const path = join(dir, "operator.key");
  if (!existsSync(path)) writeFileSync(path, `${generatePrivateKey()}\n`, { mode: 0o600, flag: "wx" });
}
