import { expect } from "chai";
import { id } from "ethers";
import { networkHelpers } from "../support/city-fixture.ts";
import { HOUR, type Mission, NodeState, openMission, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("known holes: panels", () => {
  let mission: Mission;
  const opened = async (...nodes: (typeof TASK)[]) => {
    mission = await (await openMission({ nodes })).activate();
  };

  stillOpen(
    "one of three stops itself before the others have committed, and they are not paid for the work they would have done",
    async () => {
      await opened(CONSENSUS);
      await mission.awardAll();
      await mission.route(0);
      await mission.commit(0, 0);
      const { agent } = await mission.executorOf(0, 2);
      await mission.contract.connect(agent).report(0, id("I feel sick"), 0);
      await networkHelpers.time.increase(2n * HOUR);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).not.to.equal(NodeState.FAILED);
    },
  );
});
