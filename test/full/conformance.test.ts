import { expect } from "chai";
import { conformance } from "../../scripts/clearing/conformance.ts";
import { exposure } from "../../scripts/clearing/exposure.ts";
import { loss } from "../../scripts/clearing/loss.ts";
import { isReproduced } from "../../scripts/clearing/report.ts";

describe("RAILS 11, at length", function () {
  this.timeout(1_800_000);

  it("holds the floor in 1,230,000 events under attack", async () => {
    const report = await conformance("7");
    expect([report.data["events"], report.data["violations"]]).to.deep.equal([1_230_000, 0]);
    expect(report.rows.filter(({ verdict }) => verdict === "NOT REPRODUCED")).to.deep.equal([]);
  });

  it("reproduces exposure and loss", () => {
    expect([isReproduced(exposure("7")), isReproduced(loss("7"))]).to.deep.equal([true, true]);
  });
});
