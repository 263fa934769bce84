import { readFileSync } from "node:fs";
import { maxHeaderSize, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import { serve } from "@hono/node-server";
import { z } from "zod";
import { didOf } from "../agreements/index.ts";
import { chainOver } from "../chain/rpc.ts";
import { NEWCOMER_STAKE } from "../city/missions/newcomer.ts";
import { MAX_OUTSIDERS } from "../city/missions/open-seats.ts";
import { createCityClient } from "../client/client.ts";
import { HubRows } from "../hub/store.ts";
import { HubView, hubNewsSchema } from "../hub/view.ts";
import { privateKeyToAccount } from "../primitives/accounts.ts";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { partyOf } from "../primitives/party.ts";
import { cityAddressesSchema } from "../protocol/addresses.ts";
import { CALLS } from "../protocol/calls.ts";
import { type Blocks, openBlocks } from "../records/blocks.ts";
import { headOf } from "../records/log.ts";
import { CARD_PATH } from "./a2a.ts";
import { Bearers } from "./bearers.ts";
import { type FrontWorld, isCharged } from "./command.ts";
import type { CityDocument } from "./commands/city.ts";
import { COMMANDS } from "./commands/table.ts";
import { answerTo, Refused } from "./errors.ts";
import { BundleExports } from "./exports.ts";
import { gatewayApp, type Shown } from "./http.ts";
import { Laws } from "./laws.ts";
import { type GatewayLimits, limitsSchema } from "./limits.ts";
import { openLine } from "./line.ts";
import { type CityLink, cityOver, orderSchema } from "./link.ts";
import { MissionMemory } from "./mission-memory.ts";
import { openNonces } from "./nonces.ts";
import { MCP_PATH, STREAM_PATH } from "./openapi.ts";
import { Places } from "./parties.ts";
import { PhaseTimes } from "./phase-times.ts";
import { Rounds } from "./rounds.ts";
import { sealFor, webKeyOf } from "./seals.ts";

/** Settings of a gateway's front, which may run in another thread. */
const frontSettingsSchema = z.strictObject({
  /** 0: any free port of loopback. */
  port: z.int(),
  publicUrl: z.string().optional(),
  origins: z.array(z.string()),
  proxies: z.array(z.string()),
  limits: limitsSchema,
  /** Gas budget for strangers' transactions in 24 hours. */
  relayGas: z.int().positive(),
  version: z.string(),
  dir: z.string(),
  campaigns: z.strictObject({ published: z.string(), own: z.string() }).optional(),
  bundles: z.string().optional(),
  seatsUrl: z.string().optional(),
  gasBudget: z.int().positive().optional(),
  /** An ERC-8004 identity registry of the city's chain. */
  identities: addressSchema.optional(),
  /** Whether the city has the console's files. */
  hasPages: z.boolean(),
  /** URI schemes of sources that claims are checked against. */
  claimSources: z.array(z.string()),
  /** Whether paid commands require a payment. */
  hasToll: z.boolean(),
  network: z.strictObject({ name: z.string(), genesis: hashSchema, isEmbedded: z.boolean(), finality: z.int(), rpcUrl: z.string() }),
  addresses: cityAddressesSchema,
  /** State of the hub's stream. */
  stream: hubNewsSchema,
});
export type FrontSettings = z.input<typeof frontSettingsSchema>;

/** The machine's clock. */
export interface Wall {
  readonly millis: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

/** Interval of checking timeouts, milliseconds. */
const TIMEOUTS_LOOKED_AT = 2_000;
/** How long idle connections stay open, ms: longer than a busy process stalls, or a client finds its connection closed. */
const KEPT_ALIVE = 30_000;

/** Surplus connections that get an error response: per address, and in all. Others are closed silently. */
const REFUSED_EACH = 64;
const REFUSED = 256;

/** Why Node's parser gave a request up. */
function refusedByParser(error: Error, { headersWithin, requestWithin }: GatewayLimits): Refused {
  switch ("code" in error ? error.code : undefined) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refused("RequestTooSlow", `Headers must arrive within ${headersWithin} s, a request within ${requestWithin} s`);
    case "HPE_HEADER_OVERFLOW":
      return new Refused("HeadersTooLarge", `Path and headers may have at most ${maxHeaderSize} bytes`);
    default:
      return new Refused("BadRequest", "This is not HTTP/1.1");
  }
}

/** The response to a client that does not speak HTTP, is too slow, or says too much before its body. */
function outsideHttp(error: Error, limits: GatewayLimits): string {
  const { status, body } = answerTo(refusedByParser(error, limits));
  const text = canonicalJson(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${text.length}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}

/**
 * The gateway's front: everything between a client's socket and the city. It authenticates and validates requests, reads chain and stream
 * itself, and forwards to the city what only the city can do. It may run in any thread; it opens and closes on the city's command.
 */
export function startFront(port: MessagePort, given: FrontSettings, wall: Wall): void {
  const settings = frontSettingsSchema.parse(given);
  const line = openLine(port, async (question) => {
    const order = orderSchema.parse(question);
    if (order.do === "advance") return hub.advance(order.news);
    if (order.do === "close") return front?.close();
    if (order.do === "show") {
      shown = { breakers: order.breakers, canaries: order.canaries, stoppedMissions: order.stoppedMissions };
      return undefined;
    }
    front = await openFront({ settings, city, hub, blocks, wall, shown: () => shown });
    return front.url;
  });
  let shown: Shown = { breakers: [], canaries: { asked: 0, passed: 0, failed: 0 }, stoppedMissions: 0 };
  const city = cityOver(line);
  const blocks = openBlocks(join(settings.dir, "blocks"));
  const { network, addresses } = settings;
  const hub = new HubView({
    ...{ rows: new HubRows(city.rows), blocks, finality: network.finality, legislature: addresses.LegislativeProcedure },
  });
  // Steps that arrive while it opens are applied on top.
  hub.begin(settings.stream);
  let front: Awaited<ReturnType<typeof openFront>> | undefined;
  // Without a city it says nothing more.
  void line.closed.then(() => front?.close());
}

interface FrontParts {
  readonly settings: z.output<typeof frontSettingsSchema>;
  readonly city: CityLink;
  readonly hub: HubView;
  readonly blocks: Blocks;
  readonly wall: Wall;
  readonly shown: () => Shown;
}

async function openFront({ settings, city, hub, blocks, wall, shown }: FrontParts) {
  const { addresses, limits, dir, publicUrl } = settings;
  const { millis } = wall;
  const chain = await chainOver(city.request, { wall, gathers: true });
  const bearers = new Bearers();
  const closing = new AbortController();
  let url = "";
  let about: Promise<CityDocument> | undefined;
  const client = createCityClient({ chain, addresses });
  const world: FrontWorld = {
    ...{ client, hub, blocks, dir, millis },
    laws: new Laws({ client, hub, blocks }),
    missions: new MissionMemory({ client, hub }),
    phases: new PhaseTimes({ hub }),
    recordsHead: () => headOf(city.rows),
    campaigns: settings.campaigns,
    bundles: settings.bundles,
    exports: new BundleExports(),
    gasBudget: settings.gasBudget,
    identities: settings.identities,
    about: () => {
      about ??= aboutCity(settings, chain.id, publicUrl ?? url);
      return about;
    },
    openSession: (key) => bearers.open(key, Math.floor(millis() / 1_000)),
  };
  const rounds = new Rounds();
  const app = gatewayApp({
    ...{ world, city, commands: COMMANDS, limits, version: settings.version, millis, bearers, rounds },
    hosts: ["127.0.0.1", "localhost", "[::1]", ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])],
    origins: settings.origins,
    proxies: settings.proxies,
    url: () => publicUrl ?? url,
    cardSeal: sealFor("card", operatorSecretIn(dir)),
    claimSources: settings.claimSources,
    identitySchemes: ["w3c_did", ...(settings.identities === undefined ? [] : ["erc8004"])],
    nonces: openNonces(city.rows),
    hasPages: settings.hasPages,
    hasToll: settings.hasToll,
    shown,
    closing: closing.signal,
  });
  const refused = new WeakSet<object>();
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const serverOptions = { connectionsCheckingInterval: TIMEOUTS_LOOKED_AT };
    const fetch = (request: Request, env: Parameters<Parameters<typeof serve>[0]["fetch"]>[1]) =>
      refused.has(env.incoming.socket) ? tooMany() : app.fetch(request, env);
    const listening = serve({ fetch, hostname: "127.0.0.1", port: settings.port, serverOptions }, ({ port }: AddressInfo) => {
      url = `http://127.0.0.1:${port}`;
      resolve(listening);
    });
    listening.on("error", reject);
  });
  if ("maxConnections" in server) server.maxConnections = limits.connections + REFUSED;
  if ("headersTimeout" in server) {
    server.headersTimeout = 1_000 * limits.headersWithin;
    server.requestTimeout = 1_000 * limits.requestWithin;
    server.keepAliveTimeout = KEPT_ALIVE;
  }
  const places = new Places(limits.connections, limits.connectionsEach);
  const refusals = new Places(REFUSED, REFUSED_EACH);
  server.on("connection", (socket: Socket) => {
    rounds.accepted();
    const address = partyOf(socket.remoteAddress ?? "", undefined, []);
    // Through a proxy all clients share its address.
    if (settings.proxies.includes(address)) return;
    const own = places.take(address);
    const leave = own ?? refusals.take(address);
    if (leave === undefined) return void socket.destroy();
    if (own === undefined) refused.add(socket);
    socket.once("close", leave);
  });
  server.on("clientError", (error: Error, socket: Duplex) => {
    if (socket.writable) socket.end(outsideHttp(error, limits));
  });
  return {
    url,
    async close() {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
    },
  };
}

