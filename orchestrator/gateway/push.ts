import { messageOf } from "../primitives/errors.ts";
import { addressesOf, bodyOf, isPublicAddress, openAt, type Posted, type Resolve } from "../primitives/guarded-http.ts";
import { Refused } from "./errors.ts";

/** What an endpoint elsewhere answered. */
export interface Pushed {
  readonly status: number;
  readonly text: string;
}
/** Sends something to an endpoint elsewhere. Throws PushRefused where nothing is ever sent, or what the network says. */
export type Push = (url: URL, posted: Posted) => Promise<Pushed>;

/** Bytes that are sent, and read of an answer; milliseconds that it may take. */
const MAX_OUT = 65_536;
const MAX_IN = 4_096;
const PATIENCE = 5_000;

/** Throws PushRefused for an endpoint that nothing is sent to, whatever its name resolves to. */
export function requireEndpoint(text: string): URL {
  const refused = (why: string) => new Refused("PushRefused", `Nothing is sent to this endpoint: ${why}`, { details: text.slice(0, 200) });
  if (!URL.canParse(text)) throw refused("it is no URL");
  const url = new URL(text);
  if (url.protocol !== "https:") throw refused("it is not https");
  if (url.port !== "") throw refused("its port is not 443");
  if (url.username !== "" || url.password !== "" || url.hash !== "") throw refused("it holds a name, a password or a fragment");
  return url;
}

/**
 * Sends to public addresses only, and cannot be turned inward: the name is resolved once, all its addresses have to be public, and the
 * connection goes to the address that was judged. No redirect is followed.
 */
export function guardedPush(resolve?: Resolve): Push {
  return async (given, posted) => {
    const url = requireEndpoint(given.href);
    if (posted.body.length > MAX_OUT) throw new Refused("PushRefused", `More than ${MAX_OUT} bytes are not sent`);
    const addresses = await addressesOf(url, resolve).catch((error: unknown) => {
      throw new Refused("PushRefused", "Nothing is sent to this endpoint: its name does not resolve", { details: messageOf(error) });
    });
    const [address] = addresses;
    if (address === undefined || !addresses.every(isPublicAddress))
      throw new Refused("PushRefused", "Nothing is sent to this endpoint: not all its addresses are public", { details: url.hostname });
    const response = await openAt(address, url, AbortSignal.timeout(PATIENCE), posted);
    const text = new TextDecoder().decode(await bodyOf(response, MAX_IN));
    return { status: response.statusCode ?? 0, text };
  };
}
