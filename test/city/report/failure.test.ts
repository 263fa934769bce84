import { expect } from "chai";
import { decisive } from "../../../orchestrator/city/report/failure.ts";

describe("why a mission failed", () => {
  const of = (...reasons: readonly string[]) => decisive(reasons.map((reason, attempt) => ({ reason, attempt })));

  it("is what the last executors failed of, not that nobody was left to try again", () => {
    expect(of("UNVERIFIABLE", "TIMEOUT", "NO_BIDS")).to.deep.equal({ reason: "TIMEOUT", attempt: 1 });
    expect(of("TIMEOUT", "CLEARED_FAIL")).to.deep.equal({ reason: "CLEARED_FAIL", attempt: 1 });
  });

  it("is that nobody offered, where nobody ever did", () => {
    expect(of("NO_BIDS", "NO_BIDS")).to.deep.equal({ reason: "NO_BIDS", attempt: 1 });
    expect(of()).to.equal(undefined);
  });
});