/** For requests on a connection beyond the address's limit. */
function tooMany(): Response {
  const action = "use an open connection, or retry in a second";
  const refusal = new Refused("TooManyConnections", "This address has reached its limit of connections", { action, retryAfter: 1 });
  const { status, body } = answerTo(refusal);
  const headers = { "content-type": "application/json", "retry-after": "1", connection: "close" };
  return new Response(canonicalJson(body), { status, headers });
}

/** The operator's secret key. */
export function operatorSecretIn(dir: string) {
  return hexSchema.parse(readFileSync(join(dir, "operator.key"), "utf8").trim());
}

/** The operator's key, which signs the city's own statements. */
export function operatorIn(dir: string) {
  return privateKeyToAccount(operatorSecretIn(dir));
}

async function aboutCity(
  { version, network, addresses, seatsUrl, limits, relayGas, dir, hasToll }: z.output<typeof frontSettingsSchema>,
  chainId: number,
  publicUrl: string,
): Promise<CityDocument> {
  const operator = operatorIn(dir);
  const document: CityDocument["document"] = {
    city: 1,
    software: version,
    chainId,
    genesisHash: network.genesis,
    addresses,
    network: network.name,
    publicUrl,
    faces: {
      http: `${publicUrl}/v1`,
      openapi: `${publicUrl}/openapi.json`,
      reference: `${publicUrl}/docs`,
      events: `${publicUrl}${STREAM_PATH}`,
      mcp: `${publicUrl}${MCP_PATH}`,
      a2a: `${publicUrl}${CARD_PATH}`,
      /** The chain's RPC URL, for wallets on this machine. */
      rpc: network.rpcUrl,
      ...(seatsUrl === undefined ? {} : { seats: seatsUrl }),
    },
    limits: { ...limits, relayGas },
    admission: { isOpen: seatsUrl !== undefined, stake: String(NEWCOMER_STAKE), most: MAX_OUTSIDERS },
    calls: Object.keys(CALLS),
    paid: COMMANDS.filter((each) => isCharged(each, hasToll)).map(({ name }) => name),
    operator: operator.address,
    cardKey: webKeyOf(sealFor("card", operatorSecretIn(dir))),
    verifier: didOf(sealFor("claims", operatorSecretIn(dir)).publicKey),
    operatorSees: [
      "every record and input of its missions, and unsealed work before it is revealed",
      "who requests what, from which address",
    ],
    operatorCan: [
      ...(network.isEmbedded ? ["rewrite the chain, which lives in this process"] : []),
      "refuse or delay requests, and leave records out",
      "sign with the keys of every member in this process",
    ],
    operatorCannot: ["sign for keys held elsewhere", "change an event undetected by someone who has its hash"],
  };
  return { document, signature: await operator.signMessage({ message: canonicalJson(document) }) };
}
