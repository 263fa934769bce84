import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { serve } from "@hono/node-server";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { findLivingCity, writeCityFile } from "../chain/city-file.ts";
import type { City } from "../city/city.ts";
import type { SeatDesk } from "../city/open-seats.ts";
import type { PostedMissions } from "../city/posted-missions.ts";
import { chainSource } from "../hub/chain-source.ts";
import { type Hub, openHub, type StreamEvent } from "../hub/hub.ts";
import { kuboBlocks, Mirror } from "../hub/mirror.ts";
import { messageOf } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { CARD_PATH } from "./a2a.ts";
import { Bearers } from "./bearers.ts";
import type { CampaignFolders } from "./campaigns.ts";
import type { World } from "./command.ts";
import type { CityDocument } from "./commands/city.ts";
import { withholding } from "./commands/events.ts";
import { COMMANDS } from "./commands/table.ts";
import { answerTo, Refused } from "./errors.ts";
import { gatewayApp, type Pages } from "./http.ts";
import { type GatewayLimits, LIMITS } from "./limits.ts";
import { openNonces } from "./nonces.ts";
import { MCP_PATH, STREAM_PATH } from "./openapi.ts";
import { guardedPush, type Push } from "./push.ts";
import { openQuotas } from "./quotas.ts";
import { SeatDoor } from "./seat-door.ts";
import { Webhooks } from "./webhooks.ts";

export interface ServeOptions {
  /** 0: any free port of loopback. */
  readonly port: number;
  /** By what others reach it, if a proxy stands before it; its host is then a name of this gateway too. */
  readonly publicUrl?: string | undefined;
  readonly origins?: readonly string[];
  readonly limits?: Partial<GatewayLimits>;
  /** Seats of agents elsewhere, if they are open: their questions come through here. */
  readonly seats?: SeatDesk | undefined;
  /** Missions of sponsors elsewhere, if they are taken. */
  readonly posted?: PostedMissions | undefined;
  /** Where agents of the package find the same seats. */
  readonly seatsUrl?: string | undefined;
  /** The console, if it is built. */
  readonly pages?: Pages | undefined;
  /** Where campaigns of the economy lie, to be shown. */
  readonly campaigns?: CampaignFolders | undefined;
  /** The folder of finished missions' bundles, to be handed out. */
  readonly bundles?: string | undefined;
  /** A node's RPC (Kubo) that keeps every payload that may be read. Default: none. */
  readonly ipfs?: string | undefined;
  /** Months, 24 at least, after which payloads that the hub holds itself are let go of. Default: never. */
  readonly retainMonths?: number | undefined;
  /** How endpoints of adjudicators are reached. Default: public addresses by https only. */
  readonly push?: Push | undefined;
  readonly version: string;
  readonly millis: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

export interface Gateway {
  readonly url: string;
  readonly hub: Hub;
  readonly world: World;
  close(): Promise<void>;
}

/** Blocks after which a live network is not expected to replace one. */
const LIVE_FINALITY = 64;
/** Milliseconds between two looks at chain and log. */
const LOOK = 250;
/** Milliseconds that a client may take for its headers, and for a whole request. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 20_000;

/** The answer to a caller that does not speak HTTP. */
const MALFORMED = (() => {
  const body = canonicalJson(answerTo(new Refused("BadRequest", "This is not HTTP/1.1")).body);
  const head = ["HTTP/1.1 400 Bad Request", "content-type: application/json", `content-length: ${body.length}`, "connection: close"];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
})();

/** Opens a city's hub and serves its gateway on loopback until it is closed. */
export async function serveGateway(city: City, options: ServeOptions): Promise<Gateway> {
  const { millis, sleep, version } = options;
  const limits = { ...LIMITS, ...options.limits };
  const hub = await openCityHub(city);
  await hub.sync();
  const bearers = new Bearers();
  const closing = new AbortController();
  let url = "";
  const webhooks = new Webhooks({
    ...{ sql: city.database, hub, millis, operator: operatorOf(city.dir), chainId: city.chain.id },
    isSeated: (key) => city.client.roster.isActive(key),
    push: options.push ?? guardedPush(),
  });
  const world: World = {
    client: city.client,
    hub,
    blocks: city.blocks,
    dir: city.dir,
    campaigns: options.campaigns,
    bundles: options.bundles,
    about: () => aboutCity(city, options.publicUrl ?? url, options.seatsUrl, limits, version),
    openSession: (key) => bearers.open(key, Math.floor(millis() / 1_000)),
    webhooks,
    millis,
    posted: options.posted,
    seats:
      options.seats === undefined
        ? undefined
        : new SeatDoor(options.seats, { quotas: openQuotas(city.database), hasBlock: city.blocks.has, closing: closing.signal }),
  };
  const publicHost = options.publicUrl === undefined ? [] : [new URL(options.publicUrl).hostname];
  const app = gatewayApp({
    ...{ world, commands: COMMANDS, limits, version, millis, bearers },
    hosts: ["127.0.0.1", "localhost", "[::1]", ...publicHost],
    origins: options.origins ?? [],
    url: () => options.publicUrl ?? url,
    nonces: openNonces(city.database),
    tell: city.tell,
    pages: options.pages,
    closing: closing.signal,
  });
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const listening = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: options.port }, ({ port }: AddressInfo) => {
      url = `http://127.0.0.1:${port}`;
      resolve(listening);
    });
    listening.on("error", reject);
  });
  if ("maxConnections" in server) server.maxConnections = limits.connections;
  if ("headersTimeout" in server) {
    server.headersTimeout = HEADERS_TIMEOUT;
    server.requestTimeout = REQUEST_TIMEOUT;
  }
  server.on("clientError", (_: Error, socket: Duplex) => {
    if (socket.writable) socket.end(MALFORMED);
  });
  // Other processes of this machine find the gateway where they find the chain.
  const announced = findLivingCity(city.dir);
  if (announced !== undefined) writeCityFile(city.dir, { ...announced, apiUrl: url });
  const mirror = options.ipfs === undefined ? undefined : mirrorTo(options.ipfs, city, world);
  const { retainMonths } = options;
  const retention = retainMonths === undefined ? undefined : retentionOf(hub, retainMonths, millis);
  const followers = [webhooks, mirror, retention, options.posted].filter((each) => each !== undefined);
  const looking = look(hub, followers, city.tell, sleep, closing.signal);
  return {
    url,
    hub,
    world,
    async close() {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
      await looking;
    },
  };
}

