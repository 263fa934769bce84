/** Debian's Chromium, a wallet for it, and what a page must never do. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { LocalAccount } from "viem";
import { DEVNET_CHAIN_ID } from "../../orchestrator/chain/devnet.ts";

/** Nothing can be looked at here. */
export class NoBrowser extends Error {
  readonly code = "NoBrowser";
  constructor() {
    super("no Chromium is here: apt-get install -y chromium");
  }
}

/** Throws NoBrowser. */
export function findBrowser(): string {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
  if (found === undefined) throw new NoBrowser();
  return found;
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: findBrowser(), args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A wallet that shows one chain at a time, knows those that it was given, and lets nothing be added where it is `closed`. */
export interface WalletChains {
  shown: number;
  readonly known: number[];
  readonly closed?: boolean;
}

/** An error of a wallet's: its code gets lost between here and the page, which makes it anew. */
const refused = (code: number) => ({ refused: code });

function answerOfChains(chains: WalletChains, method: string, [given]: readonly unknown[]): unknown {
  if (method === "eth_chainId") return `0x${chains.shown.toString(16)}`;
  const { chainId } = given as { chainId: string };
  const wanted = Number(chainId);
  if (method === "wallet_switchEthereumChain") {
    if (!chains.known.includes(wanted)) return refused(4902);
    chains.shown = wanted;
    return null;
  }
  if (chains.closed === true) return refused(4001);
  chains.known.push(wanted);
  chains.shown = wanted;
  return null;
}

/**
 * A wallet as pages see one (EIP-1193): it signs exactly the text that it is given, for no chain but the one that it shows, and tells the page
 * when it shows another. `signed` has every text. What its holder does in it, a test plays by `ethereum.emit`.
 */
export async function giveWallet(
  context: BrowserContext,
  account: LocalAccount,
  signed: string[] = [],
  chains: WalletChains = { shown: DEVNET_CHAIN_ID, known: [DEVNET_CHAIN_ID] },
): Promise<void> {
  await context.exposeFunction("walletOfTest", async (method: string, params: readonly string[]): Promise<unknown> => {
    if (/^(eth_chainId|wallet_\w+EthereumChain)$/.test(method)) return answerOfChains(chains, method, params);
    if (method === "eth_requestAccounts" || method === "eth_accounts") return [account.address];
    if (method === "eth_signTypedData_v4") {
      const [, json = ""] = params;
      signed.push(json);
      const { types, ...data } = JSON.parse(json);
      if (Number(data.domain.chainId) !== chains.shown) return refused(-32_603);
      const { EIP712Domain: _, ...own } = types;
      return account.signTypedData({ ...data, types: own });
    }
    if (method === "personal_sign") return account.signMessage({ message: { raw: params[0] as `0x${string}` } });
    // Wallets differ in what else they answer.
    return refused(4_200);
  });
  await context.addInitScript(() => {
    const ask = (globalThis as unknown as { walletOfTest: (method: string, params: readonly unknown[]) => Promise<unknown> }).walletOfTest;
    const heard = new Map<string, Set<(told: unknown) => void>>();
    const emit = (name: string, told: unknown) => {
      for (const listener of heard.get(name) ?? []) listener(told);
    };
    const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      const answer = await ask(method, params);
      const refusal = (answer as { refused?: number } | null)?.refused;
      if (refusal !== undefined) throw Object.assign(new Error("the wallet refuses"), { code: refusal });
      if (/^wallet_\w+EthereumChain$/.test(method)) emit("chainChanged", await ask("eth_chainId", []));
      return answer;
    };
    const on = (name: string, listener: (told: unknown) => void) => heard.set(name, (heard.get(name) ?? new Set()).add(listener));
    const removeListener = (name: string, listener: (told: unknown) => void) => heard.get(name)?.delete(listener);
    Object.assign(globalThis, { ethereum: { request, on, removeListener, emit } });
  });
}

/** What axe finds serious or worse on a page as it is. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (
      globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }
    ).axe.run(),
  );
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

export async function assertAccessible(page: Page): Promise<void> {
  assert.deepEqual(await seriousFindings(page), [], page.url());
}
