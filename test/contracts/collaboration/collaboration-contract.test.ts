import { expect } from "chai";
import { lawHashOf } from "../../../orchestrator/rules/law-codec.ts";
import { networkHelpers, tokens } from "../../support/city-fixture.ts";
import { Action, FOUR_THREE_ONE, HOUR, type Mission, MissionState, NodeState, openMission } from "../../support/mission-fixture.ts";

/** The identity of decision 5 holds after every step. */
async function balanced(mission: Mission): Promise<void> {
  expect(await mission.imbalance()).to.equal("");
}

describe("CollaborationContract", () => {
  describe("a whole mission, 4 → 3 → 1", () => {
    it("ends with everybody paid and the deposit accounted for to the unit", async () => {
      const mission = await (await openMission({ nodes: FOUR_THREE_ONE })).activate();
      await balanced(mission);
      expect(await mission.contract.lawHash()).to.equal(lawHashOf(mission.law));
      await mission.awardAll();
      await balanced(mission);

      for (const node of [0, 1, 2, 3]) {
        await mission.run(node);
        await balanced(mission);
      }
      expect(await mission.contract.completed()).to.equal(0b1111n);
      expect(await mission.stateOf(4)).to.equal(NodeState.ELIGIBLE);
      for (const node of [4, 5, 6]) {
        await mission.run(node, { agreeing: 0b011 });
        await balanced(mission);
      }
      await mission.run(7);
      expect(await mission.stateOf(7)).to.equal(NodeState.PENDING_REVIEW);
      await mission.override(Action.APPROVE_POP, 7, await mission.approval(7));
      expect(await mission.stateOf(7)).to.equal(NodeState.COMPLETED);
      expect(await mission.contract.state()).to.equal(MissionState.COMPLETED);
      await balanced(mission);

      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0, 1, 2, 3, 4, 5, 6, 7]);
      await balanced(mission);
      await mission.contract.close();
      await balanced(mission);
      const ledger = await mission.contract.ledger();
      expect(ledger.deposit).to.equal(tokens(800));
      expect(await mission.city.token.balanceOf(mission.address)).to.equal(0);
      expect(ledger.paid + ledger.fees + ledger.insurance + ledger.discount + ledger.refunded).to.equal(ledger.deposit);
    });
  });
});
