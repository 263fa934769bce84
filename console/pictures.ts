/**
 * Takes the pictures that README and docs show: a mission of this repository in a city of its own, looked at in Debian's Chromium while it
 * runs, decided by a wallet, and looked at again. Writes docs/pictures/*.webp; needs a console that is built.
 *
 * usage: npm run docs:pictures
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { openCity } from "../orchestrator/city/city.ts";
import { externalJudges } from "../orchestrator/city/humans/case-desk.ts";
import { runToEnd } from "../orchestrator/city/missions/run.ts";
import { readInput } from "../orchestrator/execution/inputs/read-input.ts";
import { parseMissionFile } from "../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../services/catalog.ts";
import { giveWallet, launch } from "./test/browser.ts";
import { root, serveConsole } from "./test/served.ts";

const PICTURES = join(root, "docs", "pictures");
const MISSION = "missions/csv-estimates.yaml";
/** Bytes of all pictures: they are cloned by everybody. */
const MOST = 600_000;
const SIZE = { width: 1280, height: 900 } as const;
const QUALITY = 72;

const work = mkdtempSync(join(tmpdir(), "agentcity-pictures-"));
const progress = (line: string) => process.stderr.write(`${line}\n`);

async function take(page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".checking") === null);
  await page.evaluate(() => document.fonts.ready);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  writeFileSync(join(PICTURES, `${name}.webp`), Buffer.from(data, "base64"));
  progress(`${name}.webp`);
}

/** Brings a heading to the top of what is seen. */
async function showFrom(page: Page, heading: string): Promise<void> {
  await page
    .getByRole("heading", { name: heading })
    .first()
    .evaluate((element) => element.scrollIntoView({ block: "start" }));
}

mkdirSync(PICTURES, { recursive: true });
const city = await openCity({ dir: join(work, "embedded"), cacheDir: join(work, "cache"), seed: "7", progress, millis: () => 0 });
const gateway = await serveConsole(city);
const browser = await launch();
try {
  const adjudicator = city.society.find(({ name }) => name === "adjudicator-4");
  if (adjudicator === undefined) throw new Error("this city has no adjudicator-4");
  const context = await browser.newContext({ viewport: SIZE, colorScheme: "light" });
  await giveWallet(context, adjudicator.account);
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);

  const text = readFileSync(join(root, MISSION), "utf8");
  const file = parseMissionFile(text, { fileName: MISSION, catalog: CATALOG, budgetCap: 10n ** 12n });
  const judge = externalJudges({ client: city.client, dir: city.dir, progress, sleep: (millis) => sleep(millis) });
  const input = readInput(file.input, join(root, "missions"));
  const mission = runToEnd(city, { file, catalog: CATALOG, input, id: "pictures", judge, cheat: true }, text, work);
  mission.catch(() => {});

  await page.goto(`${gateway.url}/`);
  await page.getByRole("link", { name: "Look and decide" }).waitFor();
  await page.locator("[data-mission] .card-title").first().waitFor();
  await take(page, "city");
  await page.locator("[data-mission] .card-title").first().click();
  await page.locator(".work").first().waitFor();
  await showFrom(page, "Law and work");
  await take(page, "mission");
  await showFrom(page, "Eleven live metrics");
  await take(page, "metrics");
  await page.goto(`${gateway.url}/`);
  await page.getByRole("link", { name: "Look and decide" }).click();
  await page.getByRole("button", { name: "Sign in with a wallet" }).click();
  await page.locator('[data-evidence="whole"]').waitFor();
  await page.getByLabel(/^Why/).fill("Every package has three estimates that agree.");
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.locator('[data-simulated="true"]').waitFor();
  await take(page, "case");
  await page.getByRole("button", { name: /^Sign APPROVE/ }).click();
  await page.locator('[data-done="executed"]').waitFor();
  const { mission: address, session } = await mission;
  if (address === null) throw new Error("the mission has no contract");

  await page.goto(`${gateway.url}/sessions/${session}`);
  await page.locator('[data-result="count"]').waitFor();
  await page.locator(".heat").evaluate((element) => element.scrollIntoView({ block: "start" }));
  await take(page, "session");
  await page.goto(`${gateway.url}/log?mission=${address}`);
  await page.locator(".entry").first().click();
  await page.locator('[data-payload="true"]').waitFor();
  await take(page, "log");
  await page.goto(`${gateway.url}/missions/${address}?as=feed&only=failures`);
  await page.locator('[data-feed="failures"] li').first().waitFor();
  await showFrom(page, "Law and work");
  await take(page, "failures");
  await page.goto(`${gateway.url}/missions/${address}`);
  await page.locator("[data-spent]").waitFor();
  await showFrom(page, "Looking back");
  await take(page, "history");
  await page.goto(`${gateway.url}/economy/economy-1-contracts`);
  await page.locator("[data-hypothesis]").first().waitFor();
  await take(page, "economy");
  await page.goto(`${gateway.url}/bundle`);
  await page.getByLabel("Folder of a mission").setInputFiles(join(work, "missions", address.toLowerCase()));
  await page.getByRole("heading", { name: "The documents hold together" }).waitFor();
  await take(page, "bundle");
} finally {
  await browser.close();
  await gateway.close();
  await city.close();
  rmSync(work, { recursive: true, force: true });
}
const sum = readdirSync(PICTURES).reduce((bytes, name) => bytes + statSync(join(PICTURES, name)).size, 0);
progress(`${Math.round(sum / 1_000)} kB in all`);
if (sum > MOST) throw new Error(`pictures of ${sum} bytes are more than ${MOST}: fewer of them, or smaller ones`);
