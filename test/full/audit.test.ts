import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { DISPUTED_PACKAGES, runSmallMission } from "../support/mission-bundle.ts";

describe("audit of missions that went another way", function () {
  this.timeout(300_000);
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "agentcity-audit-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("passes one whose executor lied, was slashed and was replaced", async () => {
    const { outcome, bundle } = await runSmallMission(root, { cheat: true });
    expect(outcome.status).to.equal("completed");
    expect(BigInt(outcome.slashed) > 0n).to.equal(true);
    expect(Math.max(...outcome.nodes.map(({ attempts }) => attempts))).to.equal(2);
    expect((await auditBundle(bundle)).passed).to.equal(true);
  });

  it("passes one that failed, its money returned", async () => {
    const { outcome, bundle } = await runSmallMission(root, { packages: DISPUTED_PACKAGES });
    expect(outcome.status).to.equal("failed");
    expect(BigInt(outcome.money.refunded) > 0n).to.equal(true);
    expect((await auditBundle(bundle)).passed).to.equal(true);
  });

  it("is over the same bytes when the same city runs twice", async () => {
    const manifests = [];
    for (let run = 0; run < 2; run += 1) {
      const { bundle } = await runSmallMission(root, { seed: "11" });
      manifests.push(readFileSync(join(bundle, "manifest.json"), "utf8"));
      rmSync(root, { recursive: true });
    }
    expect(manifests[1]).to.equal(manifests[0]);
  });
});
