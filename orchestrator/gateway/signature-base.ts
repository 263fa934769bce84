/** The text that a signed request's signature is over (RFC 9421, 2.5): whoever signs makes it, in Node or in a browser. */
import type { Address, Hex } from "../primitives/hex.ts";
import { Refused } from "./errors.ts";

/** A request as it arrived, or as it will be sent. */
export interface ArrivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** Headers that change what a request means: signed where they are present. */
const MEANING_HEADERS = ["content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id", "prefer"] as const;

/** Half of the curve's order: a signature beyond it is another's twin. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Whether 65 bytes of a secp256k1 signature have the lower of the two s that are good. */
export function hasLowS(signature: Hex): boolean {
  return BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER;
}

/** Seconds that a signature may live. */
export const SIGNATURE_LIFE = 60;

/** What has to be signed of a request. */
export function neededComponents({ url, headers, body }: Omit<ArrivedRequest, "method">): readonly string[] {
  return [
    ...["@method", "@authority", "@path"],
    ...(url.search === "" ? [] : ["@query"]),
    ...(body.length === 0 ? [] : ["content-digest"]),
    ...MEANING_HEADERS.filter((name) => headers.get(name) !== null),
  ];
}

export interface SignatureFacts {
  readonly chainId: number;
  readonly key: Address;
  /** 16 to 128 letters and digits, good once. */
  readonly nonce: string;
  /** Unix seconds. */
  readonly now: number;
}

/** The list of what is signed, and `Signature-Input` without its label. The headers have their `content-digest` already. */
export function signatureInput(
  request: ArrivedRequest,
  { chainId, key, nonce, now }: SignatureFacts,
): { readonly components: readonly string[]; readonly parameters: string } {
  const components = neededComponents(request);
  const list = components.map((name) => `"${name}"`).join(" ");
  const parameters = `(${list});created=${now};expires=${now + SIGNATURE_LIFE};nonce="${nonce}";keyid="erc8128:${chainId}:${key.toLowerCase()}"`;
  return { components, parameters };
}

/** The text that is signed. `parameters`: the list and its parameters, as in Signature-Input. */
export function signatureBase(request: ArrivedRequest, components: readonly string[], parameters: string): string {
  const lines = components.map((name) => `"${name}": ${componentOf(request, name)}`);
  return [...lines, `"@signature-params": ${parameters}`].join("\n");
}

const bad = (problem: string) => new Refused("BadSignature", `The request's signature is not good: ${problem}`);

function componentOf({ method, url, headers }: ArrivedRequest, name: string): string {
  if (name === "@method") return method.toUpperCase();
  // URL leaves out the scheme's own port and writes hosts in lower case.
  if (name === "@authority") return url.host;
  if (name === "@path") return url.pathname;
  if (name === "@query") return url.search === "" ? "?" : url.search;
  if (name.startsWith("@")) throw bad(`${name} is not signed here`);
  const value = headers.get(name);
  if (value === null) throw bad(`${name} is signed and not there`);
  return value.trim().replace(/[ \t]+/g, " ");
}
