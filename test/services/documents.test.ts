import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { loadServices } from "../../orchestrator/execution/sandbox/load-services.ts";
import { createSandbox } from "../../orchestrator/execution/sandbox/run.ts";
import csv from "../../services/csv.ts";
import extractEntities from "../../services/extract-entities.ts";
import type { Item, Service, ServiceOutput } from "../../services/shared/contract.ts";
import { parseCsv, writeCsv } from "../../services/shared/csv.ts";
import { readHtml } from "../../services/shared/html.ts";
import { PROJECT } from "../support/cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const context = { tool: () => Promise.reject(new Error("no tools here")), message: () => undefined };
const run = async (service: Service, items: readonly Item[]): Promise<ServiceOutput> =>
  service({ goal: "g", items, upstream: [] }, context);

describe("services/extract-entities", () => {
  const entitiesIn = async (text: string) => (await run(extractEntities, [{ id: "a", text }])).items[0]!;

  it("finds each kind as it is written, once, and counts them", async () => {
    const item = await entitiesIn(
      "Write to ada@example.org or ada@example.org, see https://a.example/x?y=1. On 2026-03-08 Ada Lovelace paid $1,200.50 and 30 EUR for v2.4.1-rc.1 and 10.0.3.",
    );
    expect(item["entities"]).to.deep.equal({
      emails: ["ada@example.org"],
      urls: ["https://a.example/x?y=1"],
      dates: ["2026-03-08"],
      amounts: ["$1,200.50", "30 EUR"],
      versions: ["10.0.3", "v2.4.1-rc.1"],
      names: ["Ada Lovelace"],
    });
    expect(item["value"]).to.equal(8);
  });

  it("does not take for an entity what only looks like one", async () => {
    const item = await entitiesIn("a@b, 2026-13-01, 12026-03-08, 1.2, 1.2.3.4, ada, user@host, 30 EURO, http:/x");
    expect(item["value"]).to.equal(0);
  });

  it("takes no longer for a text made to slow it down", async () => {
    for (const bait of ["a".repeat(300_000), "a@".repeat(150_000), "Aa ".repeat(100_000), "1.1".repeat(100_000), "$1,".repeat(100_000)]) {
      // What grows with the square of the text or worse does not end within the limit.
      expect(await entitiesIn(bait), bait.slice(0, 6)).to.be.an("object");
    }
  }).timeout(60_000);
});

describe("services/csv", () => {
  it("writes a row per item and a column per field, and makes no formula of anybody's text", async () => {
    const { document } = await run(csv, [
      { id: "b", name: '=HYPERLINK("x")', value: -3 },
      { id: "a", tags: ["x", "y"], name: "two, words" },
    ]);
    expect(document).to.equal('id,name,tags,value\r\na,"two, words","[""x"",""y""]",\r\nb,"\'=HYPERLINK(""x"")",,-3\r\n');
  });

  it("is read back as it was written, but for the apostrophes", () => {
    const cell = fc.string({ unit: "grapheme" }).filter((text) => !/^[=+@\t\r-]/.test(text));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        expect(parseCsv(writeCsv(rows))).to.deep.equal({ records: rows, brokenAt: undefined });
      }),
      { seed: 7, numRuns: 300 },
    );
    expect(parseCsv('a,b\n"c"d,e').brokenAt).to.equal(4);
  });
});

describe("services/shared/html", () => {
  it("reads what is there, however the page is written", () => {
    expect(readHtml("<p>a<p>b & c &#x41;&#66;&bogus;<b>d</b>").text).to.equal("a\nb & c AB&bogus;d");
    expect(readHtml("1 < 2 <3 <unclosed").text).to.equal("1 < 2 <3");
    expect(readHtml("a<script>x</p>").text).to.equal("a");
    expect(readHtml("<A HREF='x'>y</A><a href=z>z</a><a name=q>").links).to.deep.equal(["x", "z"]);
    expect(readHtml("<h2>A <em>b</em></h2>t<!-- <h1>no</h1>").headings).to.deep.equal(["A b"]);
    expect(readHtml("&#0;&#xd800;&#x110000;").text).to.equal("\ufffd\ufffd\ufffd");
  });

  it("never throws, and takes no longer for a page made to slow it down", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("<", ">", "</", "<!--", "-->", "<script", "<a href=", '"', "x", "&", ";", "<p>"), { maxLength: 60 }),
        (parts) => {
          expect(readHtml(parts.join("")).text).to.be.a("string");
        },
      ),
      { seed: 7, numRuns: 500 },
    );
    for (const bait of ["<script>", "<a ", "<!--", "<", "<p ", "<title>", "&", "<svg><", "<a href="]) {
      // What grows with the square of the text or worse does not end within the limit.
      expect(readHtml(bait.repeat(Math.floor(1_000_000 / bait.length))).text, bait).to.be.a("string");
    }
  }).timeout(60_000);
});

describe("services/template", () => {
  const directory = temporaryDirectory();

  it("is a service when it is copied, with what it imports, into a directory of one's own", async () => {
    const own = join(directory(), "own");
    mkdirSync(own);
    cpSync(join(PROJECT, "services/shared"), join(directory(), "shared"), { recursive: true });
    copyFileSync(join(PROJECT, "services/template.ts"), join(directory(), "longest-word.ts"));
    const sandbox = createSandbox({ now: () => 0 });
    const [entry, ...more] = await loadServices(sandbox, directory(), []);
    expect(more).to.deep.equal([]);
    const input = { goal: "g", items: [{ id: "a", text: "one three seven" }, { id: "b" }], upstream: [] };
    const result = await sandbox.run({ bundle: await bundleService(entry!.file), schemas: entry!, input });
    expect(result.status === "ok" ? result.output : result).to.deep.equal({
      items: [
        { id: "a", label: "three", value: 5 },
        { id: "b", label: "", value: 0 },
      ],
    });
  });
});
