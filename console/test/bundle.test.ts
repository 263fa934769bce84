/** The console in a real browser, on the bundle of a mission that is carried out here. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes, canonicalJson, isObject, type JsonObject, parseJson } from "../../orchestrator/primitives/json.ts";
import { readSite, serveSite } from "../build/site.ts";
import { assertAccessible, launch } from "./browser.ts";
import { dist, root } from "./served.ts";

const PAGES = ["Check", "Law and work", "Money", "How the law came about"] as const;
/** Where pictures of the pages are put, if asked for. */
const pictures = process.env["CONSOLE_PICTURES"];

const work = mkdtempSync(join(tmpdir(), "agentcity-console-"));
let bundle = "";
let browser: Browser;
let site: Awaited<ReturnType<typeof serveSite>>;

/** The bundle of the sample mission, carried out now in a city of its own; or one that is given, while the tests are being written. */
function makeBundle(): string {
  const given = process.env["CONSOLE_BUNDLE"];
  if (given !== undefined) return given;
  const home = join(work, "home");
  execFileSync(process.execPath, [join(root, "scripts", "agentcity.js"), "start"], {
    cwd: root,
    env: { ...process.env, AGENTCITY_HOME: home },
    stdio: "ignore",
  });
  const [mission = ""] = readdirSync(join(home, "missions"));
  return join(home, "missions", mission);
}

/** A copy with one change, under its own name. */
function changed(name: string, change: (dir: string) => void): string {
  const dir = join(work, name);
  cpSync(bundle, dir, { recursive: true });
  change(dir);
  return dir;
}

/** The same bundle with another outcome, the manifest made to fit: only what is inside the documents can give it away. */
function forged(name: string, change: (outcome: JsonObject) => JsonObject): string {
  return changed(name, (dir) => {
    const read = (file: string): JsonObject => {
      const value = parseJson(readFileSync(join(dir, file), "utf8"));
      assert.ok(isObject(value));
      return value;
    };
    const bytes = canonicalBytes(change(read("outcome.json")));
    writeFileSync(join(dir, "outcome.json"), bytes);
    const { digest: _, files, ...rest } = read("manifest.json");
    assert.ok(Array.isArray(files));
    const fitted = files.map((file: JsonObject) =>
      file["path"] === "outcome.json" ? { ...file, size: bytes.length, sha256: sha256(bytes) } : file,
    );
    const body = { ...rest, files: fitted };
    writeFileSync(join(dir, "manifest.json"), `${canonicalJson({ ...body, digest: sha256(canonicalBytes(body)) })}\n`);
  });
}

const complaints: string[] = [];

async function newPage(colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1400, height: 1000 } });
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(site.url) && !request.url().startsWith("data:")) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(site.url);
  return page;
}

async function pick(page: Page, dir: string): Promise<void> {
  await page.getByLabel("Folder of a mission").setInputFiles(dir);
  await page.getByRole("navigation").waitFor();
}

/** Drops a folder as a person does, with the browser's own drag events. */
async function drop(page: Page, dir: string): Promise<void> {
  const box = await page.locator(".drop").boundingBox();
  assert.ok(box !== null);
  const session = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2, data: { items: [], files: [dir], dragOperationsMask: 1 } };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) await session.send("Input.dispatchDragEvent", { type, ...at });
  await page.getByRole("navigation").waitFor();
}

async function words(of: Locator): Promise<string> {
  return (await of.textContent()) ?? "";
}

async function show(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name }).click();
  await page.waitForFunction((title) => document.title.startsWith(title), name);
  if (name === "Law and work") await page.locator(".work").first().waitFor();
}

