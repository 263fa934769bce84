import { expect } from "chai";
import { judgeConsensus, judgePolicy, judgeReexecution, type Submission } from "../../orchestrator/clearing/judgement.ts";
import { evidenceKinds } from "../../orchestrator/protocol/evidence.ts";
import { REFUTED } from "../../orchestrator/rules/admissibility.ts";

const HASH = (digit: string) => `0x${digit.repeat(64)}` as const;
const TERMS = { on: "label", atLeastBps: 6_000, threshold: 2 };

function submission(slot: number, labels: readonly string[], options: Partial<Submission> = {}): Submission {
  const items = labels.map((label, index) => ({ id: `item-${index}`, label }));
  const outputHash = HASH(String(slot + 1));
  return {
    slot,
    outputHash,
    handed: outputHash,
    output: { items },
    exhibits: [{ slot, index: 0, kind: evidenceKinds.RECEIPT, payload: outputHash }],
    ...options,
  };
}

describe("judgeReexecution", () => {
  const rerun = (payload: Submission["outputHash"]) => [{ slot: 0, index: 0, kind: evidenceKinds.REEXECUTION, payload }];

  it("passes what an independent run confirms, and says on what it rests", () => {
    const verdict = judgeReexecution(submission(0, ["MIT"], { exhibits: rerun(HASH("1")) }), false);
    expect(verdict).to.deep.equal({ question: "PERFORMANCE", result: "PASS", confidence: 10_000, score: 10_000, basis: 1n, agreeing: 1 });
  });

  it("fails what an independent run contradicts, on the same exhibit", () => {
    const verdict = judgeReexecution(submission(0, ["MIT"], { exhibits: rerun(HASH("f")) }), false);
    expect(verdict).to.include({ result: "FAIL", score: 0, basis: 1n, agreeing: 0 });
  });

  it("abstains without evidence and without the bytes: never a pass", () => {
    expect(judgeReexecution(submission(0, ["MIT"]), false).result).to.equal("ABSTAIN");
    const unread = submission(0, ["MIT"], { exhibits: rerun(HASH("1")), output: undefined });
    expect(judgeReexecution(unread, false).result).to.equal("ABSTAIN");
    expect(judgeReexecution(undefined, false)).to.include({ question: "PERFORMANCE", result: "ABSTAIN" });
  });

  it("fails what an independent run contradicts though its bytes are not there", () => {
    const unread = submission(0, ["MIT"], { exhibits: rerun(HASH("f")), output: undefined });
    expect(judgeReexecution(unread, false)).to.include({ result: "FAIL", basis: 1n });
  });

  it("fails work that is refuted, where nothing was shown for it", () => {
    expect(judgeReexecution(undefined, true)).to.include({ result: "FAIL", score: 0, basis: REFUTED, agreeing: 0 });
    const shown = submission(0, ["MIT"], { exhibits: rerun(HASH("1")) });
    expect(judgeReexecution(shown, true)).to.include({ result: "PASS", basis: 1n });
  });
});

describe("judgeConsensus", () => {
  it("names the agreeing slots, rests on their receipts alone, and scores their mean agreement", () => {
    const verdict = judgeConsensus([submission(0, ["a", "b", "c"]), submission(1, ["a", "b", "x"]), submission(2, ["q", "r", "s"])], TERMS);
    expect(verdict).to.include({ result: "PASS", agreeing: 0b011, score: 6_666 });
    expect(verdict.basis).to.equal(1n | (1n << 32n));
  });

  it("abstains when too few agree: nobody is shown to be wrong", () => {
    const verdict = judgeConsensus([submission(0, ["a"]), submission(1, ["b"]), submission(2, ["c"])], TERMS);
    expect(verdict).to.include({ result: "ABSTAIN", basis: 0n });
  });

  it("takes a re-execution for more than a receipt, and none that gave other bytes", () => {
    const rerun = (slot: number, payload: Submission["outputHash"]) =>
      submission(slot, ["a"], { exhibits: [{ slot, index: 0, kind: evidenceKinds.REEXECUTION, payload }] });
    const works = [rerun(0, HASH("1")), rerun(1, HASH("2")), rerun(2, HASH("f"))];
    expect(judgeConsensus(works, TERMS)).to.include({ result: "PASS", agreeing: 0b011, basis: 1n | (1n << 32n) });
  });

  it("does not count an output whose receipt is for other bytes", () => {
    const forged = submission(1, ["a"], { exhibits: [{ slot: 1, index: 0, kind: evidenceKinds.RECEIPT, payload: HASH("9") }] });
    expect(judgeConsensus([submission(0, ["a"]), forged], TERMS).result).to.equal("ABSTAIN");
  });
});

describe("judgePolicy", () => {
  it("fails on any broken predicate and abstains on nothing", () => {
    expect(judgePolicy([submission(0, ["a"])], [])).to.include({ result: "PASS", basis: 1n });
    expect(judgePolicy([submission(0, ["a"])], ["maxBytes: 3 bytes, at most 2"])).to.include({ result: "FAIL", basis: 1n });
    expect(judgePolicy([], []).result).to.equal("ABSTAIN");
  });
});
