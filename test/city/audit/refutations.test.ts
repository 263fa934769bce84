import { expect } from "chai";
import { Inspection } from "../../../orchestrator/city/audit/inspection.ts";
import { withRefutations } from "../../../orchestrator/city/audit/refutations.ts";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { EvidenceClass, packClasses, REFUTED } from "../../../orchestrator/rules/admissibility.ts";
import { decide, Question, VerdictResult } from "../../../orchestrator/rules/clearing.ts";
import { audited } from "../../support/audited-mission.ts";
import { keyOf, networkHelpers } from "../../support/city-fixture.ts";
import { Clearing, type Mission, openMission, packed, Result } from "../../support/mission-fixture.ts";

const WEIGHT = 100;
const VERDICT = { question: Question.PERFORMANCE, result: VerdictResult.FAIL, weight: WEIGHT, confidence: 9000, score: 0, agreeing: 0 };

describe("refutations as the audit reads them", () => {
  let mission: Mission;
  beforeEach(async () => {
    mission = await (await (await openMission()).activate()).awardAll();
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
  });

  const words = async (principal = keyOf("second issuer's principal")) => {
    const second = await mission.furtherIssuer("second issuer", principal);
    return Promise.all([mission.city.issuer, second].map((issuer) => mission.refutation(0, issuer)));
  };
  type Items = readonly Awaited<ReturnType<Mission["item" | "refutation"]>>[];

  /** What the chain decides on these items by a verdict that rests on them being against the work, and what the audit makes of the same. */
  async function cleared(items: Items) {
    const order = await mission.clearOrder(0, { result: Result.FAIL, basis: REFUTED, score: 0, agreeing: 0 });
    await mission.contract.clear(packed({ ...order, items }));
    const context = await audited(mission);
    const { record } = context;
    const seen = new Inspection({ name: "VERDICTS", file: "chain.ndjson" });
    const [event] = record.events("CollaborationContract", "Cleared");
    if (event === undefined) throw new Error("nothing was cleared");
    const isShown = items.some(({ index }) => index === 0);
    const classWords = [packClasses([isShown ? EvidenceClass.ATT : EvidenceClass.SIGN])];
    const judged = { at: event.at, node: 0, attempt: 0, subject: "clearing" };
    const handed = items.map((item) => ({ ...item, order: 0, signature: hexSchema.parse(item.signature), isSigned: true }));
    const heard = withRefutations(context, seen, { ...judged, items: handed, classWords }, [{ ...VERDICT, basis: REFUTED }]);
    const terms = {
      classWords: heard.classWords,
      floor: EvidenceClass.ATT,
      questions: 1,
      minConfidence: 6000,
      slots: 1,
      drawn: WEIGHT,
      seats: 1,
    };
    expect(seen.result().findings).to.deep.equal([]);
    const { result, confidence, class: own, basis } = decide(heard.verdicts, terms);
    expect([result, confidence, own, basis]).to.deep.equal([
      event.args.result,
      event.args.confidence,
      event.args.evidenceClass,
      event.args.basis,
    ]);
    return result;
  }

  it("of two principals decide, where nothing was shown", async () => {
    const items = await words();
    await networkHelpers.time.increase(250);
    expect(await cleared(items)).to.equal(Clearing.FAIL);
  });

  it("decide nothing against what was shown, in the clearing or before", async () => {
    expect(await cleared([...(await words()), await mission.item(0, 0)])).to.equal(Clearing.DISPUTED);
  });

  it("are known from what was posted", async () => {
    const { openings } = await mission.clearOrder(0);
    await mission.contract.post(packed({ node: 0, openings, items: await words(), verdicts: [] }));
    await networkHelpers.time.increase(250);
    expect(await cleared([])).to.equal(Clearing.FAIL);
  });
});
