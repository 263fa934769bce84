import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type InputSource, readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { createSandbox } from "../../orchestrator/execution/sandbox/run.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import aggregate from "../../services/aggregate.ts";
import { CATALOG } from "../../services/catalog.ts";
import count from "../../services/count.ts";
import hash from "../../services/hash.ts";
import type { Item, Service, ServiceContext, ServiceInput } from "../../services/shared/contract.ts";
import { utf8 } from "../../services/shared/text.ts";
import { topicOf } from "../../services/shared/topics.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const context: ServiceContext = {
  tool: () => Promise.reject(new Error("no tools here")),
  message: () => undefined,
};
const given = (items: readonly Item[]): ServiceInput => ({ goal: "g", items, upstream: [] });
const run = (service: Service, items: readonly Item[]) => service(given(items), context);

describe("services/catalog", () => {
  const directory = temporaryDirectory();

  it("says of each service what the market needs", () => {
    expect(new Set(CATALOG.map(({ id }) => id)).size).to.equal(CATALOG.length);
    for (const entry of CATALOG) {
      expect(existsSync(entry.file), entry.file).to.equal(true);
      expect(entry.capabilities).to.have.length(10);
      expect(Math.max(...entry.capabilities)).to.be.within(1, 255);
      expect(entry.accepts).to.include("items");
      expect(entry.deterministic).to.equal(true);
    }
  });

  it("takes whatever any other service or reader hands it, nothing included, and returns what its schema says", async () => {
    const sandbox = createSandbox({ directory: directory(), now: () => 0 });
    const sources: InputSource[] = [
      { kind: "csv", path: "missions/data/work-packages.csv" },
      { kind: "files", path: "missions/data/incidents" },
    ];
    const read = sources.flatMap((source) => readInput(source, root).items.slice(0, 3));
    const bundles = await Promise.all(CATALOG.map(async (entry) => ({ entry, bundle: await bundleService(entry.file) })));
    const first = await Promise.all(bundles.map(({ entry, bundle }) => sandbox.run({ bundle, schemas: entry, input: given(read) })));
    const upstream = first.map((result, index) => {
      if (result.status === "failed") throw new Error(`${CATALOG[index]?.id}: ${result.kind} ${result.details}`);
      const output = result.output as { items: Item[] };
      return { task: "first", node: `first-${index}`, items: output.items, dissent: [] };
    });
    for (const { entry, bundle } of bundles) {
      for (const input of [given([]), { goal: "", items: [], upstream }]) {
        const result = await sandbox.run({ bundle, schemas: entry, input });
        expect(result.status, `${entry.id}: ${JSON.stringify(result).slice(0, 300)}`).to.equal("ok");
      }
    }
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
    expect(topicOf({ id: "x" })).to.equal("other");
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
    expect(document.split("\n").filter((line) => line.startsWith("# "))).to.deep.equal(["# # Two lines"]);
    expect(document).to.include("2 items · most often GPL (50 %) · 1 under copyleft terms · 0 unclear · 1 on which the executors differ.");
    expect(document).to.include("| `evil \\| # heading@1` | GPL | – | GPL |");
    expect(document).to.include("| `evil \\| # heading` | 2 | 1, 2 |");
  });
});
