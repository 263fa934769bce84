/** How attempts that nothing settled ended, by the chain's events alone. */
import { expect } from "chai";
import { type EndingEvents, endOf, type Happened } from "../../orchestrator/execution/exits.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { REASONS, type Reason, reasonCode } from "../../orchestrator/rules/reasons.ts";

/** An event at this place in the chain. */
const event = <Args>(at: number, args: Args): Happened<Args> => ({ at: BigInt(at), block: BigInt(at), hash: sha256(String(at)), args });
const [ANN, BOB] = ["ann", "bob"];
const bound = (at: number, attempt: number, agent: string, slot = 0, node = 3) => event(at, { node, attempt, slot, agent });
const lost = (at: number, agent: string, slashed: bigint, slot = 0, node = 3) => event(at, { node, slot, agent, slashed });
const NOTHING: EndingEvents = { bound: [], signalled: [], amended: [], faulted: [], over: undefined };
const PLACE = { node: 3, attempt: 0 };
const failing = (reason: Reason, more: Partial<EndingEvents> = {}) =>
  endOf({ ...NOTHING, bound: [bound(1, 0, ANN)], signalled: [event(9, { ...PLACE, reason: reasonCode(reason) })], ...more }, PLACE, false);

describe("the end of an attempt that nothing settled", () => {
  it("is one of three, by the chain's reason, and none where a panel or a human decided", () => {
    const exits = Object.fromEntries(REASONS.flatMap((reason) => (failing(reason) === undefined ? [] : [[reason, failing(reason)?.exit]])));
    expect(exits).to.deep.equal({
      ...{ TIMEOUT: "EXPIRED", CODE_HASH_MISMATCH: "EXPIRED", NOT_ROUTED: "CANCELLED" },
      ...{ REVIEW_EXPIRED: "UNVERIFIABLE", FREEZE_EXPIRED: "UNVERIFIABLE" },
    });
    expect(failing("TIMEOUT")).to.deep.include({ block: 9n, end: { reason: "TIMEOUT", receipt: sha256("9"), atFault: [], slashed: {} } });
  });

  it("is another mandate for the same executors, or the end of the mission before it was decided", () => {
    const amended = { ...NOTHING, amended: [event(5, { node: 3, attempt: 1 })] };
    expect(endOf(amended, PLACE, false)).to.deep.include({ exit: "CANCELLED", block: 5n });
    expect(endOf(amended, PLACE, false)?.end.reason).to.equal("AMENDED");
    expect(endOf(amended, { node: 3, attempt: 1 }, true), "the attempt that it began runs").to.equal(undefined);
    expect(endOf(amended, { node: 4, attempt: 0 }, false), "another node").to.equal(undefined);
    const over = { ...NOTHING, over: event(7, {}) };
    expect(endOf(over, PLACE, true)?.end).to.deep.include({ reason: "MISSION_OVER", receipt: sha256("7") });
    expect(endOf(over, PLACE, false), "it was decided").to.equal(undefined);
    expect(endOf(NOTHING, PLACE, true), "it runs").to.equal(undefined);
  });

  it("blames whom the chain slashed in that attempt, for what it took, and nobody for another attempt, slot or node", () => {
    const faulted = [lost(8, ANN, 50n), lost(8, BOB, 50n, 1), lost(12, ANN, 100n), lost(8, ANN, 7n, 0, 4), lost(8, ANN, 9n, 2)];
    const both = { bound: [bound(1, 0, ANN), bound(1, 0, BOB, 1), bound(10, 1, ANN)], faulted };
    expect(failing("TIMEOUT", both)?.end).to.deep.include({ atFault: [ANN, BOB], slashed: { [ANN]: 50, [BOB]: 50 } });
    const next = { ...NOTHING, ...both, signalled: [event(13, { node: 3, attempt: 1, reason: reasonCode("TIMEOUT") })] };
    expect(endOf(next, { node: 3, attempt: 1 }, false)?.end).to.deep.include({ atFault: [ANN], slashed: { [ANN]: 100 } });
    expect(failing("TIMEOUT", { faulted: [lost(8, ANN, 0n)] })?.end, "a stake of nothing").to.deep.include({
      atFault: [ANN],
      slashed: { [ANN]: 0 },
    });
  });

  it("leaves what an executor lost under another mandate to the attempt that ended by it", () => {
    const amended: EndingEvents = {
      ...NOTHING,
      bound: [bound(1, 0, ANN), bound(5, 1, ANN)],
      amended: [event(5, { node: 3, attempt: 1 })],
      signalled: [event(9, { node: 3, attempt: 1, reason: reasonCode("TIMEOUT") })],
      faulted: [lost(9, ANN, 50n)],
    };
    expect(endOf(amended, PLACE, false)?.end).to.deep.include({ reason: "AMENDED", atFault: [] });
    expect(endOf(amended, { node: 3, attempt: 1 }, false)?.end).to.deep.include({ reason: "TIMEOUT", slashed: { [ANN]: 50 } });
  });
});
