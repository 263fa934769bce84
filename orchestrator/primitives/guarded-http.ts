import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP } from "node:net";
import { AgentCityError } from "./errors.ts";

/** Addresses of a host's name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** What IANA's special-purpose registries keep apart from the public internet (RFC 6890 and its successors). */
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

/** Public IPv6 is what lies in 2000::/3 and is not one of these; they embed IPv4 addresses, serve AS112, or are for documents and tests. */
const SPECIAL_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const special = blockList([...SPECIAL_4, ...SPECIAL_6]);
const global6 = blockList(["2000::/3"]);

/** True for an address that anybody on the internet can reach and that is nobody's in particular here. */
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

/** All addresses that a URL's host has by `resolve`; default: the system's resolver. An address is its own. */
export async function addressesOf(url: URL, resolve: Resolve = systemResolver): Promise<readonly string[]> {
  const name = nameIn(url);
  return isIP(name) === 0 ? resolve(name) : [name];
}

/** What is sent along; by default nothing, and the URL is fetched. */
export interface Posted {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Asks a URL of the address that was judged, so that a name that answers differently a moment later gains nothing. Redirects are not
 * followed and nothing of this machine is sent along.
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

/** A body is longer than it may be. */
export class BodyTooLarge extends AgentCityError {
  constructor(maxBytes: number) {
    super("BodyTooLarge", `The answer is longer than ${maxBytes} bytes: reading stopped there`);
  }
}

/** The whole body, or BodyTooLarge as soon as it is. */
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
