/**
 * How fast the console is, in Debian's Chromium on this machine; writes bench/console.json. Nothing of it is a test: a machine's speed says
 * nothing about a change, and sizes are checked by the build.
 *
 * usage: npm --prefix console run bench
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { intentKey } from "../orchestrator/chain/outbox.ts";
import type { City } from "../orchestrator/city/city.ts";
import type { Gateway } from "../orchestrator/gateway/serve.ts";
import { launch } from "./test/browser.ts";
import { fillStream, framesWhile } from "./test/large.ts";
import { openLargeMission } from "./test/large-mission.ts";
import { dist, root, serveConsole } from "./test/served.ts";

const TIMES = 7;
const loadBefore = loadavg()[0]?.toFixed(1);
const ENTRIES = 100_000;
const work = mkdtempSync(join(tmpdir(), "agentcity-console-bench-"));

const median = (values: readonly number[]) => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
const worst = (values: readonly number[]) => Math.round(Math.max(...values));

async function newPage(browser: Browser): Promise<Page> {
  // A context of its own has no cache of another's.
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  return page;
}

/** Milliseconds from asking for a page until something of it is there, each time with an empty cache. */
async function firstLoads(browser: Browser, url: string, selector: string) {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const page = await newPage(browser);
    const start = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(selector).first().waitFor();
    times.push(performance.now() - start);
    await page.context().close();
  }
  return { medianMs: median(times), worstMs: worst(times) };
}

/** Milliseconds from a mined block until the page shows its number. */
async function liveLatency(browser: Browser, city: City, { url }: Gateway) {
  const page = await newPage(browser);
  await page.goto(url);
  await page.locator('[data-link="live"]').waitFor();
  await page.locator("[data-block]").waitFor();
  const deployer = city.society.find(({ role }) => role === "deployer");
  if (deployer === undefined) throw new Error("this city has no deployer");
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    // The page asks at most about once a second; a block that comes alone is what a person waits for.
    await sleep(1_500);
    const options = { intent: intentKey("bench", "mint", String(time)), account: deployer.account };
    await city.client.token.mint([deployer.account.address, 1n], options);
    const start = performance.now();
    const { number } = city.chain.head();
    await page.waitForFunction(
      (wanted) => Number(document.querySelector("[data-block]")?.getAttribute("data-block")) >= wanted,
      Number(number),
      {
        polling: "raf",
      },
    );
    times.push(performance.now() - start);
  }
  await page.context().close();
  return { medianMs: median(times), worstMs: worst(times) };
}

const large = await openLargeMission(work);
const mission = await large.deployed;
const { city } = large;
await fillStream(city, ENTRIES);
const gateway = await serveConsole(city);
const browser = await launch();
try {
  const { firstLoad } = JSON.parse(readFileSync(join(dist, "files.json"), "utf8"));
  const load = await firstLoads(browser, gateway.url, "h1");
  const graph = await firstLoads(browser, `${gateway.url}/missions/${mission}`, ".work");
  const log = await firstLoads(browser, `${gateway.url}/log`, ".entry");
  const page = await newPage(browser);
  await page.goto(`${gateway.url}/log`);
  await page.locator(".entry").first().waitFor();
  await page.locator(".entry").first().hover();
  const scroll = await framesWhile(page, async () => {
    for (let turn = 0; turn < 100; turn += 1) await page.mouse.wheel(0, 800);
  });
  await page.goto(`${gateway.url}/missions/${mission}`);
  await page.locator(".work").first().waitFor();
  const room = await page.locator(".graph").boundingBox();
  if (room === null) throw new Error("no graph is drawn");
  const pan = await framesWhile(page, async () => {
    await page.mouse.move(room.x + room.width / 2, room.y + 20);
    await page.mouse.down();
    for (let step = 0; step < 60; step += 1) await page.mouse.move(room.x + room.width / 2 + step * 6, room.y + 20 + step * 2);
    await page.mouse.up();
  });
  const live = await liveLatency(browser, city, gateway);
  const result = {
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}`,
    /** Of the last minute, before and after: above the number of cores others were at work here. */
    load: [loadBefore, loadavg()[0]?.toFixed(1)],
    times: TIMES,
    firstLoad: { kB: Number((firstLoad / 1_000).toFixed(1)), ...load },
    graphOf256: { ...graph, panFrame: pan },
    logOf100000: { ...log, scrollFrame: scroll },
    blockToPixel: live,
  };
  writeFileSync(join(root, "bench", "console.json"), `${JSON.stringify(result, null, 2)}\n`);
  console.log(JSON.stringify(result, null, 2));
} finally {
  await browser.close();
  await gateway.close();
  await large.close();
  rmSync(work, { recursive: true, force: true });
}
