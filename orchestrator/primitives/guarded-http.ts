import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP } from "node:net";
import { AgentCityError } from "./errors.ts";

/** Resolves a host name to its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Ranges that IANA's special-purpose registries exclude from the public internet (RFC 6890 and its successors). */
const SPECIAL_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Public IPv6 is 2000::/3 without these ranges, which embed IPv4 addresses, serve AS112, or are reserved for documentation and tests. */
const SPECIAL_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const special = blockList([...SPECIAL_4, ...SPECIAL_6]);
const global6 = blockList(["2000::/3"]);

/** Whether an address is on the public internet, not on a private network or this machine. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return global6.check(address, "ipv6") && !special.check(address, "ipv6");
    default:
      return false;
  }
}

/** All addresses of a URL's host by `resolve` (default: the system's resolver). A literal address resolves to itself. */
export async function addressesOf(url: URL, resolve: Resolve = systemResolver): Promise<readonly string[]> {
  const name = nameIn(url);
  return isIP(name) === 0 ? resolve(name) : [name];
}

/** The request body. Default: none, and the URL is fetched with GET. */
export interface Posted {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests a URL at an address that was checked before, so that a second DNS answer cannot redirect it. Redirects are not followed, and
 * nothing of this machine (cookies, credentials) is sent.
 */
export function openAt(address: string, url: URL, signal: AbortSignal, posted?: Posted): Promise<IncomingMessage> {
  const secure = url.protocol === "https:";
  const name = nameIn(url);
  const target = {
    host: address,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: posted === undefined ? "GET" : "POST",
    headers: {
      host: url.host,
      accept: "text/*, application/json, */*;q=0.1",
      "accept-encoding": "identity",
      "user-agent": "AgentCity",
      ...(posted === undefined ? {} : { ...posted.headers, "content-length": String(posted.body.length) }),
    },
    agent: false as const,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = secure ? httpsRequest({ ...target, ...(isIP(name) === 0 ? { servername: name } : {}) }) : httpRequest(target);
    request.on("response", resolve).on("error", reject).end(posted?.body);
  });
}

/** A response body exceeds the limit. */
export class BodyTooLarge extends AgentCityError {
  constructor(maxBytes: number) {
    super("BodyTooLarge", `The answer is longer than ${maxBytes} bytes: reading stopped there`);
  }
}

/** The whole body. Throws BodyTooLarge as soon as it exceeds the limit. */
export async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      throw new BodyTooLarge(maxBytes);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The host without an IPv6 address's brackets. */
function nameIn({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

async function systemResolver(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