/** The Logging Hub of a city that runs in this process. */
export function openCityHub({ database, chain, log, blocks, client }: City): Promise<Hub> {
  return openHub({
    sql: database,
    chain: chainSource(chain.request),
    ...{ log, blocks, addresses: client.addresses },
    epochOf: async (_, session) => (await client.legislation.sessionOf(BigInt(session))).epoch,
    firstBlock: Number(chain.firstBlock),
    // A chain that this city drives block by block is never reorganized.
    finality: chain.isLive ? LIVE_FINALITY : 0,
  });
}

/** Every payload that may be read, to a node of the operator's own. */
function mirrorTo(rpc: string, { database: sql }: City, world: World): Mirror {
  const isWithheld = (event: StreamEvent) => withholding(world)(event);
  return new Mirror({ sql, hub: world.hub, name: rpc, put: kuboBlocks(rpc), isWithheld });
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
  tell: (line: string) => void,
  sleep: (millis: number) => Promise<void>,
  closing: AbortSignal,
): Promise<void> {
  const reported = new Map<unknown, string>();
  /** Says a problem once, until something went well. */
  const saying = (what: unknown, words: string) => (error: unknown) => {
    const problem = `${words}: ${messageOf(error)}`;
    if (problem !== reported.get(what)) tell(problem);
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

/** The operator's own key, made on first use: it signs what the city says of itself, and holds no money. */
function operatorOf(dir: string) {
  const path = join(dir, "operator.key");
  if (!existsSync(path)) writeFileSync(path, `${generatePrivateKey()}\n`, { mode: 0o600, flag: "wx" });
  return privateKeyToAccount(hexSchema.parse(readFileSync(path, "utf8").trim()));
}

async function aboutCity(
  city: City,
  publicUrl: string,
  seatsUrl: string | undefined,
  limits: GatewayLimits,
  software: string,
): Promise<CityDocument> {
  const operator = operatorOf(city.dir);
  const { hash } = await city.chain.publicClient.getBlock({ blockNumber: 0n });
  const document: CityDocument["document"] = {
    city: 1,
    software,
    chainId: city.chain.id,
    genesisHash: hash,
    addresses: { ...city.client.addresses },
    network: city.chain.name,
    publicUrl,
    faces: {
      http: `${publicUrl}/v1`,
      openapi: `${publicUrl}/openapi.json`,
      reference: `${publicUrl}/docs`,
      events: `${publicUrl}${STREAM_PATH}`,
      mcp: `${publicUrl}${MCP_PATH}`,
      a2a: `${publicUrl}${CARD_PATH}`,
      ...(seatsUrl === undefined ? {} : { seats: seatsUrl }),
    },
    limits: { ...limits },
    operator: operator.address,
    operatorSees: ["every record, input and output of its missions, before they are revealed", "who asks what, from which address"],
    operatorCan: [
      ...(city.chain.kind === "embedded" ? ["rewrite the chain: it lives in this process"] : []),
      "refuse or delay requests, and leave records out",
      "sign with the keys of every member that lives in this process",
    ],
    operatorCannot: ["sign for keys that live elsewhere", "change an event that somebody else has a hash of, unseen"],
  };
  return { document, signature: await operator.signMessage({ message: canonicalJson(document) }) };
}
