import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { expect } from "chai";
import { FETCH_PROBLEMS, type FetchProblem, FetchRefused } from "../../orchestrator/execution/fetch/errors.ts";
import { createFetcher, type FetcherOptions, type Page } from "../../orchestrator/execution/fetch/fetcher.ts";
import { toolsOf } from "../../orchestrator/execution/fetch/tools.ts";
import { bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { createSandbox } from "../../orchestrator/execution/sandbox/run.ts";
import { nothingRecent } from "../../orchestrator/execution/work.ts";
import type { Mission, World } from "../../orchestrator/execution/world.ts";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import { CATALOG } from "../../services/catalog.ts";
import { rejection } from "../support/rejection.ts";

const HTML = `<!doctype html><html><head><title>The &amp; page</title><script>alert("no")</script></head>
<body><h1>Heading</h1><p>One<br>two &lt;3</p><!-- hidden --><style>p{}</style><a href="/next?a=1&amp;b=2">next</a></body></html>`;

/** Answers of the server by path. */
const ROUTES: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
  "/page.html": (response) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(HTML),
  "/data.json": (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"a":[1,2]}'),
  "/table.csv": (response) => response.writeHead(200, { "content-type": "text/csv" }).end('name,value\n"a, b",1\nc,2\n'),
  "/notes.md": (response) => response.writeHead(200, { "content-type": "text/plain" }).end("# Notes\n\nText.\n\n## More\n"),
  "/gone": (response) => response.writeHead(404, { "content-type": "text/plain" }).end("gone"),
  "/large": (response) => response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(5_000)),
  "/slow": (response) => response.writeHead(200, { "content-type": "text/plain" }).write("a"),
  "/picture": (response) => response.writeHead(200, { "content-type": "image/png" }).end("PNG"),
  "/binary": (response) => response.writeHead(200, { "content-type": "text/plain" }).end("a\0b"),
  "/zipped": (response) => response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end("x"),
  "/host": (response, request) => response.writeHead(200, { "content-type": "text/plain" }).end(request.headers.host),
  "/once": (response) => response.writeHead(302, { location: "/page.html" }).end(),
  "/for-ever": (response) => response.writeHead(302, { location: "/for-ever" }).end(),
  "/elsewhere": (response) => response.writeHead(302, { location: "http://elsewhere.test/page.html" }).end(),
  "/inside": (response) => response.writeHead(302, { location: "http://inside.test/page.html" }).end(),
  "/metadata": (response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
  "/file": (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
};

describe("execution/fetch", () => {
  const seen: string[] = [];
  let server: Server;
  let port = 0;

  before((done) => {
    server = createServer((request, response) => {
      seen.push(request.url ?? "");
      const route = ROUTES[request.url ?? ""];
      if (route === undefined) response.writeHead(500).end();
      else route(response, request);
    });
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      port = typeof address === "object" && address !== null ? address.port : 0;
      done();
    });
  });
  beforeEach(() => {
    seen.length = 0;
  });
  after((done) => {
    server.closeAllConnections();
    server.close(done);
  });

  /** The test's name server: one name leads to the server, one to this machine by another address. */
  const resolve: FetcherOptions["resolve"] = async (name) =>
    name === "pages.test" ? ["127.0.0.1"] : name === "inside.test" ? ["127.0.0.2"] : [];
  /** As if 127.0.0.1 alone were public. */
  const mayConnect = (address: string) => address === "127.0.0.1";
  const at = (path: string) => `http://pages.test:${port}${path}`;
  const hosts = () => new Set([`pages.test:${port}`, "inside.test", "169.254.169.254", "localhost"]);
  const fetched = (url: string, options: FetcherOptions = {}): Promise<Page> =>
    createFetcher({ resolve, mayConnect, ...options })(url, hosts());
  async function refused(url: string, options: FetcherOptions = {}): Promise<FetchProblem> {
    const error = await rejection(fetched(url, options));
    if (!(error instanceof FetchRefused)) throw error;
    return FETCH_PROBLEMS.find((problem) => problem === error.code)!;
  }

  it("brings a page of a listed host, through redirects, under the name that was asked for", async () => {
    expect(await fetched(at("/page.html"))).to.deep.equal({ url: at("/page.html"), status: 200, type: "text/html", text: HTML });
    expect((await fetched(at("/once"))).url).to.equal(at("/page.html"));
    expect((await fetched(at("/host"))).text).to.equal(`pages.test:${port}`);
    expect((await fetched(at("/gone"))).status).to.equal(404);
  });

  it("connects to no address of this machine or its network, however it is written", async () => {
    const open = createFetcher();
    for (const host of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0"]) {
      const url = `http://${host}:${port}/page.html`;
      const error = await rejection(open(url, new Set([new URL(url).host])));
      expect(error, host).to.include({ code: "AddressNotPublic" });
    }
    expect(seen).to.deep.equal([]);
  });

  it("judges every redirect anew: list, address and scheme", async () => {
    expect(await refused(at("/elsewhere"))).to.equal("HostNotListed");
    expect(await refused(at("/inside"))).to.equal("AddressNotPublic");
    expect(await refused(at("/metadata"))).to.equal("AddressNotPublic");
    expect(await refused(at("/file"))).to.equal("UrlRefused");
    expect(await refused(at("/for-ever"))).to.equal("TooManyRedirects");
    expect(seen.filter((path) => path === "/page.html")).to.deep.equal([]);
  });

  it("asks for a name once and connects to what it judged, so that a second answer gains nothing", async () => {
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]];
    let asked = 0;
    const rebinding: FetcherOptions["resolve"] = async () => answers[Math.min(asked++, 2)]!;
    expect((await fetched(at("/page.html"), { resolve: rebinding })).status).to.equal(200);
    expect(asked).to.equal(1);
    asked = 0;
    // The second hop is another question, and its answer is judged.
    expect(await refused(at("/once"), { resolve: rebinding })).to.equal("AddressNotPublic");
    expect(await refused(at("/page.html"), { resolve: async () => ["127.0.0.1", "10.0.0.1"] })).to.equal("AddressNotPublic");
  });

  it("refuses what is no page, too large, too slow, not listed or not there", async () => {
    for (const url of ["ftp://pages.test/", "file:///etc/passwd", "javascript:1", "http://user:secret@pages.test/", "no address"])
      expect(await refused(url), url).to.equal("UrlRefused");
    expect(await refused("http://other.test/")).to.equal("HostNotListed");
    expect(await refused("http://pages.test:1/page.html")).to.equal("HostNotListed");
    for (const path of ["/picture", "/binary", "/zipped"]) expect(await refused(at(path)), path).to.equal("ContentRefused");
    expect(await refused(at("/large"), { maxBytes: 4_999 })).to.equal("PageTooLarge");
    expect((await fetched(at("/large"), { maxBytes: 5_000 })).text).to.have.length(5_000);
    expect(await refused(at("/slow"), { timeoutMs: 200 })).to.equal("PageTooSlow");
    expect(await refused("http://localhost/", { resolve: async () => ["127.0.0.1"] })).to.equal("HostUnreachable");
    expect(await refused(at("/page.html"), { resolve: async () => [] })).to.equal("HostUnreachable");
  });

  describe("for a service in its sandbox", () => {
    const blocks = new Map<string, Uint8Array>();
    const kept = new Map<string, unknown>();
    const world = (): Pick<World, "store" | "recent" | "remember" | "fetchPage"> => ({
      store: {
        put: async (bytes) => {
          const id = contentIdOf(bytes);
          blocks.set(id, bytes);
          return id;
        },
        get: async (id) => blocks.get(id)!,
      },
      recent: nothingRecent(),
      remember: async (key, schema, compute) => {
        const name = key.join("/");
        if (!kept.has(name)) kept.set(name, await compute());
        return schema.parse(kept.get(name));
      },
      fetchPage: createFetcher({ resolve, mayConnect }),
    });
    const missionOver = (paths: readonly string[]): Mission => ({
      address: "0x0000000000000000000000000000000000000001",
      sponsor: "0x0000000000000000000000000000000000000002",
      document: {} as Mission["document"],
      items: paths.map((path) => ({ id: at(path), kind: "url", url: at(path) })),
    });
    const paths = ["/data.json", "/gone", "/notes.md", "/page.html", "/picture", "/table.csv"];

    async function run(mission: Mission) {
      const entry = CATALOG.find(({ id }) => id === "fetch-and-parse")!;
      const sandbox = createSandbox({ now: () => 0 });
      const input = { goal: "g", items: [...mission.items], upstream: [] };
      return sandbox.run({ bundle: await bundleService(entry.file), schemas: entry, input, tools: toolsOf(world(), mission) });
    }

    it("parses HTML, JSON, CSV and Markdown, says why where it cannot, and meters each fetch", async () => {
      const result = await run(missionOver(paths));
      if (result.status === "failed") throw new Error(result.details);
      const items = (result.output as { items: Record<string, unknown>[] }).items;
      const of = (path: string) => items.find(({ id }) => id === at(path))!;
      expect(of("/page.html")).to.include({ format: "html", title: "The & page", text: "Heading\nOne\ntwo <3\nnext", status: 200 });
      expect(of("/page.html")).to.deep.include({ headings: ["Heading"], links: ["/next?a=1&b=2"] });
      expect(of("/data.json")).to.deep.include({ format: "json", value: { a: [1, 2] } });
      expect(of("/table.csv")).to.deep.include({ format: "csv", columns: ["name", "value"], rows: 2 });
      expect(of("/notes.md")).to.deep.include({ format: "markdown", title: "Notes", headings: ["Notes", "More"] });
      expect(of("/gone")["problem"]).to.equal("the server answered 404");
      expect(of("/picture")["problem"]).to.include("ContentRefused");
      expect(result.meters.tools).to.equal(paths.length);
      expect(result.trail.filter(({ kind }) => kind === "tool-result")).to.have.length(paths.length);
    }).timeout(30_000);

    it("gives every executor of a mission the same bytes, and fetches them once", async () => {
      const [first, second] = [await run(missionOver(paths)), await run(missionOver(paths))];
      expect(second).to.deep.equal(first);
      expect(seen.filter((path) => path === "/page.html")).to.deep.equal([]);
    }).timeout(30_000);

    it("has no tool at all in a mission without addresses, and knows no host beyond the list", async () => {
      expect(toolsOf(world(), { ...missionOver([]), items: [{ id: "a", kind: "file" }] })).to.deep.equal({});
      const { fetch } = toolsOf(world(), missionOver(["/page.html"]));
      expect(String(await rejection(fetch!({ url: "http://elsewhere.test/" })))).to.include("HostNotListed");
    });
  });
});
