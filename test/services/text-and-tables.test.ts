// @long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { type Bundle, bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { createSandbox, type Sandbox } from "../../orchestrator/execution/sandbox/run.ts";
import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import { CATALOG } from "../../services/catalog.ts";
import type { InputKind, Item, ServiceOutput, Upstream } from "../../services/shared/contract.ts";
import { PROJECT } from "../support/cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const TEXT = ["word-count", "keywords", "summary", "language", "near-duplicates", "secrets-scan", "pii-scan"];
const TABLES: Readonly<Record<string, JsonObject | undefined>> = {
  profile: undefined,
  "infer-schema": undefined,
  "clean-table": {},
  "validate-table": {},
  "aggregate-table": { by: "supplier" },
  outliers: {},
};

/** What the service's own schema has checked already, in TypeScript's eyes. */
const outputSchema = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) }).transform((output) => output as ServiceOutput);

describe("services on text and tables, in the sandbox", () => {
  const directory = temporaryDirectory();
  const bundles = new Map<string, Promise<Bundle>>();
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = createSandbox({ now: () => 0 });
  });

  const entryOf = (id: string) => {
    const entry = CATALOG.find((each) => each.id === id);
    if (entry === undefined) throw new Error(`no service ${id}`);
    return entry;
  };

  async function outputOf(
    id: string,
    given: { items?: readonly Item[]; upstream?: readonly Upstream[]; options?: JsonObject | undefined },
  ): Promise<ServiceOutput> {
    const entry = entryOf(id);
    const bundle = bundles.get(id) ?? bundleService(entry.file);
    bundles.set(id, bundle);
    const { items = [], upstream = [], options } = given;
    const input = { goal: "g", items, upstream, ...(options === undefined ? {} : { options }) };
    const result = await sandbox.run({ bundle: await bundle, input, schemas: entry });
    if (result.status === "failed") throw new Error(`${id}: ${result.kind} ${result.details}`);
    return outputSchema.parse(result.output);
  }

  const read = (kind: InputKind, path: string): readonly Item[] => readInput({ kind, path }, PROJECT).items;
  const letters = () => read("files", "missions/data/letters");
  const invoices = () => read("csv", "missions/data/invoices.csv");
  const accounting = () => read("csv", "missions/data/accounting.csv");
  const by = (items: readonly Item[], id: string): Item => items.find((item) => item.id === id) ?? { id: "absent" };

  it("take each of three inputs, and give the same whether a part is looked at alone or with the rest", async () => {
    const texts = [read("files", "missions/data/incidents"), letters(), read("files", "contracts/types")];
    for (const id of TEXT) {
      for (const items of texts) {
        const whole = await outputOf(id, { items });
        expect(whole.items.length, id).to.equal(items.length);
        if (!entryOf(id).perItem) continue;
        const [first] = items;
        const part = await outputOf(id, { items: first === undefined ? [] : [first] });
        expect(part.items[0], id).to.deep.equal(by(whole.items, first?.id ?? ""));
      }
    }
    const tables = [read("csv", "missions/data/work-packages.csv"), invoices(), accounting()];
    for (const [id, options] of Object.entries(TABLES)) {
      for (const items of tables) {
        const whole = await outputOf(id, { items, options });
        expect(whole.items.length, id).to.be.greaterThan(0);
        expect(await outputOf(id, { items: items.toReversed(), options }), id).to.satisfy(
          (again: ServiceOutput) => entryOf(id).perItem || JSON.stringify(again) === JSON.stringify(whole),
        );
      }
      await outputOf(id, { items: [], options });
    }
  }).timeout(240_000);

  it("count words, name languages and find copies", async () => {
    const [words, languages, copies, keys, sums] = await Promise.all(
      ["word-count", "language", "near-duplicates", "keywords", "summary"].map((id) => outputOf(id, { items: letters() })),
    );
    expect(words?.items.map(({ id, words, sentences }) => [id, words, sentences])).to.deep.equal([
      ["anna.txt", 72, 7],
      ["bert.txt", 72, 7],
      ["clara.txt", 53, 5],
      ["diego.txt", 46, 5],
      ["emei.txt", 45, 3],
    ]);
    expect(languages?.items.map(({ label }) => label)).to.deep.equal(["English", "English", "German", "Spanish", "Chinese"]);
    expect(copies?.items.map(({ label, of }) => [label, of])).to.deep.equal([
      ["unique", null],
      ["nearly the same as anna.txt", "anna.txt"],
      ["unique", null],
      ["unique", null],
      ["unique", null],
    ]);
    expect(keys?.items[0]?.["keywords"]).to.include.members(["gardens", "gardener"]).and.not.include("have");
    expect(String(sums?.items[0]?.["summary"])).to.include("I have worked in public gardens for eleven years");
    const short = await outputOf("language", {
      items: [
        { id: "a", text: "ok" },
        { id: "b", text: "" },
      ],
    });
    expect(short.items.map(({ label, code }) => [label, code])).to.deep.equal([
      ["unknown", "und"],
      ["unknown", "und"],
    ]);
  }).timeout(120_000);

  it("find secrets and personal data, show neither, and leave examples alone", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const key = `AKIA${"ABCDEFGH23456765"}`;
    mkdirSync(join(directory(), "repo"));
    const write = (name: string, text: string) => writeFileSync(join(directory(), "repo", name), text);
    write(
      "config.ts",
      `const a = 1;\nexport const token = "${token}";\nconst password = process.env.PASSWORD;\nconst pass = "hunter2-correct";\n`,
    );
    write("example.env", "API_KEY=your-key-here\nPASSWORD=changeme\nDB=postgres://user:<password>@host/db\n");
    write("keys.txt", `${key}\n-----BEGIN RSA PRIVATE KEY-----\npostgres://app:s3cr3tpw@db.example/x\n`);
    write(
      "people.txt",
      "Ada, ada@example.org, +44 20 7946 0958\nIBAN DE89 3704 0044 0532 0130 00\nCard 4111 1111 1111 1111 or 4111 1111 1111 1112\nSSN 078-05-1120, host 203.0.113.9 and 127.0.0.1, version 1.2.3\n",
    );
    const { items } = readInput({ kind: "files", path: join(directory(), "repo") }, PROJECT);
    const secrets = await outputOf("secrets-scan", { items });
    expect(secrets.items.map(({ id, label, value }) => [id, label, value])).to.deep.equal([
      ["config.ts", "GitHub token, password", 2],
      ["example.env", "no secrets", 0],
      ["keys.txt", "AWS access key, private key, password in an address", 3],
      ["people.txt", "no secrets", 0],
    ]);
    expect(secrets.items[0]?.["findings"]).to.deep.equal([
      { rule: "GitHub token", line: 2, masked: "gh… (40 characters)" },
      { rule: "password", line: 4, masked: "hu… (15 characters)" },
    ]);
    const personal = await outputOf("pii-scan", { items });
    expect(by(personal.items, "people.txt")["findings"]).to.deep.equal([
      { rule: "e-mail address", line: 1, masked: "ad… (15 characters)" },
      { rule: "telephone number", line: 1, masked: "+4… (16 characters)" },
      { rule: "bank account", line: 2, masked: "DE… (27 characters)" },
      { rule: "credit card", line: 3, masked: "41… (19 characters)" },
      { rule: "social security number", line: 4, masked: "07… (11 characters)" },
      { rule: "IP address", line: 4, masked: "20… (11 characters)" },
    ]);
    expect(JSON.stringify([secrets, personal])).to.not.match(/hunter2|4111 1111|ada@|s3cr3tpw/);
  }).timeout(120_000);

  it("clean a table of mixed formats and add it up: a blank is no number, an impossible date no date", async () => {
    const cleaned = await outputOf("clean-table", { items: accounting() });
    expect(cleaned.items.map(({ fields, values }) => [fields, values])).to.deep.equal([
      [{ date: "2026-01-03", region: "North", customer: "Miller", amount: "1200.5" }, { amount: 1200.5 }],
      [{ date: "2026-01-09", region: "north", customer: "Moore", amount: "" }, {}],
      [{ date: "2026-01-17", region: "South", customer: "Vogel", amount: "800" }, { amount: 800 }],
      [{ date: "2026-02-01", region: "South", customer: "Ruiz", amount: "-50" }, { amount: -50 }],
      [{ date: "2026-02-09", region: "North", customer: "Miller", amount: "99.5" }, { amount: 99.5 }],
      [{ date: "31.02.2026", region: "", customer: "Li", amount: "0.12" }, { amount: 0.12 }],
    ]);
    const upstream = [{ task: "clean", node: "clean-1", items: cleaned.items, dissent: [] }];
    const total = async (options: JsonObject) =>
      (await outputOf("aggregate-table", { upstream, options })).items.map(({ label, value, rows, missing }) => [
        label,
        value,
        rows,
        missing,
      ]);
    expect(await total({ by: "region", of: "amount" })).to.deep.equal([
      ["North", 1300, 2, 0],
      ["South", 750, 2, 0],
      ["(blank)", 0.12, 1, 0],
      ["north", null, 1, 1],
    ]);
    expect(await total({ by: "customer", of: "amount", what: "mean" })).to.deep.include(["Miller", 650, 2, 0]);
    expect(await total({ by: "region" })).to.deep.include(["South", 2, 2, 0]);
    expect(await total({ by: ["region", "date"], of: "amount", period: "month" })).to.deep.equal([
      ["(blank) · 31.02.2026", 0.12, 1, 0],
      ["North · 2026-01", 1200.5, 1, 0],
      ["North · 2026-02", 99.5, 1, 0],
      ["South · 2026-01", 800, 1, 0],
      ["South · 2026-02", -50, 1, 0],
      ["north · 2026-01", null, 1, 1],
    ]);
    expect(await total({ of: "amount" })).to.deep.equal([["all rows", 2050.12, 6, 1]]);
    expect((await total({ by: "date", of: "amount", period: "quarter" })).slice(0, 1)).to.deep.equal([["2026-Q1", 2050, 5, 1]]);
    const priced = [
      ["lamp", "12", "19.9"],
      ["lamp", "2", "18.5"],
      ["desk", "", "240.5"],
    ].map(([product = "", units = "", price = ""], row) => ({ id: `r${row}`, fields: { product, units, price } }));
    const revenue = await outputOf("aggregate-table", { items: priced, options: { by: "product", of: "price", times: "units" } });
    expect(revenue.items.map(({ label, value, what, missing }) => [label, value, what, missing])).to.deep.equal([
      ["lamp", 275.8, "sum of price × units", 0],
      ["desk", null, "sum of price × units", 1],
    ]);
    const american = await outputOf("clean-table", {
      items: [{ id: "a", fields: { d: "3/4/2026", n: "$1,200", code: "007" } }],
      options: { dates: "month-first" },
    });
    expect(american.items[0]).to.deep.include({
      fields: { d: "2026-03-04", n: "1200", code: "007" },
      values: { n: 1200 },
      value: 2,
    });
  }).timeout(120_000);

  it("profile, describe, check and search a table", async () => {
    const items = invoices();
    const profile = await outputOf("profile", { items });
    expect(profile.items.map(({ id, label, count, missing, distinct }) => [id, label, count, missing, distinct])).to.deep.equal([
      ["date", "date", 60, 0, 30],
      ["invoice", "text", 60, 0, 59],
      ["paid", "boolean", 60, 0, 2],
      ["supplier", "text", 60, 0, 3],
      ["total", "number", 59, 1, 58],
    ]);
    expect(by(profile.items, "total")).to.include({ least: 3.1, greatest: 48_200 });
    const schema = JSON.parse(String((await outputOf("infer-schema", { items }))["document"]));
    expect(schema.required).to.deep.equal(["date", "invoice", "paid", "supplier"]);
    expect(schema.properties).to.deep.equal({
      invoice: { type: "string" },
      supplier: { type: "string", enum: ["Acme", "Borealis", "Cobalt"] },
      total: { type: "number", minimum: 3.1, maximum: 48_200 },
      paid: { type: "boolean" },
      date: { type: "string", format: "date" },
    });
    const odd = await outputOf("outliers", { items });
    expect(odd.items.filter(({ label }) => label === "outlier").map(({ id }) => id)).to.deep.equal(["row-0000013", "row-0000041"]);
    expect(odd.items[0]?.["reasons"]).to.match(/^total is 48200, usually 4/);
    expect(by(odd.items, "row-0000050")).to.include({ label: "no number" });
    const plain = await outputOf("validate-table", { items });
    expect(plain.items.filter(({ label }) => label === "invalid").map(({ id, faults }) => [id, faults])).to.deep.equal([
      ["row-0000055", ["the same row as row-0000054"]],
    ]);
    const ruled = await outputOf("validate-table", {
      items,
      options: { columns: { total: { required: true, least: 10 }, supplier: { oneOf: ["Acme", "Borealis"] } }, unique: ["invoice"] },
    });
    expect(by(ruled.items, "row-0000041")["faults"]).to.have.members([
      'total is less than 10: "3.10"',
      'supplier is none of Acme, Borealis: "Cobalt"',
    ]);
    expect(by(ruled.items, "row-0000050")["faults"]).to.include("total is missing");
    expect(by(ruled.items, "row-0000055")["faults"]).to.deep.equal(["the same invoice as row-0000054"]);
  }).timeout(120_000);

  it("join two files, or the results of two tasks, and say when there are not two", async () => {
    const file = (id: string, text: string): Item => ({ id, kind: "file", text });
    const items = [
      file("b-regions.csv", "customer,region\r\nMILLER ,North\nVogel,South\nVogel,West\n"),
      file("a-sales.csv", "customer,amount\nMiller,10\nVogel,5\nLi,\n"),
      file("readme.md", "no table"),
    ];
    const rows = async (options: JsonObject) =>
      (await outputOf("join", { items, options })).items.map(({ id, fields, label }) => [id, fields, label]);
    expect(await rows({ on: "customer" })).to.deep.equal([
      ["a-sales.csv:1", { customer: "Miller", amount: "10", region: "North" }, "matched"],
      ["a-sales.csv:2", { customer: "Vogel", amount: "5", region: "South" }, "matched"],
      ["a-sales.csv:2+2", { customer: "Vogel", amount: "5", region: "West" }, "matched"],
      ["a-sales.csv:3", { customer: "Li", amount: "" }, "unmatched"],
    ]);
    expect(await rows({ on: "customer", keep: "matched" })).to.have.length(3);
    const upstream = [
      { task: "words", node: "w-1", items: [{ id: "x", words: 7 }], dissent: [] },
      { task: "language", node: "l-1", items: [{ id: "x", label: "German" }], dissent: [] },
    ];
    const tasks = await outputOf("join", { upstream, options: { on: "id" } });
    expect(tasks.items).to.deep.equal([
      { id: "x", name: "x", fields: { words: "7", label: "German" }, values: { words: 7 }, label: "matched" },
    ]);
    const [error] = await Promise.allSettled([outputOf("join", { items: items.slice(0, 1), options: { on: "customer" } })]);
    expect(error?.status === "rejected" ? String(error.reason) : "").to.match(/a join needs two tables/);
  }).timeout(120_000);

  it("work through 50,000 rows and long texts in their time", async () => {
    const rows = Array.from({ length: 50_000 }, (_, index): Item => {
      const fields = { group: `g${index % 3}`, n: index % 97 === 0 ? "n/a" : String(index % 1_000) };
      return { id: `row-${String(index).padStart(7, "0")}`, kind: "row", fields, values: {} };
    });
    for (const id of ["validate-table", "aggregate-table", "outliers"]) {
      const options = id === "aggregate-table" ? { by: "group", of: "n" } : undefined;
      expect((await outputOf(id, { items: rows, options })).items.length, id).to.equal(id === "aggregate-table" ? 3 : 50_000);
    }
    const hostile = [
      "a".repeat(65_000),
      "- ".repeat(32_000),
      "password=".repeat(7_000),
      "1 ".repeat(32_000),
      "a@".repeat(32_000),
      "++44".repeat(16_000),
      "A.\n".repeat(20_000),
    ];
    const items = hostile.map((text, index) => ({ id: String(index), kind: "file", text }));
    for (const id of TEXT) expect((await outputOf(id, { items })).items).to.have.length(hostile.length);
  }).timeout(300_000);
});
