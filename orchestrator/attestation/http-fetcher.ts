import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { addressesOf, BodyTooLarge, bodyOf, isPublicAddress, openAt } from "../primitives/guarded-http.ts";
import type { SourceFetcher } from "./ports.ts";

/** An origin from which sources may be read. */
export interface AllowedOrigin {
  /** `https://records.example` or, for one port, `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Lets the host resolve to an address that is not public. Default false. */
  readonly privateNetwork?: boolean;
}

export interface HttpFetcherOptions {
  readonly allow: readonly AllowedOrigin[];
  /** Maximum size of a body, bytes. */
  readonly maxBytes: number;
  /** Timeout of the whole exchange, milliseconds. */
  readonly timeoutMs: number;
  /** All addresses of a host. Default: the system's resolver. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** The source was not read; `problem` names the rule or fault. */
export class SourceRefused extends AgentCityError {
  constructor(uri: string, problem: string, cause?: unknown) {
    super("SourceRefused", `The source was not read: ${problem}`, { details: uri, cause });
  }
}

/**
 * Reads sources over HTTP from allowed origins only. The host is resolved once, the address checked, and the connection made to that
 * address, so that a later DNS answer cannot redirect it. Redirects are refused; size and time are bounded.
 */
export function httpFetcher(options: HttpFetcherOptions): SourceFetcher {
  const { allow, resolve, maxBytes, timeoutMs } = options;
  return {
    async fetch(uri) {
      const url = parsed(uri);
      const allowed = allow.find(({ origin }) => origin === url.origin);
      if (allowed === undefined) throw new SourceRefused(uri, `${url.origin} is not on the list of sources`);
      if (url.username !== "" || url.password !== "") throw new SourceRefused(uri, "a source is read without credentials");
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const addresses = await addressesOf(url, resolve);
        const [address] = addresses;
        if (address === undefined) throw new SourceRefused(uri, "its host has no address");
        if (allowed.privateNetwork !== true && !addresses.every(isPublicAddress))
          throw new SourceRefused(uri, "its host is on a private network");
        const response = await openAt(address, url, signal);
        if (response.statusCode !== 200) {
          response.destroy();
          throw new SourceRefused(uri, `it answered with status ${response.statusCode}`);
        }
        return await bodyOf(response, maxBytes);
      } catch (error) {
        if (error instanceof SourceRefused) throw error;
        if (error instanceof BodyTooLarge) throw new SourceRefused(uri, `it is longer than ${maxBytes} bytes`, error);
        throw new SourceRefused(uri, signal.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error), error);
      }
    },
  };
}

function parsed(uri: string): URL {
  const url = URL.parse(uri);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw new SourceRefused(uri, "only http and https are read");
  url.hash = "";
  return url;
}
