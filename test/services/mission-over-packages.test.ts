// @long
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { createSandbox, type Sandbox } from "../../orchestrator/execution/sandbox/run.ts";
import { agreeOnItems } from "../../orchestrator/rules/consensus.ts";
import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";
import type { Item, Upstream } from "../../services/shared/contract.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const CLASSIFIERS = ["licence-by-spdx", "licence-by-text", "licence-by-headings"];
const SHARDS = 4;

function service(id: string): CatalogEntry {
  const entry = CATALOG.find((candidate) => candidate.id === id);
  if (entry === undefined) throw new Error(`no service ${id}`);
  return entry;
}

/** The default mission's work, without market or chain: every service in its own process, over this project's packages. */
describe("services over the packages installed here", () => {
  async function run(
    sandbox: Sandbox,
    id: string,
    items: readonly Item[],
    upstream: readonly Upstream[],
  ): Promise<{ items: Item[]; document?: string }> {
    const entry = service(id);
    const bundle = await bundleService(entry.file);
    const result = await sandbox.run({ bundle, input: { goal: "Audit", items, upstream }, schemas: entry });
    if (result.status === "failed") throw new Error(`${id}: ${result.kind}: ${result.details}`);
    const output: unknown = result.output;
    return output as { items: Item[]; document?: string };
  }

  it("classifies them with a majority at 0.85 in every shard and real disagreements, and reports both", async () => {
    const sandbox = createSandbox({ now: () => 0 });
    const input = readInput({ kind: "packages", path: "node_modules" }, root);
    const upstream: Upstream[] = [];
    let disagreements = 0;
    const cut = (index: number): number => Math.floor((index * input.items.length) / SHARDS);
    for (let index = 0; index < SHARDS; index += 1) {
      const [from, to] = [cut(index), cut(index + 1)];
      const parsed = await run(sandbox, "fetch-and-parse", input.items.slice(from, to), []);
      expect(parsed.items.map(({ id }) => id)).to.deep.equal(input.items.slice(from, to).map(({ id }) => id));
      const given = [{ task: "parse", node: `parse-${index + 1}`, items: parsed.items, dissent: [] }];
      const outputs = await Promise.all(CLASSIFIERS.map(async (id, slot) => ({ slot, items: (await run(sandbox, id, [], given)).items })));
      const agreement = agreeOnItems(outputs, { on: "label" }, { atLeastBps: 8_500, quorum: 2 });
      expect(agreement.reached, `shard ${index + 1}: ${JSON.stringify(agreement.pairs)}`).to.equal(true);
      expect(agreement.items).to.have.length(to - from);
      disagreements += agreement.disagreements.length;
      const dissent = agreement.disagreements.map(({ id, chosen, answers }) => ({
        id,
        chosen,
        answers: answers.map(({ slot, value }) => ({ by: CLASSIFIERS[slot] ?? "", value: value ?? null })),
      }));
      upstream.push({ task: "classify", node: `classify-${index + 1}`, items: agreement.items, dissent });
    }
    expect(disagreements).to.be.within(1, Math.floor(input.items.length * 0.15));

    const report = await run(sandbox, "aggregate", [], upstream);
    const document = report.document ?? "";
    expect(document).to.match(/^\d+ items · most often MIT \(\d+(\.\d)? %\)/);
    for (const heading of ["Licences", "Where the executors differ", "Topics", "Packages installed in more than one version"]) {
      expect(document).to.include(`\n## ${heading}\n`);
    }
    for (const id of CLASSIFIERS) expect(document).to.include(id);
    const mit = upstream.flatMap(({ items }) => items).filter((item) => item["label"] === "MIT").length;
    expect(document).to.include(`| MIT | ${mit} |`);
    expect(document).to.match(/\| `tslib@[\d.]+` \| ISC \| 0BSD \| 0BSD \| 0BSD \|/);
    expect(report.items.find(({ id }) => id === "MIT")).to.include({ value: mit });
  }).timeout(120_000);
});
