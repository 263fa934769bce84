import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { recoverTypedDataAddress } from "viem";
import { z } from "zod";
import { isUnreachable } from "../chain/errors.ts";
import type { ContentStore } from "../execution/world.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { contentIdOf, parseContentId } from "../primitives/hash.ts";
import { type Address, hashSchema, hexSchema } from "../primitives/hex.ts";
import { type JsonValue, parseJson } from "../primitives/json.ts";
import { partyOf } from "../primitives/party.ts";
import { bodyShown } from "../protocol/call-records.ts";
import {
  buildSchema,
  type CityCard,
  type Join,
  joinSchema,
  MAX_BLOCK_BYTES,
  MAX_CALL_BYTES,
  type Petition,
  petitionSchema,
  requestShown,
  type ServiceOffer,
  type SubAgent,
  serviceOfferSchema,
  subAgentSchema,
} from "../protocol/calls.ts";
import { AnswerRefused, type Mailbox } from "./mailbox.ts";

/** Validity of a request's signature, milliseconds. */
const VALIDITY = 60_000;
/** Longest time that a request for calls is held open, milliseconds. */
const LONGEST_WAIT = 25_000;
/** Maximum number of requests held open at once, over all agents. */
const MAX_WAITING = 64;

export interface SeatServerOptions {
  readonly mailbox: Mailbox;
  readonly store: ContentStore;
  readonly card: Omit<CityCard, "now">;
  readonly millis: () => number;
  /** Relays a registration signed by both parties. `from`: the caller's party (`partyOf`). */
  readonly join: (request: Join, from: string) => Promise<void>;
  readonly joinUnder: (request: SubAgent, from: string) => Promise<void>;
  /** Relays a service registration signed by the service's owner. */
  readonly offer: (owner: Address, service: ServiceOffer, from: string) => Promise<void>;
  /** Submits a petition for an office to the adjudicators. */
  readonly petition: (request: Petition, from: string) => Promise<void>;
  /** Gives test tokens to a principal, on devnets only. */
  readonly faucet: (principal: Address) => Promise<void>;
  /** Logs a line for the operator. */
  readonly progress: (line: string) => void;
  readonly port?: number;
}

/** A request that is refused. */
class Refused extends AgentCityError {
  readonly status: 400 | 401 | 404 | 415 | 429 | 500 | 503;
  constructor(status: Refused["status"], code: string, message: string) {
    super(code, message);
    this.status = status;
  }
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;
const credentials = /^AgentCity (0x[0-9a-fA-F]{40}) (\d{13}) (0x[0-9a-f]{64}) (0x[0-9a-f]{130})$/;

/** Serves the mailbox over HTTP, on loopback. */
export async function serveSeats(options: SeatServerOptions): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { mailbox, store, card, millis } = options;
  const app = new Hono();
  const started = millis();
  /** Nonces of requests that are still valid; requests from before the start are too old to be accepted. */
  const used = new Map<string, number>();
  let waiting = 0;

  const sender = async (context: Context, body: Uint8Array): Promise<Address> => (await signed(context, body)).address;

  /** Authenticates a request. Throws Refused for a signature that is missing, expired, reused or not over this request. */
  async function signed(context: Context, body: Uint8Array) {
    const [, claimed, created, nonce, signature] = credentials.exec(context.req.header("authorization") ?? "") ?? [];
    if (claimed === undefined || created === undefined) throw new Refused(401, "Unsigned", "the request is not signed");
    const now = millis();
    const at = Number(created);
    if (at < started || Math.abs(now - at) > VALIDITY) throw new Refused(401, "Stale", "the signature's time is over, or not yet come");
    for (const [old, time] of used) if (now - time > 2 * VALIDITY) used.delete(old);
    if (used.has(`${nonce}`)) throw new Refused(401, "Replayed", "this request was made before");
    const url = new URL(context.req.url);
    const shown = {
      ...{ host: context.req.header("host") ?? "", target: `${url.pathname}${url.search}` },
      ...{ created: at, nonce: hashSchema.parse(nonce), signature: hexSchema.parse(signature) },
    };
    const address = await recoverTypedDataAddress(requestShown(card.chainId, context.req.method, shown, body)).catch(() => undefined);
    if (address?.toLowerCase() !== claimed.toLowerCase() || address === undefined)
      throw new Refused(401, "WrongSignature", "the signature does not match this request and key");
    used.set(`${nonce}`, at);
    return { address, shown };
  }

