import { expect } from "chai";
import { executionMetrics, type Milestone } from "../../orchestrator/execution/metrics.ts";

/** Three executors of one attempt, of which the last does not commit. */
const consensus = (node: number, attempt: number): Milestone[] => [
  ...[0, 1, 2].map((slot): Milestone => ({ kind: "bound", node, attempt, slot })),
  { kind: "routed", node, attempt },
  ...[0, 1].map((slot): Milestone => ({ kind: "committed", node, attempt, slot })),
];
const single = (node: number, attempt: number): Milestone[] => [
  { kind: "bound", node, attempt, slot: 0 },
  { kind: "routed", node, attempt },
];

/**
 * Worked out by hand. Node 0: one executor never commits, the second attempt's does, and passes. Node 1: two of three commit, the output
 * deviates, is released (routed again), and the gate keeps it back until a human lets it pass. Node 2: bound, never routed.
 */
const FIRST: readonly Milestone[] = [
  ...single(0, 0),
  { kind: "failed", node: 0, attempt: 0 },
  ...single(0, 1),
  { kind: "committed", node: 0, attempt: 1, slot: 0 },
  { kind: "gated", node: 0, attempt: 1, allowed: true },
  { kind: "completed", node: 0, attempt: 1 },
  ...consensus(1, 0),
  { kind: "deviating", node: 1, attempt: 0 },
  { kind: "routed", node: 1, attempt: 0 },
  { kind: "gated", node: 1, attempt: 0, allowed: false },
  { kind: "gated", node: 1, attempt: 0, allowed: true },
  { kind: "completed", node: 1, attempt: 0 },
  { kind: "bound", node: 2, attempt: 0, slot: 0 },
  { kind: "failed", node: 2, attempt: 0 },
];

describe("execution/metrics", () => {
  it("counts what the chain recorded as the paper's four secondary metrics do", () => {
    expect(executionMetrics([FIRST], false)).to.deep.equal({
      // Routed: 1 + 1 + 3 executors; committed: 1 + 2.
      ccr: { part: 3, whole: 5 },
      // Attempts routed: 0/0, 0/1, 1/0.
      gar: { part: 1, whole: 3 },
      // Gates that spoke: 0/1 and 1/0.
      grr: { part: 1, whole: 2 },
      // Nodes 0 and 2 failed; only 0 came back.
      aru: { part: 1, whole: 2 },
    });
  });

  it("takes what failed under a law that was replaced as recovered once the order is completed, and not before", () => {
    const second = [...single(0, 0), { kind: "committed", node: 0, attempt: 0, slot: 0 } as const];
    expect(executionMetrics([FIRST, second], true).aru).to.deep.equal({ part: 2, whole: 2 });
    expect(executionMetrics([FIRST, second], false).aru).to.deep.equal({ part: 1, whole: 2 });
    expect(executionMetrics([FIRST, second], true).ccr).to.deep.equal({ part: 4, whole: 6 });
  });

  it("counts what the Guardian stopped off chain, before anything routed it, as worked", () => {
    const stopped: Milestone[] = [
      { kind: "bound", node: 0, attempt: 0, slot: 0 },
      { kind: "deviating", node: 0, attempt: 0 },
      { kind: "failed", node: 0, attempt: 0 },
    ];
    const { gar, ccr } = executionMetrics([[...stopped, ...single(0, 1)]], false);
    expect([gar, ccr]).to.deep.equal([
      { part: 1, whole: 2 },
      { part: 0, whole: 1 },
    ]);
  });

  it("has nothing to say of nothing", () => {
    const nothing = { part: 0, whole: 0 };
    expect(executionMetrics([], false)).to.deep.equal({ ccr: nothing, gar: nothing, grr: nothing, aru: nothing });
  });
});
