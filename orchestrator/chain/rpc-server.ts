import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { parseJson } from "../primitives/json.ts";
import type { Request } from "./chain.ts";
import { AnswerTooLarge, MethodNotAllowed } from "./errors.ts";

/** A deployment of the largest contract is about 100 KB of hex. */
const BODY_LIMIT = 1024 * 1024;
const BATCH_LIMIT = 100;
/** Size of a batch's answers, characters, after which its remaining calls are not made. */
const BATCH_ANSWER_LIMIT = 16 * 1024 * 1024;

const LOCAL_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

const callSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

type Answer =
  | { readonly jsonrpc: "2.0"; readonly id: string | number | null; readonly result: unknown }
  | {
      readonly jsonrpc: "2.0";
      readonly id: string | number | null;
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

export interface RpcServerOptions {
  /** A request function that allows only safe methods: `chain.request`. */
  readonly request: Request;
  /** 0 or undefined: any free port. */
  readonly port?: number;
  /** Origins whose pages may read answers, e.g. the console's. */
  readonly origins?: readonly string[];
}

export interface RpcServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `POST /rpc` as a Hono app, for a server with more routes. */
function rpcApp(options: Pick<RpcServerOptions, "request" | "origins">): Hono {
  const app = new Hono();
  app.use("/rpc", async (context, next) => {
    // After DNS rebinding to 127.0.0.1 a page still sends its own host name, in the header or as an absolute request URI.
    const header = (context.req.header("host") ?? "").replace(/:\d+$/, "");
    const foreign = [header, new URL(context.req.url).hostname].find((host) => !LOCAL_HOSTS.has(host));
    if (foreign === undefined) return next();
    return context.json(failure(null, -32600, `host ${JSON.stringify(foreign)} is not this machine`), 403);
  });
  if (options.origins !== undefined) app.use("/rpc", cors({ origin: [...options.origins], allowMethods: ["POST"] }));
  app.use(
    "/rpc",
    bodyLimit({ maxSize: BODY_LIMIT, onError: (context) => context.json(failure(null, -32600, "the request is too large"), 413) }),
  );
  app.post("/rpc", async (context) => {
    const text = await context.req.text();
    // Any other media type could be sent cross-origin without a preflight.
    if (mediaTypeOf(context.req.header("content-type")) !== "application/json") {
      return context.json(failure(null, -32600, "expected content-type application/json"), 415);
    }
    let body: unknown;
    try {
      body = parseJson(text);
    } catch {
      return context.json(failure(null, -32700, "the request is not JSON"));
    }
    if (!Array.isArray(body)) {
      const answer = await answerTo(body, options.request);
      return answer === undefined ? context.body(null, 204) : context.json(answer);
    }
    if (body.length === 0 || body.length > BATCH_LIMIT)
      return context.json(failure(null, -32600, `a batch holds 1 to ${BATCH_LIMIT} calls`));
    const answers: string[] = [];
    let size = 0;
    for (const call of body) {
      const answer = await answerTo(call, size > BATCH_ANSWER_LIMIT ? tooMuch : options.request);
      if (answer === undefined) continue;
      const json = JSON.stringify(answer);
      size += json.length;
      answers.push(json);
    }
    if (answers.length === 0) return context.body(null, 204);
    return context.body(`[${answers.join()}]`, 200, { "content-type": "application/json" });
  });
  return app;
}

/** Serves the chain on loopback, so that other processes reach the same city (decision 35). */
export async function serveRpc(options: RpcServerOptions): Promise<RpcServer> {
  const app = rpcApp(options);
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: options.port ?? 0 }, ({ port }: AddressInfo) => {
      resolve({
        url: `http://127.0.0.1:${port}/rpc`,
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

const tooMuch: Request = () => Promise.reject(new AnswerTooLarge(`${BATCH_ANSWER_LIMIT.toLocaleString("en")} characters of a batch`));

/** The media type without parameters such as the charset. */
function mediaTypeOf(contentType = ""): string {
  const [type = ""] = contentType.split(";");
  return type.trim().toLowerCase();
}

async function answerTo(body: unknown, request: Request): Promise<Answer | undefined> {
  const call = callSchema.safeParse(body);
  if (!call.success) return failure(null, -32600, "not a JSON-RPC 2.0 call");
  const { id, method, params } = call.data;
  try {
    const result = await request({ method, params: params ?? [] });
    return id === undefined ? undefined : { jsonrpc: "2.0", id, result: result ?? null };
  } catch (error) {
    return id === undefined ? undefined : errorAnswer(id, error);
  }
}

function errorAnswer(id: string | number | null, error: unknown): Answer {
  if (error instanceof MethodNotAllowed) return failure(id, -32601, error.shortMessage);
  const code = error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : -32000;
  const data = error instanceof AgentCityError ? error.toPlain() : error instanceof Error && "data" in error ? error.data : undefined;
  return failure(id, code, messageOf(error), data);
}

function failure(id: string | number | null, code: number, message: string, data?: unknown): Answer {
  return { jsonrpc: "2.0", id, error: data === undefined || data === null ? { code, message } : { code, message, data } };
}
