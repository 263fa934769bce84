// @long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { BUNDLE_FILES } from "../../orchestrator/city/bundle/bundle-layout.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { missionDocumentSchema } from "../../orchestrator/protocol/mission-document.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** A mission file with a goal and no tasks, from the producers' plans to the audit. */
describe("scenario: a goal alone", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;

  before(async () => {
    const { files } = smallInputs(directory());
    const home = join(directory(), "home");
    city = await openHome(home, "7");
    const goal = "Which of these notes take longest to read? Show me the top two.";
    const text = smallMission(files, { goal, input: { kind: "files", path: files }, tasks: undefined, output: undefined });
    outcome = await carryOutIn(city, text, { id: "goal-alone", home });
  });
  after(() => city?.close());

  it("is completed and paid by a plan of the producers", () => {
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    const { nodes, plan } = missionDocumentSchema.parse(
      JSON.parse(readFileSync(join(outcome.bundle ?? "", BUNDLE_FILES.document), "utf8")),
    );
    expect(plan).to.be.a("string");
    expect([...new Set(nodes.flatMap(({ services }) => services))]).to.deep.equal(["word-count", "top", "aggregate"]);
    expect(nodes.find(({ task }) => task === "top")?.options).to.include({ field: "words", n: 2 });
  });

  it("answers the goal in its report: the two longest, and not the third", () => {
    const report = readFileSync(outcome.report ?? "", "utf8");
    expect(report).to.contain("a.md").and.to.contain("c.md");
    expect(report).to.not.contain("b.md");
  });

  it("is accepted by an auditor, who compares the law with the plan", async () => {
    const { passed, checks } = await auditBundle(outcome.bundle ?? "");
    expect(passed).to.equal(true);
    expect(checks.find(({ name }) => name === "LAW")?.verified).to.be.at.least(30);
  });
});
