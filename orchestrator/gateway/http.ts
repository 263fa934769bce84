import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "hono";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { contractsOf } from "../chain/contract-signature.ts";
import type { StreamEvent } from "../hub/view.ts";
import { Admission } from "../primitives/admission.ts";
import { messageOf } from "../primitives/errors.ts";
import { canonicalBytes, canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import { partyOf } from "../primitives/party.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import { bodyShown } from "../protocol/call-records.ts";
import { A2A_PATH, A2A_VERSION, answerA2a, CARD_PATH, cardOf, EXTENSIONS_HEADER, KEYS_PATH } from "./a2a.ts";
import { Arrivals, type Arriving, busy } from "./arrivals.ts";
import type { Bearers } from "./bearers.ts";
import { addBlockRoutes, BLOCK_PATH } from "./block-routes.ts";
import type { CanaryCount } from "./canaries.ts";
import { type Caller, type Command, type FrontWorld, isCharged } from "./command.ts";
import { filterOf, redactEvent } from "./commands/events.ts";
import { type Conditions, conditionsIn, isKnown, requireMatch, tagOf } from "./conditions.ts";
import { answerTo, outsideSchema, Refused } from "./errors.ts";
import { activatedIn, extensionsOf } from "./extensions.ts";
import { isSigned, type SignedBy, signerOfRequest } from "./http-signature.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { type Answered, KeyedAnswers, keyIn } from "./keyed-answers.ts";
import { Allowances, type GatewayLimits } from "./limits.ts";
import type { CityLink } from "./link.ts";
import { mcpHandler, type Proof } from "./mcp.ts";
import type { Nonces } from "./nonces.ts";
import { jsonSchemaOf, MCP_PATH, openApiOf, pathFields, STREAM_PATH, streamInput } from "./openapi.ts";
import { Places } from "./parties.ts";
import { withholding } from "./reading.ts";
import { referencePage } from "./reference.ts";
import { REGISTRATION_PATH, registrationOf } from "./registration.ts";
import type { Rounds } from "./rounds.ts";
import { signedCard, webKeyOf } from "./seals.ts";
import type { ArrivedRequest } from "./signature-base.ts";
import { signerOfTool, type ToolSignature } from "./tool-signature.ts";
import { PAYMENT_HEADERS, PaymentRequired } from "./x402.ts";

export interface GatewayOptions {
  readonly world: FrontWorld;
  readonly city: CityLink;
  readonly commands: readonly Command[];
  readonly limits: GatewayLimits;
  /** Host names of this gateway, without ports; any other is a DNS rebinding attempt. */
  readonly hosts: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly proxies: readonly string[];
  /** Origins whose pages may read answers. */
  readonly origins: readonly string[];
  readonly url: () => string;
  readonly version: string;
  /** Signs the city's card. */
  readonly cardSeal: ByteSigner;
  /** URI schemes of sources that claims are checked against. */
  readonly claimSources: readonly string[];
  /** Schemes by which agreements may name a party. */
  readonly identitySchemes: readonly string[];
  readonly nonces: Nonces;
  readonly bearers: Bearers;
  /** The machine's clock, milliseconds, for signatures. */
  readonly millis: () => number;
  /** Schedules answers. */
  readonly rounds: Pick<Rounds, "turn">;
  /** Aborted to end all streams. */
  readonly closing: AbortSignal;
  /** Whether the city has the console's files. */
  readonly hasPages: boolean;
  /** Whether paid commands require a payment. */
  readonly hasToll: boolean;
  /** The city's latest report on its agreements. */
  readonly shown: () => Shown;
}

/** Open breakers of agreements, and evaluators' canary results. */
export interface Shown {
  readonly breakers: readonly JsonValue[];
  readonly canaries: CanaryCount;
  /** Posted missions that the city cannot go on with. */
  readonly stoppedMissions: number;
}

/** A file of the console with its response headers. */
export interface Page {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}
/** The console's files by path; deep links get the page. */
export type Pages = (path: string) => Page | undefined;

const [OPENAPI_PATH, DOCS_PATH, HEALTH_PATH] = ["/openapi.json", "/docs", "/health"];
/** Paths of the gateway itself, which console files never shadow. */
const OWN_PATHS = ["/v1", MCP_PATH, A2A_PATH, OPENAPI_PATH, DOCS_PATH, HEALTH_PATH, "/.well-known"];

/** Interval of keep-alives on a silent stream, milliseconds. */
const PING = 5_000;
const MAX_DEPTH = 64;
/** Streams with a text filter: maximum in all, and per address. */
const MAX_SEARCHING = 16;
const MAX_SEARCHING_EACH = 2;
/** Cost of an MCP or A2A message; a tool call adds its command's cost. */
const MESSAGE_COST = 1;
/** Cost of a document about all commands, which has several hundred kilobytes. */
const DOCUMENT_COST = 5;

/** The client's socket, as provided by the adapter. */
const socketSchema = z.object({ incoming: z.object({ socket: z.object({ remoteAddress: z.string().optional() }) }) });

/** The gateway's HTTP interface, generated from the table of commands. */
export function gatewayApp(options: GatewayOptions): Hono {
  const { world, city, commands, limits, hosts, origins, proxies, millis, bearers, nonces } = options;
  const app = new Hono();
  const allowances = new Allowances(limits);
  const admission = new Admission(limits.atOnce, limits.waiting, () => busy("The gateway is at capacity"));
  const streams = new Places(limits.connections, limits.streams);
  const searching = new Places(MAX_SEARCHING, MAX_SEARCHING_EACH);
  const bodies = new Arrivals(limits.largeBodies, limits.largeBodiesEach, millis);
  const kept = new KeptAnswers(() => {
    const { block, sequence } = world.hub.cursor();
    return `${block}/${sequence}`;
  });
  const keyed = new KeyedAnswers(city.rows);
  const chainId = world.client.chain.id;

  const party = (context: Context) => partyOf(socketOf(context), context.req.header("x-forwarded-for"), proxies);
  const spend = (context: Context, cost: number) => allowances.spend(party(context), cost, millis());
  function spendOfKey(whose: string, { costOfKey = 0 }: Command, { key }: Who): void {
    if (key !== undefined && costOfKey > 0) allowances.spend(whose, costOfKey, millis());
  }

  app.onError((error, context) => refuse(context, error));
  app.notFound((context) => {
    const { method, path } = context.req;
    const allowed = methodsAt(commands, path);
    if (allowed.length === 0)
      return refuse(context, new Refused("NoSuchCommand", "There is nothing at this path", { action: "GET /docs lists every path" }));
    const details = allowed.join(", ");
    context.header("allow", details);
    return refuse(context, new Refused("WrongMethod", `This path does not support ${method.slice(0, 10)}`, { details }));
  });
  const secured = secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"] },
    referrerPolicy: "no-referrer",
    xFrameOptions: "DENY",
    strictTransportSecurity: false,
  });
  /** Other paths may be the console's, whose files have their own headers. */
  const mayBePage = ({ req: { path, method } }: Context) =>
    options.hasPages && (method === "GET" || method === "HEAD") && !OWN_PATHS.some((own) => path === own || path.startsWith(`${own}/`));
  app.use((context, next) => (mayBePage(context) ? next() : secured(context, next)));
  app.use(async (context, next) => {
    const names = [(context.req.header("host") ?? "").replace(/:\d+$/, ""), new URL(context.req.url).hostname];
    const foreign = names.find((name) => !hosts.includes(name.toLowerCase()));
    if (foreign !== undefined) throw new Refused("HostUnknown", "Unknown host name", { details: foreign.slice(0, 80) });
    await next();
  });
  if (origins.length > 0)
    app.use(cors({ origin: [...origins], allowMethods: ["GET", "POST", "PUT"], exposeHeaders: ["etag", "retry-after"], maxAge: 600 }));

  app.use(async (context, next) => {
    if (!mayBePage(context)) return next();
    spend(context, 1);
    const found = await city.page(context.req.path);
    if (found === undefined) return secured(context, next);
    return context.newResponse(new Uint8Array(found.body), 200, { ...found.headers });
  });

  function refuse(context: Context, error: unknown): Response {
    const { status, body, isOurs } = answerTo(error);
    if (error instanceof PaymentRequired) context.header(PAYMENT_HEADERS.required, error.required);
    if (error instanceof Refused && error.retryAfter !== undefined) context.header("retry-after", String(error.retryAfter));
    if (!isOurs) city.progress(`the gateway failed at ${context.req.method} ${context.req.path}: ${messageOf(error)}`);
    return json(context, body, status);
  }

  const now = () => Math.floor(millis() / 1_000);
  const isSignedByContract = contractsOf(world.client.chain.publicClient);

  /** Authenticates the caller. */
  async function callerOf(context: Context, body: Uint8Array, access: Command["access"]): Promise<Who> {
    if (access === "open" || access === "order") return {};
    const request: ArrivedRequest = {
      method: context.req.method,
      url: new URL(context.req.url),
      headers: context.req.raw.headers,
      body,
    };
    if (isSigned(request)) {
      const by = await signerOfRequest(request, chainId, now(), isSignedByContract);
      await nonces.consume(by, now());
      return by;
    }
    const authorization = context.req.header("authorization");
    if (access !== "signed" && authorization !== undefined) return { key: bearers.keyOf(authorization, now()) };
    if (access === "reader") return {};
    throw new Refused("SignatureMissing", "This requires a signed request", { action: "docs/gateway.md shows how to sign one" });
  }

  /** A mission may end while its stream is followed: checked again for each event. */
  const isWithheld = (event: StreamEvent) => withholding(world)(event);
  /** Followers share the events of a step: each is serialised once. */
  const rendered = new WeakMap<StreamEvent, Promise<string>>();
  function renderOnce(event: StreamEvent): Promise<string> {
    const text = rendered.get(event) ?? redactEvent(event, isWithheld).then(canonicalJson);
    rendered.set(event, text);
    return text;
  }

  const streamKinds = fieldKinds(streamInput);
  app.get(STREAM_PATH, (context) => {
    spend(context, 5);
    const { after, ...asked } = inputOf(streamInput, queryOf(context, STREAM_PATH, streamKinds));
    const last = lastEventId(context) ?? after ?? world.hub.cursor().sequence;
    const filter = filterOf(world, asked);
    // Nobody would read what is written after the headers, nor end it.
    if (context.req.method === "HEAD") return context.body(null, 200, { "content-type": "text/event-stream" });
    // Text filters are evaluated per follower, all others in one shared read.
    const leave = (filter.text === undefined ? streams : searching).take(party(context));
    if (leave === undefined) throw new Refused("TooManyStreams", "This address has reached its limit of streams", { action: "close one" });
    return streamSSE(context, async (stream) => {
      const end = new AbortController();
      const stop = () => end.abort();
      stream.onAbort(stop);
      options.closing.addEventListener("abort", stop, { once: true });
      const ping = setInterval(() => void stream.write(": here\n\n").catch(stop), PING);
      try {
        await stream.write("retry: 2000\n\n");
        for await (const event of world.hub.follow(last, filter, end.signal, isWithheld)) {
          await stream.writeSSE({ id: String(event.sequence), event: event.eventType ?? event.name, data: await renderOnce(event) });
        }
      } catch (error) {
        // The client will reconnect from its last event.
        city.progress(`a stream of events ended: ${messageOf(error)}`);
      } finally {
        clearInterval(ping);
        options.closing.removeEventListener("abort", stop);
        leave();
      }
    });
  });

  for (const command of commands) {
    const kinds = fieldKinds(command.input);
    app.on(command.method, command.path.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
      spend(context, command.cost);
      const body = command.method === "GET" ? new Uint8Array() : await bodyOf(context, command.body ?? limits.body);
      return inTurn(command, party(context), async () => {
        const who = await callerOf(context, body, command.access);
        spendOfKey(party(context), command, who);
        const given = command.method === "GET" ? queryOf(context, command.path, kinds) : parseJson(jsonTextIn(context, body));
        const input = inputOf(command.input, given);
        const caller = callerFor(command, who, body, party(context));
        if (command.isTagged === true) return onConditions(context, command, input, caller);
        if (isPaidFor(command)) return withReceipt(context, await paid(context, command, input));
        const answer = () => answered(command, input, caller);
        // Answers for one caller are not cached.
        const isForAll = command.access === "open" || (command.access === "reader" && caller.key === undefined);
        const isKept = command.at === "front" && isForAll && command.method === "GET" && command.isOfFiles !== true;
        return text(context, isKept ? await kept.get(`${command.name} ${canonicalJson(given)}`, answer) : await answer());
      });
    });
  }

  const isPaidFor = (command: Command) => isCharged(command, options.hasToll);

  const charge = ({ name, path, doc }: Command, input: z.infer<z.ZodObject>, payment: string | undefined, conditions?: Conditions) =>
    city.charge({ command: name, input, url: `${options.url()}${path}`, description: doc, ...(conditions && { conditions }) }, payment);

  const paid = (context: Context, command: Command, input: z.infer<z.ZodObject>, conditions?: Conditions) =>
    charge(command, input, context.req.header(PAYMENT_HEADERS.signature), conditions);

  function withReceipt(context: Context, { answer, receipt }: Answered): Response {
    if (receipt !== undefined) context.header(PAYMENT_HEADERS.response, receipt);
    return text(context, answer);
  }

  /** A command with preconditions and an Idempotency-Key. */
  async function onConditions(context: Context, command: Command, input: z.infer<z.ZodObject>, caller: Caller): Promise<Response> {
    const conditions = conditionsIn((name) => context.req.header(name));
    if (isPaidFor(command))
      return withReceipt(context, await once(context, command, input, () => paid(context, command, input, conditions)));
    const { answer } = await once(context, command, input, async () => ({
      answer: await answered(command, input, { ...caller, ...(conditions === undefined ? {} : { conditions }) }),
    }));
    return tagged(context, command, answer, conditions);
  }

  /** A write with an Idempotency-Key is answered as it was the first time. */
  function once(context: Context, command: Command, input: unknown, work: () => Promise<Answered>): Promise<Answered> {
    const header = command.method === "POST" ? context.req.header("idempotency-key") : undefined;
    if (header === undefined) return work();
    return keyed.answer({ from: party(context), key: keyIn(header), command: command.name, input }, now(), work);
  }

  /** An answer with its entity tag, or 304 for a reader that has it. */
  function tagged(context: Context, { method }: Pick<Command, "method">, answer: string, conditions: Conditions | undefined): Response {
    const tag = tagOf(answer);
    context.header("etag", `"${tag}"`);
    if (method !== "GET" || conditions === undefined) return text(context, answer);
    requireMatch(conditions, tag);
    return isKnown(conditions, tag) ? context.newResponse(null, 304, { "cache-control": "no-store" }) : text(context, answer);
  }

  addBlockRoutes(app, { city, spend, bodyOf, callerOf });

  /** The tool's caller: the SDK passes the request on without its socket. */
  const asking = new AsyncLocalStorage<string>();
  const mcp = mcpHandler(commands, options.version, asked, limits.body);
  options.closing.addEventListener("abort", () => void mcp.close(), { once: true });
  app.post(MCP_PATH, async (context) => {
    spend(context, MESSAGE_COST);
    const message = parseJson(jsonTextIn(context, await bodyOf(context, limits.body)));
    if (Array.isArray(message)) throw new Refused("BadRequest", "A batch of messages", { action: "send one message per request" });
    if (isObject(message) && message["method"] === "tools/list") spend(context, DOCUMENT_COST);
    return asking.run(party(context), () => mcp.fetch(context.req.raw, { parsedBody: message }));
  });

  const extensions = () => extensionsOf(commands, options.url(), options);
  const a2a = { commands, ask: asked, version: options.version, url: options.url, extensions };
  let card: JsonObject | undefined;
  app.get(CARD_PATH, (context) => {
    spend(context, MESSAGE_COST);
    card ??= signedCard(cardOf(a2a), options.cardSeal, `${options.url()}${KEYS_PATH}`);
    return json(context, card);
  });
  app.get(KEYS_PATH, (context) => json(context, { keys: [webKeyOf(options.cardSeal)] }));
  app.get(REGISTRATION_PATH, (context) => json(context, registrationOf(options)));
  app.post(A2A_PATH, async (context) => {
    spend(context, MESSAGE_COST);
    const text = jsonTextIn(context, await bodyOf(context, limits.body));
    context.header("a2a-version", A2A_VERSION);
    const active = activatedIn(context.req.header(EXTENSIONS_HEADER), extensions());
    if (active.length > 0) context.header(EXTENSIONS_HEADER, active.map(({ uri }) => uri).join(", "));
    return asking.run(party(context), async () => json(context, await answerA2a(a2a, text, context.req.header("a2a-version"), active)));
  });

  /** Runs a command as plain JSON for a tool's caller. */
  async function asked(command: Command, given: JsonObject, { bearer, signature, payment }: Proof): Promise<JsonObject> {
    const whose = asking.getStore() ?? "unknown";
    allowances.spend(whose, command.cost, millis());
    if (isPaidFor(command) && payment === undefined)
      throw new Refused("PaidOverHttp", `${command.name} requires a payment`, {
        action: `${command.method} ${command.path} states its terms (x402), and so does MCP`,
      });
    const answeredTo = async (input: z.infer<z.ZodObject>): Promise<string> => {
      if (!isPaidFor(command)) {
        const who = await callerOfTool(command, given, bearer, signature);
        spendOfKey(whose, command, who);
        return answered(command, input, callerFor(command, who, canonicalBytes(given), whose));
      }
      const { answer, receipt } = await charge(command, input, payment?.header);
      payment?.paid(receipt);
      return answer;
    };
    return inTurn(command, whose, async () => {
      const answer = parseJson(await answeredTo(inputOf(command.input, given)));
      return isObject(answer) ? answer : { answer };
    });
  }

  /** A command's answer, as RFC 8785 text. */
  async function answered(command: Command, input: z.infer<z.ZodObject>, caller: Caller): Promise<string> {
    return command.at === "city" ? city.run(command.name, input, caller) : canonicalJson(await command.run(world, input, caller));
  }

  async function callerOfTool(command: Command, fields: JsonObject, bearer?: string, signature?: ToolSignature): Promise<Who> {
    if ((command.access === "bearer" || command.access === "reader") && bearer !== undefined)
      return { key: bearers.keyOf(`Bearer ${bearer}`, now()) };
    if (command.access !== "signed") return {};
    if (signature === undefined) throw new Refused("SignatureMissing", `${command.name} needs a signature`);
    const { host: authority } = new URL(options.url());
    const by = await signerOfTool({ chainId, authority, tool: command.name, fields }, signature, now());
    await nonces.consume(by, now());
    return by;
  }

  /** Takes one of the workers that answer at once, unless the command waits for an event. */
  function inTurn<Answer>({ waits }: Command, whose: string, answer: () => Promise<Answer>): Promise<Answer> {
    const begun = async () => {
      await options.rounds.turn();
      return answer();
    };
    return waits === true ? begun() : admission.run(begun, whose);
  }

  /** Reads a body up to this size. Large bodies, and those of unknown size, take a place while they arrive. */
  async function bodyOf(context: Context, most: number): Promise<Uint8Array> {
    const said = Number(context.req.header("content-length") ?? Number.POSITIVE_INFINITY);
    if (most <= limits.body || said <= limits.body) return bytesIn(context, most);
    const arriving = bodies.enter(party(context));
    try {
      return await bytesIn(context, most, arriving);
    } catch (error) {
      // The rest of it is not read.
      context.header("connection", "close");
      throw error;
    } finally {
      arriving.leave();
    }
  }

  app.get(HEALTH_PATH, (context) => {
    const { sequence, block } = world.hub.cursor();
    return json(context, { status: "ok", sequence, block, ...options.shown() });
  });
  let described: string | undefined;
  app.get(OPENAPI_PATH, (context) => {
    spend(context, DOCUMENT_COST);
    described ??= canonicalJson(openApiOf(commands, options.version, options.url()));
    return tagged(
      context,
      { method: "GET" },
      described,
      conditionsIn((name) => context.req.header(name)),
    );
  });
  const page = referencePage(commands);
  app.get(DOCS_PATH, (context) => {
    spend(context, DOCUMENT_COST);
    return context.html(page);
  });
  return app;
}