  /** The party charged for a request. There is no proxy in front, so forwarded addresses are not trusted. */
  const party = (context: Context) => partyOf(getConnInfo(context).remote.address ?? "unknown", undefined, []);
  const bytesOf = async (context: Context) => new Uint8Array(await context.req.arrayBuffer());
  const json = (bytes: Uint8Array): JsonValue => parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));

  app.use("*", async (context, next) => {
    if (!LOCAL.test(context.req.header("host") ?? "")) throw new Refused(401, "WrongHost", "this city listens on loopback only");
    await next();
  });
  app.use("/v1/blocks/*", bodyLimit({ maxSize: MAX_BLOCK_BYTES }));
  app.use("*", (context, next) =>
    context.req.path.startsWith("/v1/blocks/") ? next() : bodyLimit({ maxSize: MAX_CALL_BYTES })(context, next),
  );

  app.get("/v1/city", (context) => context.json({ ...card, now: Math.floor(millis()) } satisfies CityCard));
  const joining =
    <Request extends { readonly binding: { readonly agent: Address } }>(
      schema: z.ZodType<Request>,
      join: (request: Request, from: string) => Promise<void>,
    ) =>
    async (context: Context) => {
      const body = await bytesOf(context);
      const from = await sender(context, body);
      const request = schema.parse(json(body));
      if (request.binding.agent !== from) throw new Refused(401, "WrongSender", "an agent can only join for itself");
      await join(request, party(context));
      return context.json({ joined: true });
    };
  app.post("/v1/join", joining(joinSchema, options.join));
  app.post("/v1/sub-agents", joining(subAgentSchema, options.joinUnder));
  app.post("/v1/faucet", async (context) => {
    const body = await bytesOf(context);
    await sender(context, body);
    await options.faucet(z.strictObject({ principal: addressSchema }).parse(json(body)).principal);
    return context.json({ funded: true });
  });
  app.post("/v1/services", async (context) => {
    const body = await bytesOf(context);
    const from = await sender(context, body);
    await options.offer(from, serviceOfferSchema.parse(json(body)), party(context));
    return context.json({ offered: true });
  });
  app.post("/v1/petitions", async (context) => {
    const body = await bytesOf(context);
    const from = await sender(context, body);
    const request = petitionSchema.parse(json(body));
    if (request.petition.account !== from) throw new Refused(401, "WrongSender", "an account can only petition for itself");
    await options.petition(request, party(context));
    return context.json({ waits: true });
  });
  app.get("/v1/calls", async (context) => {
    const from = await sender(context, new Uint8Array());
    if (waiting >= MAX_WAITING) throw new Refused(429, "TooManyWait", "too many agents are waiting for calls");
    const wait = Math.min(
      LONGEST_WAIT,
      1_000 *
        z.coerce
          .number()
          .min(0)
          .max(60)
          .parse(context.req.query("wait") ?? "0"),
    );
    waiting += 1;
    try {
      const over = AbortSignal.any([AbortSignal.timeout(wait), context.req.raw.signal]);
      return context.json({ calls: await mailbox.callsTo(from, over, buildSchema.parse(context.req.query("build"))) });
    } finally {
      waiting -= 1;
    }
  });
  app.post("/v1/calls/:id", async (context) => {
    const body = await bytesOf(context);
    const { address: from, shown } = await signed(context, body);
    const answer = json(body);
    const kept = { by: "request", ...shown, ...bodyShown(body) } as const;
    return context.json(await mailbox.answer(from, hashSchema.parse(context.req.param("id")), answer, kept));
  });
  app.post("/v1/calls/:id/decline", async (context) => {
    const body = await bytesOf(context);
    const from = await sender(context, body);
    const { why } = z.strictObject({ why: z.string().max(4_096) }).parse(json(body));
    await mailbox.decline(from, hashSchema.parse(context.req.param("id")), why);
    return context.json({ declined: true });
  });
  app.get("/v1/blocks/:id", async (context) => {
    const id = context.req.param("id");
    // A block that the caller may not read is reported as unknown.
    if (!mailbox.mayRead(await sender(context, new Uint8Array()), id)) throw new Refused(404, "NoSuchBlock", "there is no such block");
    const bytes = await store.get(parseContentId(id)).catch((error: unknown) => {
      options.progress(`an agent elsewhere asked for block ${id}, which its work needs, and it could not be read: ${messageOf(error)}`);
      throw new Refused(500, "BlockDamaged", "the city cannot read this block, and its operator knows");
    });
    return context.body(new Uint8Array(bytes), 200, { "content-type": "application/octet-stream" });
  });
  app.put("/v1/blocks/:id", async (context) => {
    const body = await bytesOf(context);
    const from = await sender(context, body);
    if (!mailbox.mayWrite(from)) throw new Refused(401, "NothingAsked", "nothing is asked of this agent that has an output");
    const id = contentIdOf(body);
    if (id !== context.req.param("id")) throw new Refused(400, "WrongBytes", "the bytes have another id");
    await store.put(body);
    await mailbox.brought(from, id);
    return context.json({ kept: true });
  });
  app.notFound((context) => context.json({ code: "NotFound", message: "there is nothing here" }, 404));
  app.onError((error, context) => {
    const code = error instanceof AgentCityError ? error.code : error instanceof z.ZodError ? "Malformed" : "Refused";
    const status = error instanceof Refused ? error.status : code === "RelayQuota" ? 429 : isUnreachable(error) ? 503 : 400;
    const details = error instanceof AnswerRefused ? { details: error.details ?? null } : {};
    return context.json({ code, message: messageOf(error).slice(0, 1_000), ...details }, status);
  });

  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: options.port ?? 0 }, ({ port }: AddressInfo) => {
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise<void>((done) => {
            server.close(() => done());
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
    server.on("error", reject);
  });
}
