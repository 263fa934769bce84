import { randomBytes } from "node:crypto";
import type { LocalAccount } from "viem";
import { signRequest } from "../../orchestrator/gateway/http-signature.ts";

/** A request with its signature headers, ready to be sent, and to be sent again. */
export async function signedRequest(
  account: LocalAccount,
  url: string,
  {
    method = "POST",
    body = "{}",
    now,
    chainId = 31337,
  }: { readonly method?: string; readonly body?: string; readonly now: number; readonly chainId?: number },
): Promise<{ readonly url: string; readonly init: RequestInit }> {
  const headers = new Headers(body === "" ? {} : { "content-type": "application/json" });
  const request = { method, url: new URL(url), headers, body: new TextEncoder().encode(body) };
  const nonce = randomBytes(16).toString("base64url");
  const added = await signRequest(request, { chainId, key: account.address, nonce, now }, (raw) => account.signMessage({ message: raw }));
  for (const [name, value] of Object.entries(added)) headers.set(name, value);
  return { url, init: { method, headers, ...(body === "" ? {} : { body }) } };
}
