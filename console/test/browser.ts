/** Debian's Chromium, a wallet for it, and what a page must never do. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { LocalAccount } from "viem";

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

/** A wallet as pages see one (EIP-1193): it signs exactly the text that it is given. `signed` has every text. */
export async function giveWallet(context: BrowserContext, account: LocalAccount, signed: string[] = []): Promise<void> {
  await context.exposeFunction("walletOfTest", async (method: string, params: readonly string[]): Promise<unknown> => {
    if (method === "eth_requestAccounts") return [account.address];
    if (method === "eth_signTypedData_v4") {
      const [, json = ""] = params;
      signed.push(json);
      const { types, ...data } = JSON.parse(json);
      const { EIP712Domain: _, ...own } = types;
      return account.signTypedData({ ...data, types: own });
    }
    if (method === "personal_sign") return account.signMessage({ message: { raw: params[0] as `0x${string}` } });
    throw new Error(`the wallet does not answer ${method}`);
  });
  await context.addInitScript(() => {
    const ask = (globalThis as unknown as { walletOfTest: (method: string, params: readonly unknown[]) => Promise<unknown> }).walletOfTest;
    const ethereum = { request: ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => ask(method, params) };
    Object.assign(globalThis, { ethereum });
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
