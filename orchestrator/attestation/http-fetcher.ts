import { lookup as lookupHost } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP } from "node:net";
import { AgentCityError } from "../primitives/errors.ts";
import type { SourceFetcher } from "./ports.ts";

/** Where a source may be read. */
export interface AllowedOrigin {
  /** `https://records.example` or, for one port, `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Lets the host resolve to a private or loopback address. Default false. */
  readonly privateNetwork?: boolean;
}

export interface HttpFetcherOptions {
  readonly allow: readonly AllowedOrigin[];
  /** Most bytes of a body. */
  readonly maxBytes: number;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** All addresses of a host. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** The source was not read; `problem` says which rule or fault kept it. */
export class SourceRefused extends AgentCityError {
  constructor(uri: string, problem: string, cause?: unknown) {
    super("SourceRefused", `The source was not read: ${problem}`, { details: uri, cause });
  }
}

/** Addresses that no public source has (RFC 6890 and its IPv6 counterparts). */
const PRIVATE = new BlockList();
for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  PRIVATE.addSubnet(address, prefix, "ipv4");
for (const [address, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["100::", 64],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(address, prefix, "ipv6");

/** Whether an address belongs to this machine or to a network around it. IPv4 in IPv6 clothes counts as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/**
 * Reads sources over HTTP from allowed origins only: the address is looked up once, checked, and the connection goes to that address,
 * so that a name cannot point elsewhere a moment later. Redirects are refused, size and time bounded.
 */
export function httpFetcher(options: HttpFetcherOptions): SourceFetcher {
  const { allow, resolve = systemResolver } = options;
  return {
    async fetch(uri) {
      const url = parsed(uri);
      const allowed = allow.find(({ origin }) => origin === url.origin);
      if (allowed === undefined) throw new SourceRefused(uri, `${url.origin} is not on the list of sources`);
      if (url.username !== "" || url.password !== "") throw new SourceRefused(uri, "a source is read without credentials");
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const addresses = isIP(host) === 0 ? await resolve(host) : [host];
      const [address] = addresses;
      if (address === undefined) throw new SourceRefused(uri, "its host has no address");
      if (allowed.privateNetwork !== true && addresses.some(isPrivateAddress))
        throw new SourceRefused(uri, "its host is on a private network");
      return read(url, address, options);
    },
  };
}

function parsed(uri: string): URL {
  const url = URL.parse(uri);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw new SourceRefused(uri, "only http and https are read");
  url.hash = "";
  return url;
}

async function systemResolver(host: string): Promise<string[]> {
  return (await lookupHost(host, { all: true })).map(({ address }) => address);
}

function read(url: URL, address: string, { maxBytes, timeoutMs }: HttpFetcherOptions): Promise<Uint8Array> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const family = isIP(address);
  return new Promise((resolve, reject) => {
    const refuse = (problem: string, cause?: unknown) => reject(new SourceRefused(url.href, problem, cause));
    const asked = request(url, {
      signal: AbortSignal.timeout(timeoutMs),
      agent: false,
      lookup: (_host, { all }, done) => (all === true ? done(null, [{ address, family }]) : done(null, address, family)),
    });
    asked.on("error", (error) => refuse(error.name === "AbortError" ? `no answer within ${timeoutMs} ms` : error.message, error));
    asked.on("response", (answer: IncomingMessage) => {
      if (answer.statusCode !== 200) {
        refuse(`it answered with status ${answer.statusCode}`);
        asked.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBytes) return;
        refuse(`it is longer than ${maxBytes} bytes`);
        asked.destroy();
      });
      answer.on("error", (error) => refuse(error.name === "AbortError" ? `no answer within ${timeoutMs} ms` : error.message, error));
      answer.on("end", () => resolve(new Uint8Array(Buffer.concat(chunks))));
    });
    asked.end();
  });
}
