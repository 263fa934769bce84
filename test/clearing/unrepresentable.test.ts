import { expect } from "chai";
import { RAILS_ADMISSIBILITY } from "../../orchestrator/clearing/admissibility.ts";
import { selfReport } from "../../orchestrator/clearing/evidence-envelope.ts";
import type { AdmittedItem } from "../../orchestrator/clearing/ingest.ts";
import { type Decided, ItemAboveFloor, isDecided, type Undecided, type Verdict } from "../../orchestrator/clearing/verdict.ts";

const item = selfReport("word", "agent_self_report", "done");
const weak: AdmittedItem = { hash: `0x${"00".repeat(32)}`, item, class: "SELF" };
const weighing = { confidence: 10_000, conflicts: [] };

/** The comments below are the assertions: `npm run typecheck` fails where one of these lines compiles. */
describe("a verdict below its floor", () => {
  it("has no value", () => {
    // @ts-expect-error A decision rests on something.
    const onNothing: Decided = { ...weighing, status: "PASS", restsOn: [] };
    // @ts-expect-error An item that was admitted was not yet compared with a floor.
    const onAnyItem: Decided = { ...weighing, status: "PASS", restsOn: [weak] };
    // @ts-expect-error An object of the same shape did not pass the comparison.
    const onLookalike: Decided = { ...weighing, status: "FAIL", restsOn: [{ admitted: weak, floor: "SELF" }] };
    // @ts-expect-error Only the comparison makes one.
    const made = () => new ItemAboveFloor(weak, "SELF");
    // @ts-expect-error What is undecided carries nothing to settle on.
    const undecided: Undecided = { ...weighing, status: "DISPUTED", restsOn: [] };
    // @ts-expect-error A verdict is not read as decided before it was asked.
    const basisOf = (verdict: Verdict) => verdict.restsOn;
    expect([onNothing, onAnyItem, onLookalike, made, undecided, basisOf]).to.have.length(6);
    expect([onAnyItem, onLookalike].flatMap(({ restsOn }) => restsOn.filter((one) => ItemAboveFloor.is(one)))).to.deep.equal([]);
  });

  it("cannot be reached at run time either", () => {
    for (const floor of RAILS_ADMISSIBILITY.elements) {
      for (const proven of RAILS_ADMISSIBILITY.elements) {
        const found = ItemAboveFloor.of({ ...weak, class: proven }, floor, RAILS_ADMISSIBILITY);
        expect(found !== undefined).to.equal(RAILS_ADMISSIBILITY.geq(proven, floor));
      }
    }
  });

  it("is told from one above it", () => {
    const strong = ItemAboveFloor.of({ ...weak, class: "ATT" }, "ATT", RAILS_ADMISSIBILITY);
    if (strong === undefined) throw new Error("ATT is above ATT");
    expect(isDecided({ ...weighing, status: "PASS", restsOn: [strong] })).to.be.true;
    expect(isDecided({ ...weighing, status: "UNVERIFIABLE" })).to.be.false;
  });
});
