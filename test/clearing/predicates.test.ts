import { expect } from "chai";
import { brokenPredicates } from "../../orchestrator/clearing/predicates.ts";

describe("brokenPredicates", () => {
  const subject = { output: { document: "héllo" }, inputIds: ["a", "b"], coveredIds: new Set(["a", "b", "c"]) };

  it("finds nothing where all hold", () => {
    expect(brokenPredicates(["every-input-covered", { maxBytes: 6 }], subject)).to.deep.equal([]);
  });

  it("counts bytes, not characters", () => {
    expect(brokenPredicates([{ maxBytes: 5 }], subject)).to.deep.equal(["maxBytes: 6 bytes, at most 5"]);
  });

  it("names the first input that was lost on the way", () => {
    const broken = brokenPredicates(["every-input-covered"], { ...subject, coveredIds: new Set(["a"]) });
    expect(broken).to.deep.equal(["every-input-covered: 1 missing, first b"]);
  });
});
