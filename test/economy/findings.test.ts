import { expect } from "chai";
import { HYPOTHESES } from "../../orchestrator/economy/hypotheses.ts";
import { judgedFindings, WHY } from "../../scripts/economy/findings.ts";
import { allResults } from "../../scripts/economy/results.ts";

describe("results of the economy that are committed", () => {
  const judged = judgedFindings();

  it("judge every hypothesis, each in the campaign that has what its test needs", () => {
    expect(judged.map(({ finding }) => finding.id)).to.deep.equal(HYPOTHESES.map(({ id }) => id));
    for (const { finding, results } of judged) {
      const scales = new Set(results.summary.cells.map(({ agents }) => agents)).size;
      if (/^H[45]/.test(finding.id)) expect(scales, finding.id).to.be.at.least(6);
      else expect(results.summary.seeds.length, finding.id).to.be.at.least(finding.id === "H2h" ? 20 : 10);
      expect(finding.verdict, finding.id).to.not.equal("not measured");
    }
  });

  it("say why where the paper is falsified, and of nothing that is not a hypothesis", () => {
    for (const { finding } of judged) if (finding.verdict === "falsified") expect(WHY[finding.id], finding.id).to.not.equal(undefined);
    expect(HYPOTHESES.map(({ id }) => id)).to.include.members(Object.keys(WHY));
  });

  it("were made with committed sources", () => {
    for (const { commit, page } of allResults()) expect(commit, page).to.match(/^[0-9a-f]{12}(, [0-9a-f]{12})*$/);
  });
});
