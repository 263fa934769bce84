/** An appeal decided in the page by keyboard alone: read, ruled, simulated, signed by a wallet, carried out. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { externalJudges } from "../../orchestrator/city/humans/case-desk.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import type { Gateway } from "../../orchestrator/gateway/serve.ts";
import { digestOf } from "../../orchestrator/primitives/hash.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CATALOG } from "../../services/catalog.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../../test/support/small-mission.ts";
import { assertAccessible, giveWallet, launch } from "./browser.ts";
import { commandOutput } from "./command.ts";
import { serveConsole } from "./served.ts";

const work = mkdtempSync(join(tmpdir(), "agentcity-appeal-"));
const pictures = process.env["CONSOLE_PICTURES"];
/** What the sponsor says: markup, and a megabyte of it. */
const COMPLAINT = `Half of the rows are missing <img src=x onerror="globalThis.hacked=1"> ${"and again ".repeat(105_000)}`;
const BECAUSE = "Half of the rows are missing, and the verifiers did not look";

let city: City;
let gateway: Gateway;
let browser: Browser;
let mission: Promise<Outcome>;
let address: `0x${string}` | undefined;

/** The sponsor's appeal, once the first node is recorded. */
async function appealFirst(): Promise<void> {
  if (address !== undefined) return;
  const [approved] = await city.client.legislation.history("Approved");
  const found = approved?.args.mission;
  if (found === undefined) return;
  const contract = city.client.mission(found);
  if (!(await contract.nodeOf(0)).recorded) return;
  address = found;
  const { account } = memberOf(city.society, "sponsor");
  const { price } = await contract.slotOf(0, 0);
  await city.client.token.approve([found, price], { intent: intentKey("test", "bond"), account });
  const evidence = city.blocks.put(new TextEncoder().encode(COMPLAINT));
  const own = { agent: account.address, deadline: 2 ** 40 - 1, signature: "0x" } as const;
  await contract.appeal([0, 0, digestOf(evidence), own], { intent: intentKey("test", "appeal"), account });
}

/** Tabs until what has the focus is called so, then presses a key. */
async function press(page: Page, name: RegExp, key: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      // The whole page has every word in it.
      if (element === null || element.contains(document.querySelector("main"))) return "";
      const label = element?.labels?.[0]?.textContent ?? "";
      return `${label} ${element?.getAttribute("aria-label") ?? ""} ${element?.textContent ?? ""}`;
    });
  for (let presses = 0; presses < 120; presses += 1) {
    if (name.test(await focused())) return page.keyboard.press(key);
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reached ${name}`);
}

describe("an appeal in the console", { timeout: 3_600_000 }, () => {
  before(async () => {
    city = await openCity({
      dir: join(work, "anvil"),
      cacheDir: join(work, "cache"),
      // As `npm run city` founds one.
      network: "anvil",
      seed: "14",
      progress: () => {},
      millis: () => 0,
      boundary: async (name) => (name === "execution:committed" ? appealFirst() : undefined),
    });
    browser = await launch();
    gateway = await serveConsole(city);
    const { csv } = smallInputs(work, CALM_ROWS);
    const text = smallMission(csv, { risk: "MEDIUM" });
    const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
    const elsewhere = externalJudges({ client: city.client, dir: city.dir, progress: () => {}, sleep: (millis) => sleep(millis) });
    const judge = { ...simulatedJudge(city.chain.id), decideAppeal: elsewhere.decideAppeal };
    mission = runToEnd(
      city,
      { file, catalog: CATALOG, input: readInput(file.input, work), id: "appealed", judge, cheat: false },
      text,
      work,
    );
    mission.catch(() => {});
  });

  after(async () => {
    await browser?.close();
    await gateway?.close();
    await Promise.race([mission?.catch(() => {}), sleep(3_000)]);
    await city?.close();
    rmSync(work, { recursive: true, force: true });
  });

  it("is read, ruled on, simulated and signed without a pointer, as the command line would have it", async () => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
    const texts: string[] = [];
    const adjudicator = memberOf(city.society, "adjudicator").account;
    await giveWallet(context, adjudicator, texts);
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    await page.goto(`${gateway.url}/panel`);
    await page.getByRole("link", { name: "Look and decide" }).first().waitFor({ timeout: 1_500_000 });
    await press(page, /Look and decide/, "Enter");
    await page.getByRole("button", { name: "Sign in with a wallet" }).waitFor();
    await press(page, /Sign in with a wallet/, "Enter");
    await page.locator("[data-ruling]").waitFor();
    // A megabyte of somebody's text is cut, and its markup is text.
    await page.getByText("<img src=x").waitFor();
    assert.ok(((await page.locator("main").textContent()) ?? "").length < 100_000);
    await page.locator('[data-evidence="whole"]').waitFor();
    await assertAccessible(page);
    await press(page, /^Why/, "Space");
    await page.keyboard.type(BECAUSE);
    await press(page, /with a bond of/, "Space");
    await press(page, /What is earned after all/, "End");
    await press(page, /Uphold: see what would happen/, "Enter");
    await page.locator("[data-typed]").waitFor({ state: "attached" });
    await page.locator('[data-simulated="true"][data-method="debug_traceCall"]').waitFor();
    await press(page, /changes of the contracts' storage/, "Enter");
    assert.match((await page.locator("[data-storage]").textContent()) ?? "", /CollaborationContract.*mission\.appeals\[0\]\.open/s);
    await assertAccessible(page);
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, "appeal.png"), fullPage: true });
    const shown = (await page.locator("[data-typed]").textContent()) ?? "";
    const words = ["resolve", address ?? "", "0", "--attempt", "1", "--filed", "1", "--uphold", "0", "--share", "50"];
    const typed = await commandOutput(work, ["override", ...words, "--because", ` ${BECAUSE}`, "--dry-run"]);
    assert.equal(shown, typed);
    assert.match(
      (await page.locator("[data-command]").textContent()) ?? "",
      /override -- resolve 0x[0-9a-fA-F]{40} 0 --attempt 1 --filed 1 --uphold 0 --share 50 --because/,
    );
    await press(page, /Sign RESOLVE_APPEAL/, "Enter");
    await page.locator('[data-done="executed"]').waitFor();
    assert.deepEqual(texts, [typed]);
    assert.equal(await page.evaluate(() => "hacked" in globalThis), false);
    const [resolved] = await city.client.mission(address ?? "0x").history("AppealResolved");
    assert.deepEqual([resolved?.args.node, resolved?.args.upheld], [0, 1]);
    await page.goto(`${gateway.url}/panel`);
    await page.locator('[data-act="RESOLVE_APPEAL"]').waitFor();
    await context.close();
  });

  it("leaves a mission that ends, with every unit accounted for", async () => {
    const outcome = await mission;
    assert.equal(outcome.status, "completed");
    assert.equal(
      outcome.human.some(({ action }) => action === "decided an appeal"),
      true,
    );
  });
});
