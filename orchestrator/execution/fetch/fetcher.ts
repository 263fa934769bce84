import { messageOf } from "../../primitives/errors.ts";
import { addressesOf, BodyTooLarge, bodyOf, isPublicAddress, openAt, type Resolve } from "../../primitives/guarded-http.ts";
import { FetchRefused } from "./errors.ts";

/** A page as received. */
export interface Page {
  /** Final URL after redirects. */
  readonly url: string;
  readonly status: number;
  /** Media type, lower case, without parameters. */
  readonly type: string;
  readonly text: string;
}

/** Fetches a page from one of the hosts (`name` or `name:port`). Throws FetchRefused. */
export type FetchPage = (url: string, hosts: ReadonlySet<string>) => Promise<Page>;

export interface FetcherOptions {
  /** Resolves a name to addresses. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Whether an address may be connected to. Default: public addresses only. */
  readonly mayConnect?: (address: string) => boolean;
  /** Time limit for a page with all its redirects, milliseconds. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const MAX_PAGE_BYTES = 2_097_152;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
const TEXT_TYPES = /^(text\/[a-z0-9.+-]+|application\/([a-z0-9.-]+\+)?(json|xml|yaml|csv)|application\/(x-ndjson|xhtml\+xml))$/;

/**
 * Fetches pages for services, which cannot (decision 44). Every hop is checked: its host must be on the list, every address of its name
 * public, and the connection goes to the checked address, so that a later DNS answer cannot redirect it.
 */
export function createFetcher(options: FetcherOptions = {}): FetchPage {
  const { resolve, mayConnect = isPublicAddress, timeoutMs = TIMEOUT_MS, maxBytes = MAX_PAGE_BYTES } = options;

  async function addressOf(url: URL): Promise<string> {
    let addresses: readonly string[];
    try {
      addresses = await addressesOf(url, resolve);
    } catch (error) {
      throw new FetchRefused("HostUnreachable", url.href, messageOf(error), error);
    }
    const [first] = addresses;
    if (first === undefined) throw new FetchRefused("HostUnreachable", url.href, "its name has no address");
    const closed = addresses.find((address) => !mayConnect(address));
    if (closed !== undefined) throw new FetchRefused("AddressNotPublic", url.href, `its name resolves to ${closed}`);
    return first;
  }

  async function hop(url: URL, hosts: ReadonlySet<string>, signal: AbortSignal): Promise<Page | URL> {
    if (!hosts.has(url.host)) throw new FetchRefused("HostNotListed", url.href, `the mission's list has no ${url.host}`);
    const address = await addressOf(url);
    const response = await openAt(address, url, signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (REDIRECTS.includes(status) && location !== undefined) {
      response.destroy();
      return parseUrl(location, url);
    }
    const type = (response.headers["content-type"] ?? "text/plain").split(";")[0]?.trim().toLowerCase() ?? "";
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (!TEXT_TYPES.test(type) || encoding !== "identity") {
      response.destroy();
      throw new FetchRefused("ContentRefused", url.href, `${type}, ${encoding}`);
    }
    return { url: url.href, status, type, text: textOf(await bodyOf(response, maxBytes), url) };
  }

  return async (address, hosts) => {
    const signal = AbortSignal.timeout(timeoutMs);
    let url = parseUrl(address);
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
        const found = await hop(url, hosts, signal);
        if (!(found instanceof URL)) return found;
        url = found;
      }
    } catch (error) {
      if (error instanceof FetchRefused) throw error;
      if (error instanceof BodyTooLarge) throw new FetchRefused("PageTooLarge", url.href, error.message, error);
      if (signal.aborted) throw new FetchRefused("PageTooSlow", address, `no page within ${timeoutMs} ms`, error);
      throw new FetchRefused("HostUnreachable", address, messageOf(error), error);
    }
    throw new FetchRefused("TooManyRedirects", address, `more than ${MAX_REDIRECTS}`);
  };
}

/** A page's host in the form of the list. */
export function hostOf(url: string): string {
  return parseUrl(url).host;
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "" || url.hostname === "") {
    throw new FetchRefused("UrlRefused", text.slice(0, 500), "an http or https address without a user name is needed");
  }
  return url;
}

function textOf(body: Uint8Array, url: URL): string {
  if (body.includes(0)) throw new FetchRefused("ContentRefused", url.href, "it contains bytes that are not text");
  return new TextDecoder().decode(body);
}
