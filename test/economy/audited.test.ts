// @long
import { expect } from "chai";
import { recompileLaw } from "../../orchestrator/client/compile-law.ts";
import { shortened } from "../../orchestrator/economy/campaign.ts";
import { type Audited, auditMission } from "../../orchestrator/economy/law/audit.ts";
import { milestoneGraph } from "../../orchestrator/economy/milestone.ts";
import { ECONOMY } from "../../orchestrator/economy/parameters.ts";
import { runEconomy } from "../../orchestrator/economy/run.ts";
import { contentIdFromDigest } from "../../orchestrator/primitives/hash.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

describe("an economy's mission, audited from its chain", function () {
  this.timeout(240_000);
  const SEED = 3;

  it("holds as a mission of a city does, and does not when it is shown another input or without its documents", async () => {
    const audits: Audited[] = [];
    const figures = await runEconomy({
      configuration: "full",
      agents: 20,
      seed: SEED,
      world: shortened(ECONOMY, 1),
      async sees(city) {
        const { mission, winner } = await city.client.legislation.sessionOf(1n);
        const proposed = await city.client.legislation.history("Proposed", { session: 1n });
        const won = proposed.find(({ args }) => args.candidate === winner);
        const bytes = won === undefined ? undefined : city.kept.get(contentIdFromDigest(won.args.cid));
        if (bytes === undefined) throw new Error("the law's document is not kept");
        const enacted = { mission, session: 1n, law: recompileLaw(bytes) };
        const graph = (seed: number) => milestoneGraph(ECONOMY.tasks, randomStream(seed, "economy", "milestone", 0), ECONOMY);
        audits.push(await auditMission(city, enacted, graph(SEED)));
        audits.push(await auditMission(city, enacted, graph(SEED + 1)));
        audits.push(await auditMission({ ...city, kept: new Map() }, enacted, graph(SEED)));
      },
    });
    const [whole, otherInput, noDocuments] = audits;
    expect(whole?.findings).to.deep.equal([]);
    expect(Math.min(...Object.values(whole?.verified ?? {})), "no check had nothing to compare").to.be.above(0);
    expect(Object.keys(whole?.verified ?? {})).to.include.members(["LAW", "BALLOTS", "BIDS", "VERDICTS", "PAYOUTS", "MONEY"]);
    expect(figures.governance?.audit, "the run's own").to.deep.equal({ milestone: 0, ...whole });
    expect(otherInput?.findings.join("\n")).to.match(/^LAW: digest of the input/);
    expect(noDocuments?.findings.join("\n")).to.match(/^CANDIDATES: .* has no document here/);
  });
});
