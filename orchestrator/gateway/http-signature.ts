import { createHash } from "node:crypto";
import { hashMessage, isAddressEqual, recoverMessageAddress, size } from "viem";
import type { IsSignedByContract } from "../chain/contract-signature.ts";
import { addressSchema } from "../primitives/address.ts";
import { type Address, bytesToHex, type Hex } from "../primitives/hex.ts";
import { Refused } from "./errors.ts";
import { type ArrivedRequest, hasLowS, neededComponents, SIGNATURE_LIFE, signatureBase, signatureInput } from "./signature-base.ts";

/**
 * Requests signed with an Ethereum key: ERC-8128 over RFC 9421, in one strict form. The label is `eth`; method, authority, path, query,
 * body and every header that changes the meaning are signed; a signature is valid for a minute and for one use.
 */

/** A signature's content, fully verified except for its nonce. */
export interface SignedBy {
  readonly key: Address;
  readonly nonce: string;
  /** Unix seconds. */
  readonly expires: number;
  /** The text that the key signed (EIP-191); absent for contract signatures. */
  readonly signed?: { readonly text: string; readonly signature: Hex };
}

/** Tolerated clock skew, seconds. */
const CLOCK_SKEW = 5;

const INPUT =
  /^eth=(\((?:"[@a-z0-9-]{1,40}"(?: "[@a-z0-9-]{1,40}"){0,15})\)(?:;[a-z]{1,10}=(?:\d{1,12}|"[\x21\x23-\x5b\x5d-\x7e]{1,128}"))*)$/;
/** A key's 65 bytes, or a contract wallet's signature. */
const SIGNATURE = /^eth=:([A-Za-z0-9+/]{1,5464}={0,2}):$/;
const NONCE = /^[A-Za-z0-9_-]{16,128}$/;
const KEY_ID = /^erc8128:([1-9]\d{0,15}):(0x[0-9a-fA-F]{40})$/;

const bad = (problem: string) => new Refused("BadSignature", `The request's signature is invalid: ${problem}`);

/** Whether the request has a signature at all. */
export function isSigned({ headers }: ArrivedRequest): boolean {
  return headers.get("signature") !== null || headers.get("signature-input") !== null;
}

/** The signer of this very request. Throws Refused. The nonce still has to be consumed. `now`: unix seconds. */
export async function signerOfRequest(
  request: ArrivedRequest,
  chainId: number,
  now: number,
  isSignedByContract: IsSignedByContract = async () => false,
): Promise<SignedBy> {
  const input = request.headers.get("signature-input");
  const signature = request.headers.get("signature");
  if (input === null || signature === null) throw bad("Signature and Signature-Input are both required");
  const [, parameters] = INPUT.exec(input) ?? [];
  if (parameters === undefined) throw bad("Signature-Input is not one list under the label eth");
  const components = [...(/^\(([^)]*)\)/.exec(parameters)?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  requireCoverage(request, components);
  const said = parametersIn(parameters);
  const times = requireTimes(said, now);
  const [, chain, address] = KEY_ID.exec(said.get("keyid") ?? "") ?? [];
  if (address === undefined || Number(chain) !== chainId) throw bad(`keyid is not erc8128:${chainId}:<address>`);
  const nonce = said.get("nonce") ?? "";
  if (!NONCE.test(nonce)) throw bad("the nonce is not 16 to 128 letters and digits");
  requireDigest(request, components);
  const text = signatureBase(request, components, parameters);
  const raw = bytesToHex(new TextEncoder().encode(text));
  const key = addressSchema.parse(address.toLowerCase());
  const given = signatureIn(signature);
  const problem = await problemOf(key, raw, given);
  if (problem !== undefined && !(await isSignedByContract(key, hashMessage({ raw }), given))) throw bad(problem);
  return { key, nonce, expires: times.expires, ...(problem === undefined ? { signed: { text, signature: given } } : {}) };
}

function requireCoverage({ url, headers, body }: ArrivedRequest, components: readonly string[]): void {
  if (new Set(components).size !== components.length) throw bad("a component is signed twice");
  const missing = neededComponents({ url, headers, body }).filter((name) => !components.includes(name));
  if (missing.length > 0) throw bad(`${missing.join(", ")} must be signed`);
}

function parametersIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.replace(/^\([^)]*\)/, "").matchAll(/;([a-z]+)=("[^"]*"|\d+)/g)) {
    if (!["created", "expires", "nonce", "keyid"].includes(name)) throw bad(`parameter ${name} is not known`);
    if (found.has(name)) throw bad(`parameter ${name} appears twice`);
    const isText = name === "nonce" || name === "keyid";
    if (isText !== value.startsWith('"')) throw bad(`parameter ${name} has the wrong type`);
    found.set(name, isText ? value.slice(1, -1) : value);
  }
  return found;
}

