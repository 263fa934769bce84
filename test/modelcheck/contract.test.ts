import { expect } from "chai";
import { stillTime } from "../support/city-fixture.ts";
import { explore } from "./explore.ts";
import { MISSING } from "./machines/mission/guards.ts";
import { LAWS, REVIEWED, WORKED_ON } from "./machines/mission/laws.ts";
import { DROPPED, PASSED_OVER, without } from "./machines/mission/mutants.ts";
import { type Walked, walk, wouldTake } from "./walks.ts";

/** Steps that are only made, then steps in which every call is tried. */
const STAGES = [0, 6, 12, 18];
const TRIED = 3;

describe("model and contract", function () {
  this.timeout(300_000);
  let restore: () => void;
  const all: Walked[] = [];

  before(() => {
    restore = stillTime();
  });
  after(() => restore());

  for (const [name, law] of Object.entries(LAWS)) {
    it(`${name}: what one allows the other does, what one refuses the other refuses`, async () => {
      for (const [seed, unseen] of STAGES.entries()) {
        const walked = await walk({ law, seed, steps: unseen + TRIED, unseen });
        all.push(walked);
        expect(walked.differences).to.deep.equal([]);
      }
    });
  }

  /** Where the machine without a guard goes wrong by a call that the guard refuses. */
  const REFUSING = DROPPED.filter(
    ({ guard }) =>
      guard !== "bonds go back with the claim" &&
      guard !== "what a human approved is recorded at once" &&
      guard !== "too few commitments end the attempt" &&
      guard !== "a successor ends no appeal" &&
      guard !== "what was committed is decided before the end" &&
      !guard.startsWith("a waiting node"),
  );
  for (const dropped of REFUSING) {
    const missing = MISSING.includes(dropped.guard);
    it(`${dropped.guard}: ${missing ? "not yet" : "so"} on chain, where the machine without it goes wrong`, async () => {
      const { violation } = explore(without(dropped));
      expect(await wouldTake(LAWS[dropped.law], violation?.trace ?? [])).to.equal(missing);
    });
  }

  const missing = MISSING.includes(PASSED_OVER);
  it(`${PASSED_OVER}: ${missing ? "not yet" : "so"} on chain`, async () => {
    const way = ["executor: bid 1", "monitor: report 0", "adjudicator: REJECT_POP 0", "anybody: reopen 0"];
    const award = ["time: the bidding for node 1 is over", "anybody: award 1"];
    expect(await wouldTake(WORKED_ON, ["legislature: activate", ...way, ...award])).to.equal(!missing);
  });

  const BEGUN = ["executor: bid 0", "time: the bidding for node 0 is over", "anybody: award 0", "runner: route 0", "executor: commit 0"];
  it("a mandate is amended once, and the work is done anew and cleared", async () => {
    const amended = ["adjudicator: FREEZE 0", "adjudicator: RESUME_WITH_AMENDMENT 0"];
    const anew = ["runner: route 0", "executor: commit 0", "executor: commit 0", "executor: reveal 0", "executor: reveal 0"];
    const trace = ["legislature: activate", ...BEGUN, ...amended, ...anew, "panel: clear PASS 0", "anybody: refund"];
    expect(await wouldTake(LAWS["executors whose mandate is amended"], trace)).to.equal(true);
  });

  it("a review that nobody decides is asked of everybody once, and then fails", async () => {
    const unheard = ["time: time of node 0 is up", "anybody: timeout 0"];
    const trace = ["legislature: activate", ...BEGUN, "panel: clear PASS 0", ...unheard, ...unheard, "anybody: reopen 0"];
    expect(await wouldTake(REVIEWED, trace)).to.equal(true);
  });

  it("and both happened often", () => {
    const sum = (of: (walked: Walked) => number) => all.reduce((total, walked) => total + of(walked), 0);
    expect(sum(({ allowed }) => allowed)).to.be.at.least(120);
    expect(sum(({ tried, allowed }) => tried - allowed)).to.be.at.least(1000);
  });
});
