/** The largest law and a long log: what is shown of them, and whether a person can still move about in it. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Gateway } from "../../orchestrator/gateway/serve.ts";
import { assertAccessible, launch } from "./browser.ts";
import { fillStream, RARE } from "./large.ts";
import { LARGEST, type LargeMission, openLargeMission } from "./large-mission.ts";
import { serveConsole } from "./served.ts";

const ENTRIES = 100_000;
const work = mkdtempSync(join(tmpdir(), "agentcity-large-"));

let large: LargeMission;
let address = "";
let gateway: Gateway;
let browser: Browser;
/** Entries that one filter finds. */
let rare = 0;

async function newPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.setDefaultTimeout(300_000);
  return page;
}

describe("the console at its largest", { timeout: 3_600_000 }, () => {
  before(async () => {
    mkdirSync(work, { recursive: true });
    large = await openLargeMission(work);
    address = await large.deployed;
    rare = await fillStream(large.city, ENTRIES);
    gateway = await serveConsole(large.city);
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    await gateway?.close();
    await large?.close();
    rmSync(work, { recursive: true, force: true });
  });

  it("draws a law of 256 nodes by task, opens one, can be moved about in, and its table names every node", async () => {
    const page = await newPage();
    const workers: string[] = [];
    page.on("worker", (worker) => workers.push(new URL(worker.url()).pathname));
    await page.goto(gateway.url);
    await page.getByRole("heading").first().waitFor();
    assert.deepEqual(workers, []);
    await page.goto(`${gateway.url}/missions/${address}`);
    await page.locator(".work").first().waitFor();
    assert.match(workers.join("\n"), /^\/assets\/elk-worker[^\n]+$/, "laid out by ELK, once, and nowhere but in a worker");
    assert.equal(await page.locator(".work").count(), LARGEST.tasks);
    assert.equal(await page.locator("caption:text-is('The same as a table') ~ tbody tr").count(), LARGEST.nodes);
    await assertAccessible(page);
    await page.getByRole("button", { name: new RegExp(`read-a × ${LARGEST.parts}`) }).click();
    await page
      .getByRole("link", { name: new RegExp(`read-a-${LARGEST.parts}`) })
      .first()
      .waitFor();
    const room = await page.locator(".graph").boundingBox();
    assert.ok(room !== null);
    const place = () => page.locator(".react-flow__viewport").getAttribute("style");
    const before = await place();
    await page.mouse.move(room.x + room.width / 2, room.y + 20);
    await page.mouse.down();
    for (let step = 0; step < 40; step += 1) await page.mouse.move(room.x + room.width / 2 + step * 8, room.y + 20 + step * 3);
    await page.mouse.up();
    assert.notEqual(await place(), before);
    await page.close();
  });

  it("opens a log of 100,000 entries at its end, and scrolls it with a screen's worth of rows", async () => {
    const page = await newPage();
    await page.goto(`${gateway.url}/log`);
    const first = page.locator(".entry").first();
    await first.waitFor();
    const newest = gateway.hub.cursor().sequence;
    assert.ok(newest >= ENTRIES);
    assert.match((await first.textContent()) ?? "", new RegExp(`^${newest}`));
    const list = page.locator(".rows");
    const box = await list.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 50, box.y + 50);
    const read = async () => Number(await page.locator("[data-loaded]").getAttribute("data-loaded"));
    while ((await read()) < 2_000) await page.mouse.wheel(0, 3_000);
    assert.ok((await page.locator(".entry").count()) < 200);
    await page.close();
  });

  it("finds the rare ones among them, by the city's index and not by reading everything", async () => {
    const page = await newPage();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/v1/events?")) asked.push(request.url());
    });
    await page.goto(`${gateway.url}/log?eventType=${RARE.eventType}`);
    await page.getByText(/entries read, all there are/).waitFor();
    assert.equal(await page.locator("[data-loaded]").getAttribute("data-loaded"), String(rare));
    assert.ok(asked.length <= 2, asked.join("\n"));
    await page.close();
  });
});
