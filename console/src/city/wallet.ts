/** A wallet in the browser (EIP-1193, found by EIP-6963 or as window.ethereum). Keys never reach the page: it asks, the wallet signs. */
import { SIGNATURE_LIFE, signatureBase, signatureInput } from "../../../orchestrator/gateway/signature-base.ts";
import { request } from "./gateway.ts";

export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

declare global {
  interface Window {
    ethereum?: Provider;
  }
}

export class NoWallet extends Error {
  readonly code = "NoWallet";
  readonly action = "install a wallet, unlock it, and reload the page; or copy the command and sign in a terminal";
  constructor() {
    super("No wallet is in this browser");
  }
}

/** The chain that a city is on, as its document says. */
export interface CityChain {
  readonly chainId: number;
  readonly network: string;
  /** Where a wallet on the same machine reaches it. */
  readonly rpc: string | undefined;
}

/** The wallet shows another chain than the city's, and will not change. */
export class WrongChain extends Error {
  readonly code = "WrongChain";
  readonly action: string;
  constructor({ chainId, network, rpc }: CityChain, shown: string) {
    super(`The wallet shows chain ${Number(shown)}, and signs for no other; this city is on ${network}, chain ${chainId}`);
    this.action = `choose chain ${chainId} in the wallet${rpc === undefined ? "" : `, or add it there with the address ${rpc} (some wallets take http: for this machine only, others not at all)`}; or copy the command and sign in a terminal`;
  }
}

/** EIP-3326: the wallet knows no such chain. */
const UNKNOWN_CHAIN = 4902;

/** Has the wallet show the city's chain, since a domain of another is not signed. Throws WrongChain. */
async function showChain(provider: Provider, chain: CityChain): Promise<void> {
  const chainId = `0x${chain.chainId.toString(16)}`;
  // A wallet that does not say which chain it shows does not mind.
  const shown = await provider.request({ method: "eth_chainId" }).catch(() => undefined);
  if (typeof shown !== "string" || Number(shown) === chain.chainId) return;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    if (chain.rpc === undefined || (error as { code?: unknown } | null)?.code !== UNKNOWN_CHAIN) throw new WrongChain(chain, shown);
    const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
    const added = { chainId, chainName: `AgentCity ${chain.network}`, nativeCurrency, rpcUrls: [chain.rpc] };
    await provider.request({ method: "wallet_addEthereumChain", params: [added] }).catch(() => {
      throw new WrongChain(chain, shown);
    });
  }
  const now = await provider.request({ method: "eth_chainId" });
  if (Number(now) !== chain.chainId) throw new WrongChain(chain, String(now));
}

/** Whoever was asked which wallet signs chose none. */
export class NoneChosen extends Error {
  readonly code = "NoneChosen";
  constructor() {
    super("No wallet was chosen");
  }
}

interface Announced {
  readonly detail: { readonly info: { readonly name: string }; readonly provider: Provider };
}

export interface FoundWallet {
  /** As it calls itself. */
  readonly name: string;
  readonly provider: Provider;
}

/** Wallets that this browser has; asked again each time, since they may load after the page. */
export function wallets(): readonly FoundWallet[] {
  const found: FoundWallet[] = [];
  const hear = (event: globalThis.Event) => {
    const { info, provider } = (event as globalThis.Event & Announced).detail;
    if (found.every((each) => each.provider !== provider)) found.push({ name: info.name, provider });
  };
  window.addEventListener("eip6963:announceProvider", hear);
  window.dispatchEvent(new globalThis.Event("eip6963:requestProvider"));
  window.removeEventListener("eip6963:announceProvider", hear);
  if (found.length === 0 && window.ethereum !== undefined) found.push({ name: "wallet", provider: window.ethereum });
  return found;
}

export interface Wallet {
  readonly account: `0x${string}`;
  /** Signs exactly this text: the page makes nothing of its own out of it. */
  signTypedData(json: string): Promise<string>;
  signMessage(text: string): Promise<string>;
}

/** Asks the wallet for its account. Throws NoWallet, WrongChain, or what the wallet says when its holder refuses. */
export async function connect(chain: CityChain, provider: Provider): Promise<Wallet> {
  const [account] = (await provider.request({ method: "eth_requestAccounts" })) as readonly `0x${string}`[];
  if (account === undefined) throw new NoWallet();
  return {
    account,
    async signTypedData(json) {
      await showChain(provider, chain);
      return String(await provider.request({ method: "eth_signTypedData_v4", params: [account, json] }));
    },
    async signMessage(text) {
      const bytes = new TextEncoder().encode(text);
      const hex = `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
      return String(await provider.request({ method: "personal_sign", params: [hex, account] }));
    },
  };
}

export interface Bearer {
  readonly bearer: string;
  readonly key: string;
  readonly expires: number;
}

const BODY = "{}";

/** Shows the gateway whose key this is (ERC-8128): a session of fifteen minutes that reads and never writes. */
export async function signIn(wallet: Wallet, chainId: number): Promise<Bearer> {
  const url = new URL("/v1/session", location.href);
  const body = new TextEncoder().encode(BODY);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const headers: Record<string, string> = { "content-type": "application/json", "content-digest": `sha-256=:${base64(digest)}:` };
  const arriving = { method: "POST", url, body, headers: { get: (name: string) => headers[name] ?? null } };
  const nonce = crypto.randomUUID().replaceAll("-", "");
  // A clock that is ahead would sign from the future.
  const now = Math.floor(Date.now() / 1_000) - Math.floor(SIGNATURE_LIFE / 20);
  const { components, parameters } = signatureInput(arriving, { chainId, key: wallet.account, nonce, now });
  const signature = await wallet.signMessage(signatureBase(arriving, components, parameters));
  const bytes = Uint8Array.from(signature.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const signed = { ...headers, "signature-input": `eth=${parameters}`, signature: `eth=:${base64(bytes)}:` };
  return request<Bearer>(url.pathname, { method: "POST", headers: signed, body: BODY });
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
