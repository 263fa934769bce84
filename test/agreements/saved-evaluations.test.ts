import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { reportSchema } from "../../scripts/bench/agreements-page.ts";
import { savedBy, savedEvaluations } from "../../scripts/bench/saved-evaluations.ts";
import { root } from "../../scripts/dev/files.ts";

describe("evaluations that looking at the structure first spares", () => {
  it("are as many as the page says", async () => {
    const { saved } = reportSchema.parse(JSON.parse(readFileSync(join(root, "bench/agreements.json"), "utf8")));
    expect(await savedEvaluations()).to.deep.equal(saved);
  });

  it("ask a judge of sound work for all but what the clock says, and of defective work for a quarter of that", async () => {
    const sound = await savedBy("1", 0, 100);
    expect(sound.asked).to.equal(300);
    const broken = await savedBy("1", 1, 400);
    expect(broken.asked / broken.questions).to.be.within(0.12, 0.26);
  });
});
