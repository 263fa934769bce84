import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** What the network between a city and its chain's node does to one call. */
export type Weather =
  | "clear"
  /** The connection is cut before the node hears of the call. */
  | "cut"
  /** The node does what it was asked; its answer is lost. */
  | "deaf"
  /** HTTP 503, as from a gateway without a node behind it. */
  | "unavailable"
  /** Answers of a node that is this many blocks behind. */
  | { readonly behind: number };

const callSchema = z.looseObject({
  id: z.union([z.number(), z.string(), z.null()]),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
type Call = z.infer<typeof callSchema>;

/** A real HTTP server between a client and a real node. `weather` is asked about every call. */
export class RpcProxy {
  weather: (method: string) => Weather = () => "clear";
  /** Where calls go; may change, as when a node is started again elsewhere. */
  target: string;
  url = "";
  /** Methods that reached the proxy, in order. */
  readonly heard: string[] = [];
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => request.socket.destroy());
  });

  constructor(target: string) {
    this.target = target;
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = callSchema.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    this.heard.push(call.method);
    const weather = this.weather(call.method);
    if (weather === "cut") return void request.socket.destroy();
    if (weather === "unavailable") return void response.writeHead(503).end();
    const answer = typeof weather === "object" ? await this.#stale(call, weather.behind) : await this.#forward(call);
    if (weather === "deaf") return void request.socket.destroy();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  async #forward(call: Call): Promise<unknown> {
    const response = await fetch(this.target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...call }),
    });
    return response.json();
  }

  /** Reads as of an older block, and no knowledge of younger ones; what is not a read passes. */
  async #stale(call: Call, behind: number): Promise<unknown> {
    const number = z
      .object({ result: z.coerce.number() })
      .parse(await this.#forward({ id: 0, method: "eth_blockNumber", params: [] })).result;
    const head = `0x${Math.max(number - behind, 0).toString(16)}`;
    const at = (params: readonly unknown[], place: number) => params.toSpliced(place, 1, head);
    const asked = (place: number) => call.params[place];
    const isYounger = (tag: unknown) => typeof tag === "string" && tag.startsWith("0x") && Number(tag) > Number(head);
    const place = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1, eth_getTransactionCount: 1, eth_getBlockByNumber: 0 }[call.method];
    if (call.method === "eth_blockNumber") return { jsonrpc: "2.0", id: call.id, result: head };
    if (place === undefined) return this.#forward(call);
    if (isYounger(asked(place))) {
      if (call.method === "eth_getBlockByNumber") return { jsonrpc: "2.0", id: call.id, result: null };
      return { jsonrpc: "2.0", id: call.id, error: { code: -32000, message: "header not found" } };
    }
    const tag = asked(place);
    return this.#forward(tag === undefined || tag === "latest" ? { ...call, params: at(call.params, place) } : call);
  }
}
