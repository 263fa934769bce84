import { readFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import { serve } from "@hono/node-server";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { chainOver } from "../chain/rpc.ts";
import { createCityClient } from "../client/client.ts";
import { HubRows } from "../hub/store.ts";
import { HubView, hubNewsSchema } from "../hub/view.ts";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { cityAddressesSchema } from "../protocol/addresses.ts";
import { type Blocks, openBlocks } from "../records/blocks.ts";
import { headOf } from "../records/log.ts";
import { CARD_PATH } from "./a2a.ts";
import { Bearers } from "./bearers.ts";
import type { FrontWorld } from "./command.ts";
import type { CityDocument } from "./commands/city.ts";
import { COMMANDS } from "./commands/table.ts";
import { answerTo, Refused } from "./errors.ts";
import { gatewayApp } from "./http.ts";
import { limitsSchema } from "./limits.ts";
import { openLine } from "./line.ts";
import { type CityLink, cityOver, orderSchema } from "./link.ts";
import { MissionMemory } from "./mission-memory.ts";
import { openNonces } from "./nonces.ts";
import { MCP_PATH, STREAM_PATH } from "./openapi.ts";
import { Places, partyOf } from "./parties.ts";

/** What the front of a gateway has to know, as it crosses into another thread. */
export const frontSettingsSchema = z.strictObject({
  /** 0: any free port of loopback. */
  port: z.int(),
  publicUrl: z.string().optional(),
  origins: z.array(z.string()),
  proxies: z.array(z.string()),
  limits: limitsSchema,
  /** Gas that strangers may cost the city in 24 hours. */
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
  /** Paid commands are paid for. */
  hasToll: z.boolean(),
  network: z.strictObject({ name: z.string(), genesis: hashSchema, isEmbedded: z.boolean(), finality: z.int(), rpcUrl: z.string() }),
  addresses: cityAddressesSchema,
  /** Where the hub's stream stands. */
  stream: hubNewsSchema,
});
export type FrontSettings = z.input<typeof frontSettingsSchema>;

/** The machine's clock. */
export interface Wall {
  readonly millis: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

/** Milliseconds that a client may take for its headers, and for a whole request; and how often that is looked at. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 20_000;
const TIMEOUTS_LOOKED_AT = 2_000;

/** The answer to a caller that does not speak HTTP. */
const MALFORMED = (() => {
  const body = canonicalJson(answerTo(new Refused("BadRequest", "This is not HTTP/1.1")).body);
  const head = ["HTTP/1.1 400 Bad Request", "content-type: application/json", `content-length: ${body.length}`, "connection: close"];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
})();

/**
 * The gateway's front: all that lies between a client's socket and the city. It checks who asks and what, reads chain and stream by itself,
 * and hands on over its port what only the city can do. It may run in any thread; it opens and closes when the city says so.
 */
export function startFront(port: MessagePort, given: FrontSettings, wall: Wall): void {
  const settings = frontSettingsSchema.parse(given);
  const line = openLine(port, async (question) => {
    const order = orderSchema.parse(question);
    if (order.do === "advance") return hub.advance(order.news);
    if (order.do === "close") return front?.close();
    front = await openFront({ settings, city, hub, blocks, wall });
    return front.url;
  });
  const city = cityOver(line);
  const blocks = openBlocks(join(settings.dir, "blocks"));
  const { network, addresses } = settings;
  const hub = new HubView({
    ...{ rows: new HubRows(city.rows), blocks, finality: network.finality, legislature: addresses.LegislativeProcedure },
  });
  // Steps that arrive while it opens come on top.
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
}

async function openFront({ settings, city, hub, blocks, wall }: FrontParts) {
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
    missions: new MissionMemory({ client, hub }),
    recordsHead: () => headOf(city.rows),
    campaigns: settings.campaigns,
    bundles: settings.bundles,
    gasBudget: settings.gasBudget,
    identities: settings.identities,
    about: () => {
      about ??= aboutCity(settings, chain.id, publicUrl ?? url);
      return about;
    },
    openSession: (key) => bearers.open(key, Math.floor(millis() / 1_000)),
  };
  const app = gatewayApp({
    ...{ world, city, commands: COMMANDS, limits, version: settings.version, millis, bearers },
    hosts: ["127.0.0.1", "localhost", "[::1]", ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])],
    origins: settings.origins,
    proxies: settings.proxies,
    url: () => publicUrl ?? url,
    nonces: openNonces(city.rows),
    hasPages: settings.hasPages,
    hasToll: settings.hasToll,
    closing: closing.signal,
  });
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const serverOptions = { connectionsCheckingInterval: TIMEOUTS_LOOKED_AT };
    const listening = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: settings.port, serverOptions }, ({ port }: AddressInfo) => {
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
  const places = new Places(limits.connections, limits.connectionsEach);
  server.on("connection", (socket: Socket) => {
    const address = partyOf(socket.remoteAddress ?? "", undefined, []);
    // All strangers come through a proxy's.
    if (settings.proxies.includes(address)) return;
    const leave = places.take(address);
    if (leave === undefined) socket.destroy();
    else socket.once("close", leave);
  });
  server.on("clientError", (_: Error, socket: Duplex) => {
    if (socket.writable) socket.end(MALFORMED);
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

/** The operator's key, which signs what the city says of itself. */
export function operatorIn(dir: string) {
  return privateKeyToAccount(hexSchema.parse(readFileSync(join(dir, "operator.key"), "utf8").trim()));
}

async function aboutCity(
  { version, network, addresses, seatsUrl, limits, relayGas, dir }: z.output<typeof frontSettingsSchema>,
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
      /** The chain, for whoever is on this machine: a wallet that is to sign for it has to show it. */
      rpc: network.rpcUrl,
      ...(seatsUrl === undefined ? {} : { seats: seatsUrl }),
    },
    limits: { ...limits, relayGas },
    operator: operator.address,
    operatorSees: ["every record, input and output of its missions, before they are revealed", "who asks what, from which address"],
    operatorCan: [
      ...(network.isEmbedded ? ["rewrite the chain: it lives in this process"] : []),
      "refuse or delay requests, and leave records out",
      "sign with the keys of every member that lives in this process",
    ],
    operatorCannot: ["sign for keys that live elsewhere", "change an event that somebody else has a hash of, unseen"],
  };
  return { document, signature: await operator.signMessage({ message: canonicalJson(document) }) };
}
