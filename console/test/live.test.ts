/** The console of a city that runs: a real city in this process, its gateway, Debian's Chromium, and wallets of test. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { externalJudges } from "../../orchestrator/city/humans/case-desk.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import type { Gateway } from "../../orchestrator/gateway/serve.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { CATALOG } from "../../services/catalog.ts";
import { drafted, signedAndSent } from "../../test/gateway/orders.ts";
import { assertAccessible, giveWallet, launch, type WalletChains } from "./browser.ts";
import { commandOutput } from "./command.ts";
import { root, serveConsole } from "./served.ts";

const work = mkdtempSync(join(tmpdir(), "agentcity-live-"));
/** Where pictures of the pages are put, if asked for. */
const pictures = process.env["CONSOLE_PICTURES"];

const MISSION = `mission: packages
goal: Estimate work packages three ways.
budget: "600.00"
deadline: 20m
risk: LOW
input: { kind: csv, path: packages.csv }
tasks:
  read: { service: fetch-and-parse, over: input, tier: 1 }
  estimate:
    service: [estimate-by-pert, estimate-by-triangle, estimate-by-median]
    after: [read]
    tier: 2
    agree: { on: value, atLeast: 0.6 }
  report: { service: aggregate, after: [estimate], tier: 3 }
output: { task: report, format: markdown }
`;

/** Somebody else's text at its worst: script, markup, a direction that turns the line around. */
const HOSTILE = 'seen twice <img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script> \u202Etxet siht nrut';

let city: City;
let gateway: Gateway;
let browser: Browser;
let mission: Promise<Outcome>;
/** Resolved when the first work is committed; the mission waits there until it may go on. */
const committed = Promise.withResolvers<void>();
const mayGoOn = Promise.withResolvers<void>();
let port = 0;
const complaints: string[] = [];

function accountOf(name: string) {
  const member = city.society.find((each) => each.name === name);
  if (member === undefined) throw new Error(`nobody here is called ${name}`);
  return member.account;
}

async function serve(): Promise<void> {
  gateway = await serveConsole(city, port);
  port = Number(new URL(gateway.url).port);
}

async function newPage(seat?: string, colorScheme: "light" | "dark" = "light", signed: string[] = []): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1400, height: 1000 } });
  if (seat !== undefined) await giveWallet(context, accountOf(seat), signed);
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);
  page.on("console", (message) => {
    // A gateway that is gone is refused connections; the browser says so by itself.
    if (message.type() === "error" && !/ERR_CONNECTION|Failed to load resource|ERR_INCOMPLETE/.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(gateway.url) && !/^(data|blob):/.test(request.url())) complaints.push(`asked ${request.url()}`);
  });
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** What the page before a signature shows is there: connected, simulated, ready. */
async function sign(page: Page, action: string): Promise<void> {
  const connect = page.getByRole("button", { name: "Connect a wallet" });
  await connect.or(page.getByRole("button", { name: `Sign ${action}` })).waitFor();
  if (await connect.isVisible()) await connect.click();
  const button = page.getByRole("button", { name: `Sign ${action}` });
  await button.click();
}

