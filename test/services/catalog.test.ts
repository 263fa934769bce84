import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type InputSource, readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { createSandbox } from "../../orchestrator/execution/sandbox/run.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { compileSchema } from "../../orchestrator/primitives/json-schema.ts";
import aggregate from "../../services/aggregate.ts";
import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";
import count from "../../services/count.ts";
import csv from "../../services/csv.ts";
import hash from "../../services/hash.ts";
import type { Item, Service, ServiceContext, ServiceInput } from "../../services/shared/contract.ts";
import { utf8 } from "../../services/shared/text.ts";
import { topicOf } from "../../services/shared/topics.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const context: ServiceContext = {
  tool: () => Promise.reject(new Error("no tools here")),
  message: () => undefined,
};
const given = (items: readonly Item[]): ServiceInput => ({ goal: "g", items, upstream: [] });
const run = (service: Service, items: readonly Item[]) => service(given(items), context);

/** Whether an item has what a service needs of it. */
function fitting(entry: CatalogEntry): (items: readonly Item[]) => Item[] {
  const check = compileSchema(entry.input);
  return (items) => items.filter((item) => check({ goal: "", items: [item], upstream: [] }) === undefined);
}

describe("services/catalog", () => {
  it("says of each service what the market needs", () => {
    expect(new Set(CATALOG.map(({ id }) => id)).size).to.equal(CATALOG.length);
    for (const entry of CATALOG) {
      expect(existsSync(entry.file), entry.file).to.equal(true);
      expect(entry.capabilities).to.have.length(10);
      expect(Math.max(...entry.capabilities)).to.be.within(1, 255);
      expect(entry.accepts).to.include("items");
      expect(entry.deterministic, entry.id).to.equal(!/^ask-/.test(entry.id));
    }
  });

  it("takes whatever fits its schema of what other services and readers hand on, nothing included, and returns what it promises", async () => {
    const sandbox = createSandbox({ now: () => 0 });
    const sources: InputSource[] = [
      { kind: "csv", path: "missions/data/work-packages.csv" },
      { kind: "files", path: "missions/data/incidents" },
    ];
    const read = sources.flatMap((source) => readInput(source, root).items.slice(0, 3));
    // A join needs two tables (text-and-tables.test.ts), a model somebody to ask (test/execution/model-tool.test.ts).
    const services = CATALOG.filter(({ id, deterministic }) => id !== "join" && deterministic);
    const bundles = await Promise.all(services.map(async (entry) => ({ entry, bundle: await bundleService(entry.file) })));
    const first = await Promise.all(
      bundles.map(({ entry, bundle }) => sandbox.run({ bundle, schemas: entry, input: given(fitting(entry)(read)) })),
    );
    const upstream = first.map((result, index) => {
      if (result.status === "failed") throw new Error(`${services[index]?.id}: ${result.kind} ${result.details}`);
      const output = result.output as { items: Item[] };
      return { task: "first", node: `first-${index}`, items: output.items, dissent: [] };
    });
    await Promise.all(
      bundles.map(async ({ entry, bundle }) => {
        const suitable = fitting(entry);
        const handed = upstream.map((node) => ({ ...node, items: suitable(node.items) }));
        for (const input of [given([]), { goal: "", items: [], upstream: handed }]) {
          const result = await sandbox.run({ bundle, schemas: entry, input });
          expect(result.status, `${entry.id}: ${JSON.stringify(result).slice(0, 300)}`).to.equal("ok");
        }
      }),
    );
  }).timeout(120_000);

  it("hashes an item's canonical JSON as the rest of the city does", async () => {
    const items: Item[] = [
      { id: "a", "é\u2028": [1, 0.1, 1e21, true, null, { z: "ß", a: '\u0001"' }], nested: { b: 1, a: [] } },
      { id: "😀", text: "😀 zażółć" },
    ];
    const output = await run(hash, items);
    expect(output.items).to.deep.equal(items.map((item) => ({ id: item.id, label: keccak256(canonicalBytes(item)) })));
    expect(utf8("a\ud800b")).to.deep.equal(new TextEncoder().encode("a\ud800b"));
  });

  it("counts altogether and by label, topic and kind", async () => {
    const output = await run(count, [
      { id: "1", label: "MIT", kind: "x" },
      { id: "2", label: "MIT" },
      { id: "2", label: "again" },
    ]);
    expect(output.items).to.deep.equal([
      { id: "items", value: 2 },
      { id: "kind=x", value: 1 },
      { id: "label=MIT", value: 2 },
    ]);
  });

  it("finds topics by keywords before description", () => {
    expect(topicOf({ id: "x", keywords: ["ethereum", "wallet"], description: "a test" })).to.equal("blockchain");
    expect(topicOf({ id: "x", description: "An HTTP router for servers" })).to.equal("web");
    expect(topicOf({ id: "x" })).to.equal("unknown");
  });

  it("finds the topic of a text by what it is about, and not by what every text of its kind says", () => {
    const boilerplate =
      "\n\n## Installation\n\nInstall the package with npm; it requires Node version 20.\n\n```js\nimport { query } from 'sql';\n```\n";
    const texts = {
      crypto: "# AES-JS\n\nA pure implementation of the AES block cipher and its modes, CBC and CTR: encrypt and decrypt any buffer.",
      files: "# chokidar\n\nMinimal and efficient file watching. Watches a directory recursively and reports each path that changes.",
      legal:
        "Redistribution is permitted provided that this licence, its terms and the copyright notice are kept; no warranty, no liability.",
      finance: "Invoice 4711. The amount of 300 euros is due within a month; payment to our bank account, tax included.",
    };
    for (const [topic, text] of Object.entries(texts))
      expect(topicOf({ id: "x", name: "README.md", text: text + boilerplate }), topic).to.equal(topic);
  });

  it("writes a report in the order that the task before gave, and adds up no identifiers and years", async () => {
    const items = [
      { id: "z", value: 9, fields: { zip: "80331", year: "2024", amount: "4" }, values: { zip: 80331, year: 2024, amount: 4 } },
      { id: "a", value: 5, fields: { zip: "20095", year: "2023", amount: "2" }, values: { zip: 20095, year: 2023, amount: 2 } },
    ];
    const upstream = [{ task: "largest", node: "largest", items, dissent: [] }];
    const document = String((await aggregate({ goal: "g", items: [], upstream }, context))["document"]);
    expect(document.indexOf("| `z`")).to.be.within(0, document.indexOf("| `a`"));
    for (const row of ["| zip | 2 | 20095 |  | 80331 |  |", "| year | 2 | 2023 |  | 2024 |  |", "| amount | 2 | 2 | 3 | 4 | 6 |"])
      expect(document).to.include(row);
    // Parts of one task come in the order of their items.
    const parts = items.map((item, part) => ({ task: "parse", node: `parse-${part}`, items: [item], dissent: [] }));
    const divided = String((await aggregate({ goal: "g", items: [], upstream: parts }, context))["document"]);
    expect(divided.indexOf("| `a`")).to.be.within(0, divided.indexOf("| `z`"));
  });

  it("writes a report in which names from outside are data, not mark-up", async () => {
    const output = await aggregate(
      {
        goal: "# Two\nlines",
        items: [],
        upstream: [
          {
            task: "t",
            node: "n",
            items: [
              { id: "a", name: "evil`|\n# heading", version: "1", label: "GPL", topic: "web" },
              { id: "b", name: "evil`|\n# heading", version: "2", label: "MIT", topic: "web" },
            ],
            dissent: [
              {
                id: "a",
                chosen: "GPL",
                answers: [
                  { by: "s1", value: "GPL" },
                  { by: "s2", value: null },
                ],
              },
            ],
          },
        ],
      },
      context,
    );
    const document = String(output["document"]);
    expect(document.split("\n").filter((line) => line.startsWith("# "))).to.deep.equal([]);
    expect(document).to.include("2 items · 1 under copyleft terms · 0 unclear.");
    expect(document).to.include("| `evil \\| # heading@1` | GPL | – | GPL |");
    expect(document).to.include("| `evil \\| # heading` | 2 | 1, 2 |");
  });

  describe("a report", () => {
    const reportOf = async (tasks: Readonly<Record<string, readonly Item[]>>) => {
      const upstream = Object.entries(tasks).map(([task, items]) => ({ task, node: `${task}-1`, items, dissent: [] }));
      return String((await aggregate({ goal: "g", items: [], upstream }, context))["document"]);
    };

    it("lists what was ranked in its order, with the fields it was ranked by", async () => {
      const document = await reportOf({
        longest: [
          { id: "b.md", rank: 1, words: 90, label: "GPL" },
          { id: "a.md", rank: 2, words: 20, label: "MIT" },
        ],
      });
      expect(document).to.include(
        "## Ranking\n\n| rank | item | label | words |\n| --- | --- | --- | --- |\n| 1 | `b.md` | GPL | 90 |\n| 2 | `a.md` | MIT | 20 |",
      );
      expect(document).to.include("| words | 2 | 20 | 55 | 90 | 110 |");
    });

    it("parts the few that were chosen from all, and says with them what others found out about them", async () => {
      const document = await reportOf({
        classify: ["a", "b", "c"].map((id) => ({ id, name: id, label: id === "c" ? "legal" : "web" })),
        top: [{ id: "c", name: "c", rank: 1, words: 9, value: 9 }],
      });
      expect(document)
        .to.include("# top")
        .and.to.include("| rank | item | label | words |\n| --- | --- | --- | --- |\n| 1 | `c` | legal | 9 |\n");
      expect(document).to.include("| `a` | web |\n| `b` | web |\n| `c` | legal |\n");
      expect(document).to.include("| web | 2 | 66.7 % |");
    });

    it("calls a value by what it is, and says nothing twice", async () => {
      const totals = [
        ["North", 5],
        ["South", 3],
      ].map(([label = "", value = 0]) => ({
        id: `region=${label}`,
        name: label,
        label,
        value,
        what: "sum of amount",
        rows: 2,
        missing: 0,
      }));
      const document = await reportOf({ totals });
      expect(document).to.include("| item | sum of amount | rows |\n| --- | --- | --- |\n| `North` | 5 | 2 |\n| `South` | 3 | 2 |\n");
      expect(document).to.include("| sum of amount | 2 | 3 | 4 | 5 | 8 |").and.to.not.include("missing");
    });

    it("shows what each task says of the same items, where two answer under the same name", async () => {
      const document = await reportOf({
        language: [{ id: "a", label: "English", value: 0.9 }],
        secrets: [{ id: "a", label: "no secrets", value: 0 }],
      });
      expect(document).to.include("# language").and.to.include("| `a` | English | 0.9 |");
      expect(document).to.include("# secrets").and.to.include("| `a` | no secrets | 0 |");
    });

    it("lists the cells of a table, words and numbers, in the table's own order", async () => {
      const items = [{ id: "row-1", kind: "row", row: 1, fields: { area: "9", zone: "North" }, values: { area: 9 } }];
      const input = { goal: "g", items, upstream: [], columns: ["zone", "area"] };
      expect((await aggregate(input, context))["document"]).to.include(
        "| item | zone | area |\n| --- | --- | --- |\n| `row-1` | North | 9 |",
      );
      expect((await csv(input, context))["document"]).to.equal("id,zone,area,kind,row\r\nrow-1,North,9,row,1\r\n");
    });

    it("joins what several tasks found out about the same items, and parts what is about others", async () => {
      const document = await reportOf({
        words: [{ id: "a", words: 3 }],
        language: [{ id: "a", language: "en" }],
        groups: [
          { id: "language=en", label: "en", count: 9, share: 0.9 },
          { id: "language=de", label: "de", count: 1, share: 0.1 },
        ],
      });
      expect(document).to.include("# words\n\n1 item.\n\n## Items\n\n| item | words | language |\n| --- | --- | --- |\n| `a` | 3 | en |");
      expect(document).to.include("# groups\n\n2 items.\n\n## Groups\n\n| item | label | count | share |");
    });

    it("says nothing that says nothing: a label all share, no answer, a topic that is the label", async () => {
      const document = await reportOf({ t: ["a", "b", "c"].map((id) => ({ id, label: "unknown", topic: "unknown" })) });
      expect(document).to.include("3 items · 3 without an answer.");
      expect(document).to.not.match(/most often|## Topics/);
      expect(await reportOf({ t: [] })).to.equal("There are no items.\n");
    });

    it("stays short for 50,000 items", async () => {
      const items = Array.from({ length: 50_000 }, (_, row) => ({
        id: `row-${row}`,
        label: `l${row % 900}`,
        problem: "x",
        values: { price: row },
      }));
      const document = await reportOf({ t: items });
      expect(document.split("\n").length).to.be.below(220);
      expect(document).to.include("… 49950 more").and.to.include("| price | 50000 | 0 | 24999.5 | 49999 |");
    });
  });
});