/** The authenticated key of a request, and what it signed. */
type Who = Partial<Pick<SignedBy, "key" | "signed">>;

/** The caller of a command, with what it signed if the command stores that. */
function callerFor({ keeps }: Command, { key, signed }: Who, body: Uint8Array, from: string): Caller {
  const caller = { ...(key === undefined ? {} : { key }), from };
  return keeps !== true || signed === undefined ? caller : { ...caller, shown: { by: "text", ...signed, ...bodyShown(body) } };
}

function json(context: Context, value: unknown, status = 200): Response {
  return text(context, canonicalJson(value), status);
}

/** A response with already canonical JSON. */
function text(context: Context, answer: string, status = 200): Response {
  return context.newResponse(answer, status as 200, { "content-type": "application/json", "cache-control": "no-store" });
}

function socketOf(context: Context): string {
  const parsed = socketSchema.safeParse(context.env);
  return parsed.data?.incoming.socket.remoteAddress ?? "unknown";
}

async function bytesIn(context: Context, most: number, arriving?: Arriving): Promise<Uint8Array> {
  const tooLarge = () => new Refused("BodyTooLarge", `A body may have at most ${most} bytes`);
  if (Number(context.req.header("content-length") ?? 0) > most) throw tooLarge();
  const reader = context.req.raw.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await (arriving === undefined ? reader.read() : Promise.race([reader.read(), arriving.stopped]));
      if (done) break;
      parts.push(value);
      size += value.length;
      arriving?.came(value.length);
      if (size > most) throw tooLarge();
    }
  } catch (error) {
    await reader?.cancel().catch(() => {});
    throw error;
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** A JSON body's text. Throws WrongMediaType, BadRequest. */
function jsonTextIn(context: Context, body: Uint8Array): string {
  const [type = ""] = (context.req.header("content-type") ?? "").split(";");
  // Any other media type could be sent cross-origin without a preflight.
  if (type.trim().toLowerCase() !== "application/json") throw new Refused("WrongMediaType", "Expected content-type application/json");
  const encoding = context.req.header("content-encoding") ?? "identity";
  if (encoding !== "identity") throw new Refused("WrongMediaType", "The body must not be compressed", { details: encoding.slice(0, 40) });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new Refused("BadRequest", "The body is not UTF-8");
  }
  if (depthOf(text) > MAX_DEPTH) throw new Refused("BadRequest", `The body is nested deeper than ${MAX_DEPTH}`);
  return text;
}