describe("the console of a city", { timeout: 3_600_000 }, () => {
  before(async () => {
    mkdirSync(work, { recursive: true });
    copyFileSync(join(root, "missions", "data", "work-packages.csv"), join(work, "packages.csv"));
    let isFirst = true;
    city = await openCity({
      dir: join(work, "embedded"),
      cacheDir: join(work, "cache"),
      seed: "7",
      progress: () => {},
      millis: () => 0,
      async boundary(name) {
        if (name !== "execution:committed" || !isFirst) return;
        isFirst = false;
        committed.resolve();
        await mayGoOn.promise;
      },
    });
    browser = await launch();
    await serve();
  });

  after(async () => {
    mayGoOn.resolve();
    await browser?.close();
    await gateway?.close();
    // A test that failed leaves it waiting for a human.
    await Promise.race([mission?.catch(() => {}), sleep(3_000)]);
    await city?.close();
    rmSync(work, { recursive: true, force: true });
  });

  let watching: Page;
  let address = "";

  it("shows an empty city as one, and a mission as soon as its law is talked about", async () => {
    watching = await newPage();
    await watching.goto(`${gateway.url}/`);
    await watching.getByText("No mission yet").waitFor();
    await watching.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    const file = parseMissionFile(MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
    const { client, dir, progress } = city;
    const judge = externalJudges({ client, dir, progress, sleep: (millis) => sleep(millis) });
    mission = runToEnd(
      city,
      { file, catalog: CATALOG, input: readInput(file.input, work), id: "live", judge, cheat: false },
      MISSION,
      work,
    );
    mission.catch(() => {});
    await watching
      .getByRole("link", { name: /A law is being made|shards|estimators|classifiers|by task/ })
      .first()
      .click();
    await watching.waitForURL(/\/missions\/0x[0-9a-f]{64}$/);
    await committed.promise;
    // From the session to the mission under its law, in the same document.
    await watching.getByRole("heading", { name: "Eleven live metrics" }).waitFor();
    await watching.locator('[data-mission-state="EXECUTING"]').waitFor();
    assert.equal(await watching.evaluate(() => "sameDocument" in globalThis), true);
    assert.equal(await watching.locator("[data-metric]").count(), 11);
    address = (await city.client.templates.history("MissionDeployed")).at(-1)?.args.mission ?? "";
    await picture(watching, "mission-at-work");
  });

  it("says the same order as the command line, byte for byte, and freezes a node by a signature in the page", async () => {
    const texts: string[] = [];
    const page = await newPage("adjudicator-1", "light", texts);
    await page.goto(`${gateway.url}/missions/${address}/nodes/0`);
    await page.getByRole("link", { name: "Freeze this node" }).click();
    await page.getByLabel(/^Why/).fill(HOSTILE);
    await page.getByRole("button", { name: "See what would happen" }).click();
    await page.locator(".effect").waitFor();
    await page.getByRole("button", { name: "Sign in and simulate" }).click();
    await page.locator('[data-simulated="true"]').waitFor();
    assert.match((await page.locator("[data-simulated]").textContent()) ?? "", /node 0.*frozen/is);
    // The embedded chain's trace cannot suppose signatures: the page says by what it was told, and that there is no more.
    assert.equal(await page.locator("[data-simulated]").getAttribute("data-method"), "eth_call");
    await page.getByText("does not tell what else would change").waitFor();
    await picture(page, "order");
    await page.getByText("The exact message, and its three hashes").click();
    const shown = (await page.locator("[data-typed]").textContent()) ?? "";
    const typed = await commandOutput(work, ["override", "freeze", address, "0", "--because", HOSTILE, "--dry-run"]);
    assert.equal(shown, typed);
    await sign(page, "FREEZE");
    await page.locator('[data-done="executed"]').waitFor();
    assert.deepEqual(texts, [typed]);
    const FROZEN = 5;
    assert.equal((await city.client.mission(address as `0x${string}`).nodeOf(0)).state, FROZEN);
    // Who watches sees it without doing anything.
    await watching.locator('[data-metric="active freezes"][data-alerts="true"]').waitFor();
    await picture(watching, "mission-frozen");
    // Its reason is somebody's text, and stays text.
    await page.goto(`${gateway.url}/panel`);
    const act = page.locator('[data-act="FREEZE"]');
    await act.waitFor();
    assert.match((await act.textContent()) ?? "", /<img src=x/);
    assert.equal(await page.evaluate(() => "hacked" in globalThis), false);
    await page.context().close();
  });

  it("shows the same mission as a feed, as failures alone and as one document, each by its address", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/missions/${address}`);
    await page.getByRole("link", { name: "Feed" }).click();
    await page.locator('[data-feed="all"]').waitFor();
    assert.ok((await page.locator('[data-feed="all"] li').count()) > 20);
    await page.getByLabel("failures only").check();
    const failures = page.locator('[data-feed="failures"] li');
    await failures.first().waitFor();
    assert.ok((await failures.allTextContents()).some((line) => line.includes("node frozen")));
    assert.ok((await failures.allTextContents()).every((line) => !line.includes("work handed out")));
    await page.reload();
    await failures.first().waitFor();
    await assertAccessible(page);
    await page.getByRole("link", { name: "Graph and table" }).click();
    await page.locator(".graph .work").first().waitFor();
    assert.equal(await page.locator(".graph .work").count(), 1, "the part that is frozen, and nothing else");
    await page.getByRole("link", { name: "JSON" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save" }).click();
    const text = readFileSync(await (await saved).path(), "utf8");
    const { mission: told, nodes, law } = JSON.parse(text);
    assert.equal(told.mission.toLowerCase(), address.toLowerCase());
    assert.equal(nodes.nodes.length, law.nodes.length);
    await assertAccessible(page);
    await page.context().close();
  });

  it("finds no words in work that is withheld", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/log?name=execution.work`);
    await page.locator(".entry").first().waitFor();
    await page.goto(`${gateway.url}/log?name=execution.work&text=outputId`);
    await page.getByText("No entry fits this filter").waitFor();
    await page.context().close();
  });

  it("tells a conflicted adjudicator why not, and a stranger", async () => {
    const own = accountOf("adjudicator-2").address;
    const page = await newPage("adjudicator-2");
    await page.goto(`${gateway.url}/panel/act?action=FREEZE_PRINCIPAL&target=${own}`);
    await page.getByLabel(/^frozen/).selectOption("true");
    await page.getByLabel(/^Why/).fill("to see whether one may judge oneself");
    await page.getByRole("button", { name: "See what would happen" }).click();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    await page.locator("[data-why-not]").filter({ hasText: "has an interest" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Sign FREEZE_PRINCIPAL" }).isDisabled(), true);
    assert.match((await page.locator(`[data-seat="${own}"]`).textContent()) ?? "", /may not: adjudicator .* has an interest/);
    await page.context().close();
    const stranger = await newPage("sponsor");
    await stranger.goto(`${gateway.url}/panel/act?action=STOP_CITY`);
    await stranger.getByLabel(/^Why/).fill("because I can");
    await stranger.getByRole("button", { name: "See what would happen" }).click();
    await stranger.getByRole("button", { name: "Connect a wallet" }).click();
    await stranger.locator("[data-why-not]").filter({ hasText: "has no seat" }).waitFor();
    // A session of somebody without a seat reads no case, and no page may send what nobody signed.
    const answer = await stranger.evaluate(async () => (await fetch("/v1/cases/review-00000000-0")).status);
    assert.equal(answer, 401);
    await stranger.context().close();
  });

  it("changes a parameter with two signatures of two adjudicators", async () => {
    const index = parameterIndex("REPUTATION_FLOOR");
    const first = await newPage("adjudicator-1");
    await first.goto(`${gateway.url}/rules?parameter=REPUTATION_FLOOR`);
    await first.getByLabel(/^New value/).fill("120");
    await first.getByLabel("Why").fill("agents at 100 were still trusted");
    await first.getByRole("button", { name: "See what would happen" }).click();
    await sign(first, "AMEND_PARAMETER");
    await first.locator('[data-done="waiting"]').waitFor();
    assert.equal(await city.client.constitution.param(index), 100n);
    const second = await newPage("adjudicator-3");
    await second.goto(`${gateway.url}/`);
    await second.getByRole("link", { name: "Look and sign" }).click();
    await second.getByText("has signed").waitFor();
    await picture(second, "second-signature");
    await sign(second, "AMEND_PARAMETER");
    await second.locator('[data-done="executed"]').waitFor();
    assert.equal(await city.client.constitution.param(index), 120n);
    await first.context().close();
    await second.context().close();
  });

  it("fills the screen with an emergency stop until it was seen", async () => {
    const page = await newPage();
    await page.route("**/vitals", async (route) => {
      const answer = await route.fetch();
      const { metrics, ...told } = await answer.json();
      const stopped = metrics.map((each: { name: string }) =>
        each.name === "emergency stops" ? { ...each, value: "the mission is stopped", alerts: true } : each,
      );
      await route.fulfill({ response: answer, json: { ...told, metrics: stopped } });
    });
    await page.goto(`${gateway.url}/missions/${address}`);
    await page.locator("[data-stop]").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Enter");
    await page.locator("[data-stop]").waitFor({ state: "detached" });
    await page.locator(".stopped").waitFor();
    await page.context().close();
  });

  it("says that a wallet shows another chain, has it show the city's, and says what to do where it will not", async () => {
    for (const closed of [true, false]) {
      const chains: WalletChains = { shown: 1, known: [1], closed };
      const page = await newPage();
      await giveWallet(page.context(), accountOf("adjudicator-1"), [], chains);
      await page.goto(`${gateway.url}/panel/act?action=FREEZE&mission=${address}&node=1`);
      await page.getByLabel(/^Why/).fill("to see what the wallet makes of it");
      await page.getByRole("button", { name: "See what would happen" }).click();
      await page.getByRole("button", { name: "Connect a wallet" }).click();
      await page.locator('[data-strays="1"]').waitFor();
      assert.equal(await page.getByRole("button", { name: "Sign FREEZE" }).isDisabled(), true);
      await assertAccessible(page);
      const change = page.getByRole("button", { name: `Have the wallet show chain ${city.chain.id}` });
      await change.click();
      if (closed) {
        await page
          .getByRole("alert")
          .filter({ hasText: "WrongChain" })
          .filter({ hasText: `choose chain ${city.chain.id}` })
          .waitFor();
        assert.deepEqual(chains, { shown: 1, known: [1], closed });
      } else {
        await page.locator("[data-strays]").waitFor({ state: "detached" });
        assert.deepEqual(chains, { shown: city.chain.id, known: [1, city.chain.id], closed });
        await sign(page, "FREEZE");
        await page.locator('[data-done="executed"]').waitFor();
      }
      await page.context().close();
    }
    const order = await drafted(gateway.url, { mission: address, node: 1, because: "it was a trial", action: "UNFREEZE" });
    assert.equal((await signedAndSent(gateway.url, order, accountOf("adjudicator-2"))).relayed?.status, "executed");
  });

  it("follows what the wallet's holder does in it: another chain, another account", async () => {
    const page = await newPage("adjudicator-1");
    const inWallet = (name: string, told: unknown) =>
      page.evaluate(
        ([event, data]) => (globalThis as unknown as { ethereum: { emit(name: unknown, told: unknown): void } }).ethereum.emit(event, data),
        [name, told],
      );
    await page.goto(`${gateway.url}/panel/act?action=STOP_CITY`);
    await page.getByLabel(/^Why/).fill("to be followed");
    await page.getByRole("button", { name: "See what would happen" }).click();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    const signs = page.getByRole("button", { name: "Sign STOP_CITY" });
    await signs.waitFor();
    assert.equal(await signs.isEnabled(), true);
    await inWallet("chainChanged", "0xa");
    await page.locator('[data-strays="10"]').waitFor();
    assert.equal(await signs.isDisabled(), true);
    await inWallet("chainChanged", `0x${city.chain.id.toString(16)}`);
    await page.locator("[data-strays]").waitFor({ state: "detached" });
    await inWallet("accountsChanged", [accountOf("sponsor").address]);
    await page.locator("[data-why-not]").filter({ hasText: "has no seat" }).waitFor();
    await inWallet("accountsChanged", [accountOf("adjudicator-3").address]);
    await page.locator("[data-why-not]").waitFor({ state: "detached" });
    assert.match((await page.locator(`[data-seat="${accountOf("adjudicator-3").address}"]`).textContent()) ?? "", /\(you\)/);
    await inWallet("accountsChanged", []);
    await page.getByRole("button", { name: "Connect a wallet" }).waitFor();
    await page.context().close();
  });

  it("asks which wallet signs where there are several, by keyboard too", async () => {
    const page = await newPage("adjudicator-1");
    await page.addInitScript(() => {
      const { ethereum } = globalThis as unknown as { ethereum: object };
      const deaf = { request: () => Promise.reject(new Error("this wallet is deaf")) };
      addEventListener("eip6963:requestProvider", () => {
        for (const [name, provider] of [
          ["Deaf", deaf],
          ["Mine <b>", ethereum],
        ] as const) {
          const info = { name, uuid: `of ${name}`, rdns: `test.${name.slice(0, 4).toLowerCase()}`, icon: "data:image/svg+xml," };
          dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
        }
      });
    });
    await page.goto(`${gateway.url}/panel/act?action=STOP_CITY`);
    await page.getByLabel(/^Why/).fill("to be asked");
    await page.getByRole("button", { name: "See what would happen" }).click();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    const question = page.getByRole("dialog", { name: "Which wallet signs?" });
    await question.waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("alert").filter({ hasText: "NoneChosen" }).waitFor();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    await question.waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Deaf");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign STOP_CITY" }).waitFor();
    await question.waitFor({ state: "detached" });
    await page.context().close();
  });

  it("releases the node again", async () => {
    const page = await newPage("adjudicator-4");
    await page.goto(`${gateway.url}/panel/act?action=UNFREEZE&mission=${address}&node=0`);
    await page.getByLabel(/^Why/).fill("it was a false alarm");
    await page.getByRole("button", { name: "See what would happen" }).click();
    await sign(page, "UNFREEZE");
    await page.locator('[data-done="executed"]').waitFor();
    await watching.locator('[data-metric="active freezes"][data-alerts="false"]').waitFor();
    await page.context().close();
  });

  it("refuses an order on a state that changed meanwhile, and names who has decided alone too often", async () => {
    const byHand = async (action: string, node: number, seat: string) => {
      const subject = { mission: address, node, because: "a second look", action };
      const sent = await signedAndSent(gateway.url, await drafted(gateway.url, subject), accountOf(seat));
      assert.equal(sent.relayed?.status, "executed", sent.body);
    };
    const page = await newPage("adjudicator-3");
    // Work that waits for its panel is frozen once an attempt: each of these is another node.
    await byHand("FREEZE", 2, "adjudicator-2");
    await page.goto(`${gateway.url}/panel/act?action=UNFREEZE&mission=${address}&node=2`);
    await page.getByLabel(/^Why/).fill("it looks right");
    await page.getByRole("button", { name: "See what would happen" }).click();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    await byHand("UNFREEZE", 2, "adjudicator-4");
    await page.getByRole("button", { name: "Sign UNFREEZE" }).click();
    await page.getByRole("alert").filter({ hasText: "StaleCase" }).waitFor();
    assert.equal(await page.locator("[data-done]").count(), 0);
    await byHand("FREEZE", 3, "adjudicator-5");
    await page.goto(`${gateway.url}/panel/act?action=UNFREEZE&mission=${address}&node=3`);
    await page.getByLabel(/^Why/).fill("once more");
    await page.getByRole("button", { name: "See what would happen" }).click();
    const seat = page.locator(`[data-seat="${accountOf("adjudicator-4").address}"]`);
    await seat.filter({ hasText: "alone too often in a row" }).waitFor();
    await byHand("UNFREEZE", 3, "adjudicator-3");
    mayGoOn.resolve();
    await page.context().close();
  });

  it("offers no approval on evidence that is withheld or exchanged, and a freeze all the same", async () => {
    await watching.getByText("Waiting for an adjudicator").waitFor({ timeout: 1_500_000 });
    // Whoever reads something else in another tab sees it in the window's title.
    await watching.locator('[data-waiting="1"]').waitFor();
    assert.match(await watching.title(), /^\(1\) Mission /);
    const page = await newPage("adjudicator-4");
    for (const [state, word] of [
      [{ isHere: false, base64: null }, "withheld by the city"],
      [{ base64: btoa("all went well") }, "hash differs"],
    ] as const) {
      await page.route("**/v1/cases/*", async (route) => {
        const answer = await route.fetch();
        const told = await answer.json();
        const [first, ...rest] = told.pieces;
        await route.fulfill({ response: answer, json: { ...told, pieces: [{ ...first, ...state }, ...rest] } });
      });
      await page.goto(watching.url());
      await page.getByRole("link", { name: "Look and decide" }).click();
      await page.getByRole("button", { name: "Sign in with a wallet" }).click();
      await page.locator('[data-evidence="incomplete"]').waitFor();
      await page.getByText(word).first().waitFor();
      await page.getByLabel(/^Why/).fill("I believe it");
      await page.getByRole("button", { name: /^Approve/ }).click();
      await page.getByRole("alert").filter({ hasText: "Evidence is missing" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Sign APPROVE_POP" }).isDisabled(), true);
      await page.unrouteAll();
    }
    await page.goto(`${gateway.url}/panel/act?action=EMERGENCY_STOP&mission=${address}`);
    await page.getByLabel(/^Why/).fill("they show me nothing");
    await page.getByRole("button", { name: "See what would happen" }).click();
    await page.getByRole("button", { name: "Connect a wallet" }).click();
    const stop = page.getByRole("button", { name: "Sign EMERGENCY_STOP" });
    await stop.waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("button")].some((each) => each.textContent === "Sign EMERGENCY_STOP" && !each.disabled),
    );
    await page.context().close();
  });

  it("shows the report approved on whole evidence, and the payout, in the document that saw the draft", async () => {
    await watching.getByText("Waiting for an adjudicator").waitFor({ timeout: 1_500_000 });
    const page = await newPage("adjudicator-4");
    await page.goto(watching.url());
    await page.getByRole("link", { name: "Look and decide" }).click();
    await page.getByRole("button", { name: "Sign in with a wallet" }).click();
    await page.locator('[data-evidence="whole"]').waitFor();
    await page.getByLabel(/^Why/).fill("I have looked at it");
    await page.getByRole("button", { name: /^Approve/ }).click();
    await page.locator('[data-simulated="true"]').waitFor();
    await picture(page, "case");
    await sign(page, "APPROVE_POP");
    await page.locator('[data-done="executed"]').waitFor();
    const outcome = await mission;
    assert.equal(outcome.status, "completed");
    await watching.locator('[data-mission-state="COMPLETED"]').waitFor();
    await watching.getByText("Paid for work").first().waitFor();
    assert.equal(await watching.locator("[data-sum]").getAttribute("data-units"), outcome.total.deposit);
    assert.equal(await watching.evaluate(() => "sameDocument" in globalThis), true);
    await picture(watching, "mission-completed");
    await page.context().close();
  });

  it("shows how the law came about, why a node cleared, what came out and what the panel changed", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/sessions/1`);
    await page.locator("[data-candidate]").first().waitFor();
    await page.locator("[data-speech]").first().waitFor();
    await page.locator("[data-cites]").first().waitFor();
    await page.locator("[data-straw]").waitFor();
    assert.deepEqual(await page.locator("[data-check]").evaluateAll((all) => all.map((each) => each.getAttribute("data-check"))), [
      ...Array.from({ length: 5 }, () => "holds"),
    ]);
    await picture(page, "session");
    await page.goto(`${gateway.url}/missions/${address}/nodes/0`);
    await page.getByText("Claimed.").waitFor();
    await page.getByText("Decision.").waitFor();
    const { gasUsed, contracts } = await (await fetch(`${gateway.url}/v1/missions/${address}/history`)).json().then(({ gas }) => ({
      gasUsed: gas.reduce((sum: number, each: { gas: number }) => sum + each.gas, 0),
      contracts: gas.map(({ contract }: { contract: string }) => contract),
    }));
    await page.locator(`[data-spent="${gasUsed}"]`).waitFor();
    // A layer of the chart for each, and a legend.
    const layers = page.locator("[data-spent] svg.chart path > title");
    assert.deepEqual(
      (await layers.allTextContents()).map((text) => text.split(":")[0]),
      contracts,
    );
    assert.deepEqual(await page.locator("[data-spent] .chart-swatch").allTextContents(), contracts);
    await page.locator("[data-report]").waitFor();
    await picture(page, "why");
    await page.goto(`${gateway.url}/rules?parameter=REPUTATION_FLOOR`);
    await page.locator('[data-signed="2"]').first().waitFor();
    await page.goto(`${gateway.url}/agents`);
    const [producer] = (await city.client.mission(address as `0x${string}`).history("ExecutorBound")).map(({ args }) => args.agent);
    await page.goto(`${gateway.url}/agents/${producer}`);
    await page.locator("[data-cause]").first().waitFor();
    await page.context().close();
  });

  it("fetches a finished mission's bundle from the city and checks it in the browser, also when the city lies", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/missions/${address}`);
    await page.getByRole("button", { name: "Fetch its bundle" }).click();
    await page.getByRole("heading", { name: "The documents are consistent" }).waitFor();
    await page.goBack();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save its bundle" }).click();
    const extracted = join(work, "extracted");
    mkdirSync(extracted);
    execFileSync("tar", ["-xf", await (await saved).path(), "-C", extracted]);
    execFileSync("diff", ["-r", extracted, join(work, "missions", address.toLowerCase())]);
    await page.route("**/bundle*", async (route) => {
      const answer = await route.fetch();
      const told = await answer.json();
      const files = told.files.map((file: { path: string; base64: string }) =>
        file.path === "report.md" ? { ...file, base64: btoa("all went well") } : file,
      );
      await route.fulfill({ response: answer, json: { ...told, files } });
    });
    await page.goto(`${gateway.url}/missions/${address}`);
    await page.getByRole("button", { name: "Fetch its bundle" }).click();
    await page.getByRole("heading", { name: "This bundle is not what it claims to be" }).waitFor();
    await page.context().close();
  });

  it("says that the city is gone, and catches up with no gap in two tabs when it is back", async () => {
    const other = await watching.context().newPage();
    await other.goto(`${gateway.url}/log`);
    await other.locator(".entry").first().waitFor();
    await gateway.close();
    for (const tab of [watching, other]) await tab.locator('[data-link="lost"]').waitFor();
    await serve();
    await city.log.append([{ kind: "test.said", subjects: ["while nobody listened"] }]);
    for (const tab of [watching, other]) await tab.locator('[data-link="live"]').waitFor();
    await gateway.sync();
    const { sequence } = gateway.hub.cursor();
    for (const tab of [watching, other]) {
      await tab.waitForFunction(
        (wanted) => Number((document.querySelector("[data-link]")?.textContent ?? "").replace(/\D/g, "")) >= wanted,
        sequence,
      );
    }
    await other.getByRole("button", { name: /new entries/ }).click();
    await other.locator(".entry").filter({ hasText: "test.said" }).waitFor();
    await other.close();
  });

  it("has a button for every step that anybody may send, and says what the chain refuses", async () => {
    const page = await newPage();
    /** What the gateway answers at this path, with some of it changed. */
    const changed = (path: string, change: Readonly<Record<string, unknown>>) =>
      page.route(path, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), ...change } });
      });
    const refused = async (step: string) => {
      const sent = page.waitForRequest("**/v1/pushes");
      await page.locator(`[data-push="${step}"]`).click();
      assert.equal((await sent).postDataJSON().step, step);
      await page.getByRole("alert").filter({ hasText: "TransactionReverted" }).waitFor();
      await page.unrouteAll();
    };
    await changed("**/money", { entitled: "1", isClosed: false });
    await page.goto(`${gateway.url}/missions/${address}/nodes/0`);
    await page.locator('[data-push="claim"]').waitFor();
    await page.locator('[data-push="close"]').waitFor();
    await refused("close");
    for (const [state, step] of [
      ["VOTING", "tally"],
      ["PROPOSING", "expire"],
    ] as const) {
      await changed("**/origin", { mission: null });
      await changed("**/v1/sessions/1", { state, deadline: 1 });
      await page.goto(`${gateway.url}/missions/${address}`);
      await refused(step);
    }
    await page.context().close();
  });

  it("finds words in records once their mission is over, and failures alone", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/log?name=execution.work`);
    await page.getByLabel("Text").fill("OUTPUTID");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.locator(".entry").filter({ hasText: "execution.work" }).first().waitFor();
    await page.goto(`${gateway.url}/log`);
    await page.getByLabel("What").selectOption("failures only");
    await page.locator(".entry").filter({ hasText: "node frozen" }).first().waitFor();
    assert.equal(await page.locator(".entry").filter({ hasText: "work handed out" }).count(), 0);
    await page.context().close();
  });

  it("recomputes a payload's hash, and shows a tampered one as such", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/log?name=TemplateRegistry.MissionDeployed`);
    await page.locator(".entry").first().click();
    await page.locator('[data-payload="true"]').waitFor();
    await picture(page, "log");
    const id = new URL(page.url()).searchParams.get("event");
    await page.route("**/v1/payloads/*", async (route) => {
      const answer = await route.fetch();
      const told = await answer.json();
      await route.fulfill({ response: answer, json: { ...told, payload: { ...told.payload, forged: true } } });
    });
    await page.goto(`${gateway.url}/log?event=${id}`);
    await page.locator('[data-payload="false"]').waitFor();
    await page.context().close();
  });

  it("has nothing serious that axe finds on any page, in both themes", async () => {
    const paths = [
      "/",
      `/missions/${address}/nodes/0`,
      `/missions/${address}?as=feed`,
      "/sessions/1",
      "/log",
      "/rules?parameter=QUORUM",
      "/rules?parameter=REPUTATION_FLOOR",
      "/panel",
      "/panel/act",
      "/seats",
      "/economy",
      "/economy/economy-1-contracts",
      "/agents",
      `/agents/${accountOf("adjudicator-1").address}`,
      "/bundle",
      "/nowhere",
    ];
    for (const scheme of ["light", "dark"] as const) {
      const page = await newPage(undefined, scheme);
      for (const path of paths) {
        await page.goto(`${gateway.url}${path}`);
        await page.locator("h1").first().waitFor();
        await page.waitForFunction(() => document.querySelector(".checking") === null);
        await assertAccessible(page);
        if (scheme === "light") await picture(page, `page${path.split("?")[0]?.replaceAll("/", "-").slice(0, 16)}`);
      }
      await page.context().close();
    }
  });

  it("can be used by keyboard alone", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/rules`);
    await page.getByRole("button", { name: "DEVIATION_THRESHOLD" }).waitFor();
    const press = async (until: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate(() => document.activeElement?.textContent ?? "")) === until) return;
      }
      throw new Error(`Tab never reached ${until}`);
    };
    await press("DEVIATION_THRESHOLD");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "DEVIATION_THRESHOLD" }).waitFor();
    await page.goto(`${gateway.url}/`);
    await page.getByRole("link", { name: "Log", exact: true }).waitFor();
    await press("Log");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "The log" }).waitFor();
    await page.context().close();
  });

  it("complained about nothing, and asked nobody else", () => {
    assert.deepEqual(complaints, []);
  });
});