function requireTimes(said: ReadonlyMap<string, string>, now: number): { readonly expires: number } {
  const [created, expires] = [Number(said.get("created") ?? Number.NaN), Number(said.get("expires") ?? Number.NaN)];
  if (!Number.isSafeInteger(created) || !Number.isSafeInteger(expires)) throw bad("created and expires are both required");
  if (expires <= created || expires - created > SIGNATURE_LIFE) throw bad(`it must be valid for 1 to ${SIGNATURE_LIFE} s`);
  if (created > now + CLOCK_SKEW) throw bad("it was created in the future: check your clock");
  if (expires < now) throw bad("it has expired");
  return { expires };
}

function requireDigest({ headers, body }: ArrivedRequest, components: readonly string[]): void {
  if (!components.includes("content-digest")) return;
  const digest = createHash("sha256").update(body).digest("base64");
  if (headers.get("content-digest") !== `sha-256=:${digest}:`) throw bad("content-digest does not match the body");
}

function signatureIn(header: string): Hex {
  const [, text = ""] = SIGNATURE.exec(header) ?? [];
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.toString("base64") !== text) throw bad("it is not a signature under the label eth");
  return bytesToHex(new Uint8Array(bytes));
}

/** Why these are not this key's 65 bytes over a message (EIP-191); undefined if they are. */
async function problemOf(key: Address, raw: Hex, signature: Hex): Promise<string | undefined> {
  if (size(signature) !== 65) return "it is not 65 bytes";
  if (!hasLowS(signature) || !/1[bc]$/.test(signature)) return "it is not in canonical form";
  const by = await recoverMessageAddress({ message: { raw }, signature }).catch(() => undefined);
  return by !== undefined && isAddressEqual(by, key) ? undefined : "it is not by the key that keyid names";
}

/** Headers added by a signer. */
export interface SignatureHeaders {
  readonly "signature-input": string;
  readonly signature: string;
  readonly "content-digest"?: string;
}

/** Signs a request for this gateway. `now`: unix seconds; `sign`: EIP-191 over the bytes, as wallets do. */
export async function signRequest(
  request: ArrivedRequest,
  { chainId, key, nonce, now }: { readonly chainId: number; readonly key: Address; readonly nonce: string; readonly now: number },
  sign: (message: { readonly raw: `0x${string}` }) => Promise<`0x${string}`>,
): Promise<SignatureHeaders> {
  const digest =
    request.body.length === 0 ? {} : { "content-digest": `sha-256=:${createHash("sha256").update(request.body).digest("base64")}:` };
  const headers = { get: (name: string) => (name === "content-digest" ? (digest["content-digest"] ?? null) : request.headers.get(name)) };
  const { components, parameters } = signatureInput({ ...request, headers }, { chainId, key, nonce, now });
  const base = signatureBase({ ...request, headers }, components, parameters);
  const signature = await sign({ raw: bytesToHex(new TextEncoder().encode(base)) });
  return {
    ...digest,
    "signature-input": `eth=${parameters}`,
    signature: `eth=:${Buffer.from(signature.slice(2), "hex").toString("base64")}:`,
  };
}
