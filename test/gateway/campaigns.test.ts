import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { campaignDetail, campaignsIn } from "../../orchestrator/gateway/campaigns.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const bench = join(import.meta.dirname, "../../bench");

describe("campaigns of the economy, as a gateway shows them", () => {
  const home = suiteDirectory();

  it("says of each published one what its file says", () => {
    const found = campaignsIn({ published: bench, own: home() });
    expect(found.map(({ summary }) => summary.name)).to.include("economy-1-contracts");
    for (const { summary, detail, text } of found) {
      const file = readFileSync(join(bench, `${summary.name}.json`), "utf8");
      expect(text).to.equal(file);
      expect(summary.hash).to.equal(keccak256(Buffer.from(file)));
      expect(campaignDetail.safeParse(detail).error).to.equal(undefined);
      const { commit, summary: own } = JSON.parse(file);
      expect(summary.commit).to.equal(commit);
      expect(detail.findings.map(({ id, verdict }) => [id, verdict])).to.deep.equal(
        own.findings.map(({ id, verdict }: { id: string; verdict: string }) => [id, verdict]),
      );
      expect(Object.values(summary.verdicts).reduce((sum, count) => sum + count, 0)).to.equal(own.findings.length);
    }
  });

  it("shows one that was run here, and leaves out what is half written or something else", () => {
    const { summary } = JSON.parse(readFileSync(join(bench, "economy-1.json"), "utf8"));
    for (const [name, text] of [
      ["economy-1", JSON.stringify(summary)],
      ["economy-half", JSON.stringify(summary).slice(0, 1_000)],
      ["economy-other", JSON.stringify({ experiment: 3 })],
      ["economy-list", "[]"],
    ] as const) {
      mkdirSync(join(home(), name), { recursive: true });
      writeFileSync(join(home(), name, "summary.json"), text);
    }
    mkdirSync(join(home(), "economy-empty"));
    const found = campaignsIn({ published: join(home(), "none"), own: home() });
    expect(found.map(({ summary: { name, origin, commit } }) => [name, origin, commit])).to.deep.equal([["own-economy-1", "own", null]]);
  });
});
