import { expect } from "chai";
import { handedIn } from "../../../orchestrator/city/audit/handed-in.ts";
import { withPosted } from "../../../orchestrator/city/audit/verdicts.ts";
import { EvidenceClass, packClasses } from "../../../orchestrator/rules/admissibility.ts";
import { decide, Question, VerdictResult } from "../../../orchestrator/rules/clearing.ts";
import { audited } from "../../support/audited-mission.ts";
import { networkHelpers } from "../../support/city-fixture.ts";
import { Clearing, type Mission, openMission, packed, Result, TASK } from "../../support/mission-fixture.ts";

const WEIGHT = 100;

describe("posted verdicts as the audit reads them", () => {
  let mission: Mission;
  beforeEach(async () => {
    mission = await (await (await openMission({ nodes: [{ ...TASK, panelSize: 3 }] })).activate()).awardAll();
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
  });

  /** What the audit makes of a clearing in which nothing is proven any more, and the chain's decision, which is the same. */
  async function cleared() {
    const context = await audited(mission);
    const [event] = context.record.events("CollaborationContract", "Cleared");
    const [order] = await handedIn(context);
    if (event === undefined || order === undefined) throw new Error("nothing was cleared");
    const verdicts = order.verdicts.map(({ basis, confidence, score, agreeing, result }) => ({
      ...{ question: Question.PERFORMANCE, weight: WEIGHT, basis, confidence, score, agreeing },
      result: result === VerdictResult.PASS ? VerdictResult.PASS : VerdictResult.ABSTAIN,
    }));
    const classWords = await withPosted(context, { ...order, classWords: [packClasses([EvidenceClass.SIGN])] });
    const terms = { floor: EvidenceClass.ATT, questions: 1, minConfidence: 6000, slots: 1, drawn: 3 * WEIGHT, seats: 3 };
    const { result, class: own, basis, agreeing } = decide(verdicts, { ...terms, classWords });
    const { args } = event;
    expect([result, own, basis, agreeing]).to.deep.equal([args.result, args.evidenceClass, args.basis, args.agreeing]);
    return result;
  }

  it("rest on what was proven when they were posted, whoever is revoked since", async () => {
    const { openings, items, verdicts } = await mission.clearOrder(0);
    await mission.contract.post(packed({ node: 0, openings, items, verdicts: verdicts.slice(0, 1) }));
    await mission.city.evidence.revoke(mission.city.issuer.address);
    await mission.contract.clear(packed({ node: 0, openings, items: [], verdicts }));
    expect(await cleared()).to.equal(Clearing.PASS);
  });

  it("say nothing of what an abstention names", async () => {
    const { openings, verdicts } = await mission.clearOrder(0, { result: Result.ABSTAIN });
    await mission.contract.post(packed({ node: 0, openings, items: [], verdicts }));
    await networkHelpers.time.increase(250);
    await mission.contract.clear(packed({ node: 0, openings, items: [], verdicts }));
    expect(await cleared()).to.equal(Clearing.UNVERIFIABLE);
  });
});