/** Maximum nesting of brackets; those inside strings count too, which only makes it stricter. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const letter of text) {
    if (letter === "{" || letter === "[") deepest = Math.max(deepest, ++depth);
    else if (letter === "}" || letter === "]") depth -= 1;
  }
  return deepest;
}

function inputOf<Input extends z.ZodObject>(schema: Input, given: unknown): z.infer<Input> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw outsideSchema(parsed.error);
}

type Kinds = Readonly<Record<string, "integer" | "boolean" | "string">>;

const kindsSchema = z.object({
  properties: z.record(z.string(), z.object({ type: z.enum(["integer", "boolean", "string"]).catch("string") })).default({}),
});

/** How fields in a URL are parsed. */
function fieldKinds(input: z.ZodObject): Kinds {
  const { properties } = kindsSchema.parse(jsonSchemaOf(input));
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type]));
}

function queryOf(context: Context, path: string, kinds: Kinds): Record<string, unknown> {
  const given: [string, string][] = pathFields(path).map((name) => [name, context.req.param(name) ?? ""]);
  for (const [name, values] of Object.entries(context.req.queries())) {
    const [value = "", ...more] = values;
    if (more.length > 0) throw new Refused("BadRequest", `${name.slice(0, 40)} is given more than once`);
    if (given.some(([known]) => known === name)) throw new Refused("BadRequest", `${name} is already in the path`);
    given.push([name, value]);
  }
  return Object.fromEntries(given.map(([name, text]) => [name, readAs(text, Object.hasOwn(kinds, name) ? kinds[name] : undefined)]));
}

function readAs(text: string, kind: Kinds[string] | undefined): unknown {
  if (kind === "integer" && /^\d{1,15}$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function lastEventId(context: Context): number | undefined {
  const text = context.req.header("last-event-id");
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Refused("BadRequest", "Last-Event-ID is not a sequence number of this hub");
  return Number(text);
}

/** Methods that a path of the gateway's supports; none where it has no such path. */
function methodsAt(commands: readonly Command[], path: string): readonly string[] {
  const block = `${BLOCK_PATH}/{cid}`;
  const reads = [STREAM_PATH, block, OPENAPI_PATH, DOCS_PATH, HEALTH_PATH, CARD_PATH, KEYS_PATH, REGISTRATION_PATH];
  const routes = [
    ...commands,
    ...reads.map((read) => ({ method: "GET", path: read })),
    ...[MCP_PATH, A2A_PATH].map((called) => ({ method: "POST", path: called })),
    { method: "PUT", path: block },
  ];
  const here = routes.filter((row) => new RegExp(`^${row.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path));
  return [...new Set(here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))].sort();
}