describe("the console", { timeout: 3_600_000 }, () => {
  before(async () => {
    site = await serveSite(readSite(dist).site, 0);
    bundle = makeBundle();
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    site?.server.closeAllConnections();
    site?.server.close();
    rmSync(work, { recursive: true, force: true });
  });

  it("checks a dropped folder, says what it did not check, and asks nobody", async () => {
    complaints.length = 0;
    const page = await newPage();
    await drop(page, bundle);
    await page.getByRole("heading", { name: "The documents are consistent" }).waitFor();
    const checks = await page
      .locator("tr[data-check]")
      .evaluateAll((rows) => rows.map((row) => [row.getAttribute("data-check"), row.querySelector("[data-look]")?.textContent]));
    assert.deepEqual(
      checks,
      ["FILES", "RECORDS", "CALLS", "LAW", "BALLOTS", "CLAIMS", "DECISIONS", "SETTLEMENTS", "BRANCHES", "MONEY", "RESULTS"].map((name) => [
        name,
        "holds",
      ]),
    );
    assert.match(await words(page.getByRole("alert").first()), /Blocks were not executed here[\s\S]*npm run audit/);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it("shows a tampered byte, a missing and a foreign file, each by its name", async () => {
    const dir = changed("tampered", (copy) => {
      appendFileSync(join(copy, "report.md"), "x");
      writeFileSync(join(copy, "more.txt"), "x");
      const [block = ""] = readdirSync(join(copy, "blocks"));
      rmSync(join(copy, "blocks", block));
    });
    const [gone = ""] = readdirSync(join(bundle, "blocks"));
    const page = await newPage();
    await pick(page, dir);
    await page.getByRole("heading", { name: "This bundle is not what it claims to be" }).waitFor();
    const files = await words(page.locator('tr[data-check="FILES"]'));
    for (const text of ["report.md", "holds", `blocks/${gone}`, "is missing", "more.txt", "is not in the manifest", "does not hold"])
      assert.ok(files.includes(text), text);
    assert.match(await words(page.locator(".banner")), /Do not rely on this bundle/);
    await page.close();
  });

  it("finds a consistent forgery: money that does not add up, another winner", async () => {
    const dir = forged("forged", (outcome) => {
      const { total, pairwise } = outcome;
      assert.ok(isObject(total) && Array.isArray(pairwise));
      return { ...outcome, total: { ...total, paid: "1" }, pairwise: pairwise.map((row: readonly number[]) => row.map(() => 0)) };
    });
    const page = await newPage();
    await pick(page, dir);
    await page.locator("tr[data-check]").first().waitFor();
    const states = await page
      .locator("tr[data-check]")
      .evaluateAll((rows) => rows.flatMap((row) => (row.textContent?.includes("does not hold") ? [row.getAttribute("data-check")] : [])));
    assert.deepEqual(states, ["BALLOTS", "MONEY"]);
    await show(page, "Money");
    await page.getByText("It does not add up").waitFor();
    await page.close();
  });

  it("refuses what is no bundle, and says why", async () => {
    const page = await newPage();
    await page.getByLabel("Folder of a mission").setInputFiles(join(bundle, "blocks"));
    assert.match(await words(page.getByRole("alert")), /No manifest\.json is in it/);
    await page.goto(`${site.url}law/3`);
    await page.getByRole("heading", { name: "No bundle is open" }).waitFor();
    await page.goto(`${site.url}nowhere`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.close();
  });

  it("draws the law, and its table says the same", async () => {
    const page = await newPage();
    await pick(page, bundle);
    await show(page, "Law and work");
    const nodes = parseJson(readFileSync(join(bundle, "document.json"), "utf8"));
    assert.ok(isObject(nodes) && Array.isArray(nodes["nodes"]));
    assert.equal(await page.locator(".work").count(), nodes["nodes"].length);
    assert.equal(await page.locator("caption:text('The same as a table') ~ tbody tr").count(), nodes["nodes"].length);
    await page.locator(".work", { hasText: "report" }).click();
    const panel = page.getByRole("complementary");
    const said = await words(panel);
    for (const text of [
      "Claimed.",
      "Evidence.",
      "ATT",
      "Verdicts.",
      "Is the work right?",
      "Decision.",
      "cleared",
      "adjudicator-2",
      "simulated",
    ])
      assert.ok(said.includes(text), text);
    // The panel takes room from the graph, which shows all of its parts again.
    await page.waitForFunction(() => {
      const room = document.querySelector(".graph")?.getBoundingClientRect();
      const parts = [...document.querySelectorAll(".graph .work")].map((part) => part.getBoundingClientRect());
      return room !== undefined && parts.every(({ left, right }) => left >= room.left && right <= room.right);
    });
    await page.goBack();
    assert.equal(await panel.count(), 0);
    await page.close();
  });

  it("accounts for the deposit to the unit", async () => {
    const outcome = parseJson(readFileSync(join(bundle, "outcome.json"), "utf8"));
    assert.ok(isObject(outcome) && isObject(outcome["total"]));
    const page = await newPage();
    await pick(page, bundle);
    await show(page, "Money");
    assert.equal(await page.locator('[data-sum="Deposit"]').getAttribute("data-units"), outcome["total"]["deposit"]);
    assert.equal(await page.locator('[data-sum="Paid for work"]').getAttribute("data-units"), outcome["total"]["paid"]);
    await page.close();
  });

  it("counts again when a ballot is changed in the page", async () => {
    const page = await newPage();
    await pick(page, bundle);
    await show(page, "How the law came about");
    const count = page.locator('[data-result="count"]');
    const cast = await words(count);
    const [winner] = cast;
    assert.match(cast, /^[AB] wins/);
    const other = winner === "A" ? "B" : "A";
    // Until it is everybody's first: its button is gone there.
    const raise = page.getByRole("button", { name: `: move ${other} up` });
    while ((await raise.count()) > 0) await raise.first().click();
    await page.getByRole("heading", { name: "With your changes" }).waitFor();
    assert.match(await words(count), new RegExp(`^${other} wins\\. The winner would have been another`));
    await page.getByRole("button", { name: "Back to the ballots as cast" }).click();
    assert.equal(await words(count), cast);
    await page.close();
  });

  it("shows hostile text as text", async () => {
    complaints.length = 0;
    const hostile = `<script>window.hacked=1</script><img src=x onerror="window.hacked=1">\u202egnp.exe\u0000${"long ".repeat(200_000)}`;
    const dir = forged("hostile", (outcome) => {
      const { human, nodes } = outcome;
      assert.ok(Array.isArray(human) && Array.isArray(nodes));
      return { ...outcome, goal: hostile, name: hostile, human: human.map((each: JsonObject) => ({ ...each, because: hostile })) };
    });
    const page = await newPage();
    await pick(page, dir);
    for (const name of PAGES) await show(page, name);
    await page.goto(`${site.url}`);
    await pick(page, dir);
    assert.equal(await page.evaluate(() => "hacked" in window), false);
    assert.equal(await page.locator("main img, main script").count(), 0);
    const text = await words(page.locator("body"));
    assert.ok(text.includes("<script>") && !text.includes("\u202e") && text.length < 20_000);
    await page.getByRole("button", { name: "show more" }).first().click();
    assert.ok((await words(page.locator("body"))).length < 60_000);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it("works by keyboard alone", async () => {
    const page = await newPage();
    await pick(page, bundle);
    const focus = async (name: string) => {
      for (let presses = 0; presses < 80; presses += 1) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === name) return;
      }
      assert.fail(`${name} cannot be reached`);
    };
    await focus("Law and work");
    await page.keyboard.press("Enter");
    await page.locator(".work").first().waitFor();
    await focus("classify-2");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "classify-2" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "node");
    await page.close();
  });

  for (const scheme of ["light", "dark"] as const) {
    it(`has nothing serious for axe in the ${scheme} theme`, async () => {
      const page = await newPage(scheme);
      const picture = async (name: string) => {
        if (pictures !== undefined)
          await page.screenshot({ path: join(pictures, `${scheme}-${name.toLowerCase().replaceAll(" ", "-")}.png`), fullPage: true });
      };
      await assertAccessible(page);
      await picture("open");
      await pick(page, bundle);
      for (const name of PAGES) {
        await show(page, name);
        await assertAccessible(page);
        await picture(name);
      }
      await show(page, "Law and work");
      await page.locator(".work", { hasText: "classify-2" }).click();
      await page.getByRole("complementary").waitFor();
      await assertAccessible(page);
      await picture("node");
      await page.close();
    });
  }
});
