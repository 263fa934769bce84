import { expect } from "chai";
import { ZeroHash } from "ethers";
import { networkHelpers, tokens } from "../../../support/city-fixture.ts";
import { onward } from "../../../support/mission-fixture.ts";
import { MissionTree, type Plan } from "../../../support/mission-tree.ts";

/** Missions above a mission, at most. */
const DEEPEST = 8;
const BUDGET = tokens(100);

/** A line of missions, each the only node of the one above. */
const line = (length: number): Plan => ({ budget: BUDGET, nodes: [length === 0 ? { budget: BUDGET } : line(length - 1)] });

describe("child sessions", () => {
  describe("openChildSession", () => {
    it("is a genuine mission's, whose node's money it takes and gives back: the sponsor cannot cancel", async () => {
      const tree = await MissionTree.found();
      const { legislation, sponsor, token, steps } = tree.house;
      const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(legislation, error);
      await refused(legislation.openChildSession(0, ZeroHash, 1), "UnknownParent");
      const mission = await tree.enact(await steps.open(BUDGET), line(1));
      const clone = await tree.house.as(mission.address);
      await refused(legislation.connect(clone).openChildSession(0, ZeroHash, 0), "ZeroDeposit");
      await expect(mission.contract.route(...onward(0)))
        .to.emit(legislation, "ChildSessionOpened")
        .withArgs(2, mission.address, 0, 1);
      expect([...(await legislation.parentOf(2))]).to.deep.equal([mission.address, 0n, 1n]);
      await refused(legislation.connect(sponsor).cancel(2), "NotSponsor");
      await networkHelpers.time.increaseTo((await legislation.sessionOf(2)).deadline + 1n);
      await legislation.expire(2);
      await legislation.withdraw(2);
      expect(await token.balanceOf(mission.address)).to.equal(BUDGET);
    });

    it("goes eight missions deep", async () => {
      const tree = await MissionTree.found();
      const { legislation, steps } = tree.house;
      let mission = await tree.enact(await steps.open(BUDGET), line(DEEPEST + 1));
      const descend = () => mission.contract.route(...onward(0));
      for (let depth = 1; depth <= DEEPEST; depth++) {
        await descend();
        mission = await tree.enact(await legislation.sessionCount(), line(DEEPEST + 1 - depth), depth);
      }
      await expect(descend()).to.be.revertedWithCustomError(legislation, "TooDeep");
    }).timeout(120_000);
  });
});
