import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import type { VerifySignature } from "../../orchestrator/clearing/signature.ts";
import { JOIN_FOR_MEET, type Sweep, sweep } from "../../scripts/clearing/conformance.ts";
import { FORGERIES, forgeUp } from "../../scripts/clearing/forge-up.ts";
import { itemSatisfies, satisfies, violatesFloor } from "../../scripts/clearing/invariant.ts";
import { expectation } from "../../scripts/clearing/launder-basis.ts";
import { dealWith, genuine, sweepDeployment } from "../../scripts/clearing/population.ts";
import { isReproduced } from "../../scripts/clearing/report.ts";
import { scenarios } from "../../scripts/clearing/scenarios.ts";
import { verifySimulated } from "../../scripts/clearing/simulated-signature.ts";
import { root } from "../../scripts/dev/files.ts";
import { expectNear, expectOrder } from "../support/fractions.ts";

const SMALL = { forgeSeeds: 1, forgeEvents: 400, launderSeeds: 1, launderRounds: 200, downgrades: 60 };

describe("the conformance sweep, small", () => {
  let result: Sweep;
  before(async () => {
    result = await sweep("small", SMALL);
  });

  it("has no violation", () => {
    expect([result.events, result.violations]).to.deep.equal([11 * 400 + 5 * 200 + 60, 0]);
    expect(result.downgrade.rejected).to.equal(60);
  });

  it("catches every forgery without a stolen key, and none with one", () => {
    const caught = result.forge.map((part) => part.caught);
    expect([caught[0], caught[10]]).to.deep.equal([400, 0]);
    expect([...caught].sort((a, b) => b - a)).to.deep.equal(caught);
    expect(result.forge[0]?.settled).to.equal(0);
    expect(result.forge[10]?.settledOnTheft).to.be.greaterThan(0);
  });

  it("judges each drawn item once, however many events hand it in", () => {
    const checksIn = (events: number) => {
      let checks = 0;
      const counting: VerifySignature = (...signed) => {
        checks += 1;
        return verifySimulated(...signed);
      };
      expect(forgeUp("once", 0.5, 1, events, { ...sweepDeployment(), verify: counting }).forgeries).to.equal(5 * FORGERIES);
      return checks;
    };
    const once = checksIn(50);
    expectOrder(once, ">", FORGERIES);
    expect(checksIn(2000)).to.equal(once);
  });

  it("finds by basis audits whoever declares what it did not read, and nobody else", () => {
    const audits = result.launder.map((part) => part.audits);
    expect(audits.every(({ honest }) => honest.mismatched === 0)).to.equal(true);
    expect(audits.every(({ colluding }) => colluding.mismatched === colluding.audited)).to.equal(true);
    expectOrder(audits.at(-1)?.colluding.audited ?? 0, ">", 0);
    expectOrder(audits.at(-1)?.fooled.mismatched ?? 0, ">", 0);
  });

  it("has violations when a join stands where the meet belongs", async () => {
    const mutant = await sweep("small", SMALL, JOIN_FOR_MEET);
    expectOrder(
      mutant.forge.reduce((sum, part) => sum + part.violations, 0),
      ">",
      0,
    );
    expectOrder(
      mutant.launder.reduce((sum, part) => sum + part.violations, 0),
      ">",
      0,
    );
  });

  it("is the same for the same seed", async () => {
    expect(await sweep("small", SMALL)).to.deep.equal(result);
  });
});

describe("the invariant checker", () => {
  it("knows the order by heart", () => {
    expect([satisfies("WIT", "REC"), satisfies("REC", "WIT"), satisfies("ATT", "REC"), satisfies("NOTHING", "SELF")]).to.deep.equal([
      false,
      false,
      true,
      false,
    ]);
  });

  it("sees a weak claim, a weak hop, and money that rests on nothing", () => {
    const deal = dealWith("ATT", sweepDeployment());
    const strong = genuine(deal, "a", "ATT");
    expect(itemSatisfies(strong, "ATT")).to.be.true;
    expect(itemSatisfies({ ...strong, class: "REC" }, "ATT")).to.be.false;
    expect(itemSatisfies({ ...genuine(deal, "b", "REC"), class: "ATT" }, "ATT")).to.be.false;
    expect(itemSatisfies({ ...strong, provenance: [] }, "ATT")).to.be.false;
    expect([violatesFloor(true, [], "SELF"), violatesFloor(false, [], "ATT"), violatesFloor(true, [strong], "ATT")]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it("expects the paper's latencies and, at an audit rate of 2 %, nine colluders never caught", () => {
    const medians = [0.02, 0.05, 0.1, 0.2, 0.4].map((rate) => expectation(rate, 11, 2000));
    expect(medians.map(({ median }) => median)).to.deep.equal([653, 345, 179, 92, 49]);
    for (const [index, paper] of [547, 402, 179, 89, 46].entries()) {
      expectOrder(paper, ">=", medians[index]!.low);
      expectOrder(paper, "<=", medians[index]!.high);
    }
    expectNear(medians[0]!.neverCaught, 9, 0.1);
  });
});

describe("npm run clearing", () => {
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, [join(root, "scripts/clearing/main.ts"), ...words], { encoding: "utf8" });

  it("reproduces both worked scenarios, and says where the paper differs from its own definitions", async () => {
    const report = await scenarios("7");
    expect(isReproduced(report)).to.be.true;
    expect(report.rows.filter(({ verdict }) => verdict === "paper differs").map(({ figure, ours }) => `${figure}: ${ours}`)).to.deep.equal([
      "webhook: aggregate confidence: 0.96",
      "webhook: policy, one clause per question: complied",
      "charger: performance, one clause per question: disputed",
    ]);
  });

  it("prints one JSON document, the same for the same seed", () => {
    const [first, second] = [run("scenarios", "--seed", "3", "--json"), run("scenarios", "--json", "--seed", "3")];
    expect(first.status, first.stderr).to.equal(0);
    expect(second.stdout).to.equal(first.stdout);
    const document = z.looseObject({
      command: z.literal("scenarios"),
      seed: z.literal("3"),
      rows: z.array(z.object({ verdict: z.string() })),
    });
    expectOrder(document.parse(JSON.parse(first.stdout)).rows.length, ">", 20);
  });

  it("says how it is used", () => {
    const wrong = run("prove");
    expect([wrong.status, wrong.stdout]).to.deep.equal([2, ""]);
    expect(wrong.stderr).to.match(/^usage: (npx )?agentcity clearing/);
  });
});
