import { SIGNATURE_LIFE, signatureBase, signatureInput } from "../../../orchestrator/gateway/signature-base.ts";
import { request } from "./gateway.ts";

export interface Bearer {
  readonly bearer: string;
  readonly key: string;
  readonly expires: number;
}

/** A key that a wallet holds. */
export interface Key {
  readonly chainId: number;
  readonly account: `0x${string}`;
  /** EIP-191. */
  signMessage(text: string): Promise<string>;
}

const BODY = "{}";

/** Authenticates a key to the gateway (ERC-8128): a read-only session of fifteen minutes. */
export async function openSession({ chainId, account, signMessage }: Key): Promise<Bearer> {
  const url = new URL("/v1/session", location.href);
  const body = new TextEncoder().encode(BODY);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const headers: Record<string, string> = { "content-type": "application/json", "content-digest": `sha-256=:${base64(digest)}:` };
  const arriving = { method: "POST", url, body, headers: { get: (name: string) => headers[name] ?? null } };
  const nonce = crypto.randomUUID().replaceAll("-", "");
  // A clock that is ahead would sign for the future.
  const now = Math.floor(Date.now() / 1_000) - Math.floor(SIGNATURE_LIFE / 20);
  const { components, parameters } = signatureInput(arriving, { chainId, key: account, nonce, now });
  const signature = await signMessage(signatureBase(arriving, components, parameters));
  const bytes = Uint8Array.from(signature.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const signed = { ...headers, "signature-input": `eth=${parameters}`, signature: `eth=:${base64(bytes)}:` };
  return request<Bearer>(url.pathname, { method: "POST", headers: signed, body: BODY });
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
