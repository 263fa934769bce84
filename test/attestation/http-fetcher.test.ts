import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { httpFetcher, SourceRefused } from "../../orchestrator/attestation/http-fetcher.ts";
import { rejection } from "../support/rejection.ts";

const LIMITS = { maxBytes: 1000, timeoutMs: 400 };

describe("attestation/http-fetcher", () => {
  const servers: Server[] = [];
  const sockets: RequestListener = (request, response) => {
    if (request.url === "/small") response.end("a source");
    else if (request.url === "/large") response.end("x".repeat(1001));
    else if (request.url === "/elsewhere") response.writeHead(302, { location: "/small" }).end();
    else if (request.url === "/gone") response.writeHead(404).end();
    // Begins, and never ends.
    else if (request.url === "/endless") response.write("x");
  };

  async function served(): Promise<string> {
    const server = createServer(sockets).listen(0, "127.0.0.1");
    servers.push(server);
    await new Promise((resolve) => server.once("listening", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const refusal = async (fetching: Promise<unknown>) => {
    const error = await rejection(fetching);
    expect(error).to.be.instanceOf(SourceRefused);
    return error.message;
  };

  it("reads an allowed source, without its fragment", async () => {
    const origin = await served();
    const { fetch } = httpFetcher({ allow: [{ origin, privateNetwork: true }], ...LIMITS });
    expect(new TextDecoder().decode(await fetch(`${origin}/small#section-3`))).to.equal("a source");
  });

  it("refuses what is not on the list: another host, port or scheme, credentials", async () => {
    const origin = await served();
    const { fetch } = httpFetcher({ allow: [{ origin, privateNetwork: true }], ...LIMITS });
    for (const uri of [await served(), "http://localhost/small", "https://records.example/", origin.replace("http:", "https:")])
      expect(await refusal(fetch(uri))).to.include("not on the list");
    for (const uri of ["file:///etc/passwd", "ftp://records.example/", "nonsense"])
      expect(await refusal(fetch(uri))).to.include("only http and https");
    expect(await refusal(fetch(origin.replace("//", "//user:secret@")))).to.include("credentials");
  });

  it("refuses an allowed name that points into a private network, by any of its addresses", async () => {
    for (const addresses of [["127.0.0.1"], ["93.184.216.34", "10.0.0.7"], ["::1"], ["::ffff:192.168.1.1"], ["169.254.169.254"], []]) {
      const { fetch } = httpFetcher({ allow: [{ origin: "http://records.example" }], resolve: async () => addresses, ...LIMITS });
      expect(await refusal(fetch("http://records.example/small"))).to.match(/private network|no address/);
    }
  });

  it("connects to the address that was checked, whatever the name says a moment later", async () => {
    const origin = await served();
    const { port } = new URL(origin);
    let asked = 0;
    const resolve = async () => [asked++ === 0 ? "127.0.0.1" : "203.0.113.1"];
    const named = `http://records.example:${port}`;
    const { fetch } = httpFetcher({ allow: [{ origin: named, privateNetwork: true }], resolve, ...LIMITS });
    expect(new TextDecoder().decode(await fetch(`${named}/small`))).to.equal("a source");
    expect(asked).to.equal(1);
  });

  it("refuses redirects, errors, floods, and whoever takes too long", async () => {
    const origin = await served();
    const { fetch } = httpFetcher({ allow: [{ origin, privateNetwork: true }], ...LIMITS });
    expect(await refusal(fetch(`${origin}/elsewhere`))).to.include("status 302");
    expect(await refusal(fetch(`${origin}/gone`))).to.include("status 404");
    expect(await refusal(fetch(`${origin}/large`))).to.include("longer than 1000 bytes");
    expect(await refusal(fetch(`${origin}/endless`))).to.include("within 400 ms");
  });
});
