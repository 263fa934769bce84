/** What an agent's developer meets who tries things out: each answer names what was wrong, and none is dearer than what it was charged. */
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import type { City } from "../../orchestrator/city/city.ts";
import { LIMITS } from "../../orchestrator/gateway/limits.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { openHome } from "../support/city-home.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";

const JSON_TYPE = { "content-type": "application/json" };
const MCP = { ...JSON_TYPE, accept: "application/json, text/event-stream" };
const A2A = { ...JSON_TYPE, "a2a-version": "1.0" };

const refusalSchema = z.object({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.string().optional(), action: z.string().optional() }),
});
const rpcSchema = z.object({ error: z.object({ code: z.int(), message: z.string(), data: z.array(z.looseObject({})).optional() }) });
const toolSchema = z.object({ result: z.object({ isError: z.literal(true), content: z.tuple([z.object({ text: z.string() })]) }) });

describe("callers of the gateway that nobody prepared for", function () {
  this.timeout(300_000);
  const home = suiteDirectory();
  let city: City;
  let gateway: Gateway;

  before(async () => {
    city = await openHome(join(home(), "home"), "7");
    gateway = await serveGateway(city, { ...serveOptions, escrow: city.client.addresses.AgreementEscrow });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  const ask = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}${path}`, init);
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    ask(path, { method: "POST", body, headers });
  const codeOf = async (answer: Response) => [answer.status, refusalSchema.parse(await answer.json()).error.code];
  /** A tool's result, from the one event of the answer's stream. */
  async function toolError(name: string, fields: object) {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: fields } };
    const text = await (await post("/mcp", JSON.stringify(call), MCP)).text();
    const { result } = toolSchema.parse(JSON.parse(text.slice(text.indexOf("{"))));
    return refusalSchema.parse(JSON.parse(result.content[0].text)).error;
  }

  it("hear of a path that is there but not for their method, and which methods are", async () => {
    const paths = {
      "/a2a": "POST",
      "/docs": "GET, HEAD",
      "/health": "GET, HEAD",
      "/openapi.json": "GET, HEAD",
      "/.well-known/agent-card.json": "GET, HEAD",
      "/.well-known/jwks.json": "GET, HEAD",
      "/.well-known/agent-registration.json": "GET, HEAD",
      "/v1/events/stream": "GET, HEAD",
      "/v1/agreements": "GET, HEAD, POST",
      "/v1/verifications": "POST",
    };
    for (const [path, allowed] of Object.entries(paths)) {
      const answer = await ask(path, { method: "DELETE" });
      expect(answer.headers.get("allow"), path).to.equal(allowed);
      expect(await codeOf(answer), path).to.deep.equal([405, "WrongMethod"]);
    }
    expect(await codeOf(await ask("/v1/nothing"))).to.deep.equal([404, "NoSuchCommand"]);
  });

  it("hear that their headers are too large, not that they do not speak HTTP", async () => {
    expect(await codeOf(await ask(`/v1/city?x=${"a".repeat(20_000)}`))).to.deep.equal([431, "HeadersTooLarge"]);
    expect(await codeOf(await ask("/v1/city", { headers: { "x-long": "a".repeat(20_000) } }))).to.deep.equal([431, "HeadersTooLarge"]);
  });

  it("take no follower's place by asking for a stream's headers alone", async () => {
    const heads = await Promise.all(Array.from({ length: LIMITS.streams + 1 }, () => ask("/v1/events/stream", { method: "HEAD" })));
    expect(new Set(heads.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const stream = await ask("/v1/events/stream");
    expect([stream.status, stream.headers.get("content-type")]).to.deep.equal([200, heads[0]?.headers.get("content-type")]);
    await stream.body?.cancel();
  });

  it("hear that a compressed body is not read", async () => {
    const zipped = { ...JSON_TYPE, "content-encoding": "gzip" };
    for (const path of ["/v1/agreements", "/a2a", "/mcp"])
      expect(await codeOf(await post(path, "{}", { ...MCP, ...A2A, ...zipped })), path).to.deep.equal([415, "WrongMediaType"]);
  });

  describe("over MCP", () => {
    it("hear of wrong fields by name, as over HTTP", async () => {
      const wrong = { get_mission: { mission: "x" }, get_city: { x: 1 }, propose_agreement: {}, open_session: { signature: 1 } };
      for (const [tool, fields] of Object.entries(wrong)) expect(await toolError(tool, fields), tool).to.include({ code: "BadRequest" });
      expect((await toolError("get_mission", { mission: "x" })).details).to.contain("mission");
    });

    it("send one message at a time, of no more than the size and depth of any body", async () => {
      const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
      expect(await codeOf(await post("/mcp", JSON.stringify(Array(100).fill(list)), MCP))).to.deep.equal([400, "BadRequest"]);
      const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"propose_agreement","arguments":{"document":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}}}`;
      expect(await codeOf(await post("/mcp", deep, MCP))).to.deep.equal([400, "BadRequest"]);
      expect(await codeOf(await post("/mcp", "x".repeat(70_000), MCP))).to.deep.equal([413, "BodyTooLarge"]);
      expect(await codeOf(await post("/mcp", "{}", {}))).to.deep.equal([415, "WrongMediaType"]);
      expect(await codeOf(await post("/mcp", "", MCP))).to.deep.equal([400, "NotJson"]);
      expect(await codeOf(await post("/mcp", new Uint8Array([0x7b, 0xff, 0x7d]), MCP))).to.deep.equal([400, "BadRequest"]);
    });
  });

  it("are understood over A2A as over HTTP: no key twice, nothing that is not UTF-8", async () => {
    const message = (data: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${data}}]}}}`;
    const said = async (body: string | Uint8Array<ArrayBuffer>) => rpcSchema.parse(await (await post("/a2a", body, A2A)).json()).error;
    const twice = await said(message('{"command":"get_city","command":"get_condition","fields":{}}'));
    expect([twice.code, twice.message]).to.deep.equal([-32_700, 'Not strict JSON at $: the key "command" appears twice in one object']);
    expect(await codeOf(await post("/a2a", new Uint8Array([0x7b, 0xff, 0x7d]), A2A))).to.deep.equal([400, "BadRequest"]);
    const nothing = await said(message('{"command":"get_everything","fields":{}}'));
    expect([nothing.code, nothing.data?.[0]]).to.deep.equal([-32_602, { reason: "NoSuchCommand" }]);
  });

  it("are told of each command in a document whose references all lead to something in it", async () => {
    const text = await (await ask("/openapi.json")).text();
    const document: unknown = JSON.parse(text);
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]*)"/g)].map(([, place = ""]) => place));
    expect(references.size).to.be.greaterThan(1);
    for (const place of references) expect(document, place).to.have.nested.property(place.replaceAll("/", "."));
  });

  it("read the city's documents as often as their address may, and a copy that they have is not sent again", async () => {
    const first = await ask("/openapi.json");
    const tag = first.headers.get("etag") ?? "";
    expect(tag).to.match(/^"[\w-]{43}"$/);
    const again = await ask("/openapi.json", { headers: { "if-none-match": tag } });
    expect([again.status, await again.text()]).to.deep.equal([304, ""]);

    const strict = await serveGateway(city, { ...serveOptions, limits: { burst: 20, perSecond: 1 } });
    try {
      for (const path of ["/openapi.json", "/docs", "/.well-known/agent-card.json", "/mcp"]) {
        const refused = [];
        for (let time = 0; time < 30 && refused.length === 0; time += 1) {
          const list = { method: "POST", headers: MCP, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' };
          const answer = await fetch(`${strict.url}${path}`, path === "/mcp" ? list : {});
          if (answer.status !== 200) refused.push(await codeOf(answer));
          else await answer.arrayBuffer();
        }
        expect(refused, path).to.deep.equal([[429, "TooManyRequests"]]);
      }
      // Whoever watches over the city is always told.
      expect((await fetch(`${strict.url}/health`)).status).to.equal(200);
    } finally {
      await strict.close();
    }
  });
});
