import { expect } from "chai";
import { id } from "ethers";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { Action, HOUR, type Mission, MissionState, NodeState, openMission, Result, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("known holes: panels", () => {
  let mission: Mission;
  const opened = async (...nodes: (typeof TASK)[]) => {
    mission = await (await openMission({ nodes })).activate();
  };
  const heldBy = async (agent: string) => (await mission.city.producers.stakeOf(agent)).held;

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

  stillOpen(
    "two of three disagree with everybody, no stake is lost, and the mission ends at the first attempt with the neighbour unpaid",
    async () => {
      await opened(CONSENSUS, TASK);
      await mission.awardAll();
      await mission.route(0, 1);
      await mission.work(0);
      await mission.work(1);
      // The panel is honest: it finds no agreement, and says so, twice; so does the human.
      for (let i = 0; i < 2; i++) await mission.clear(0, { result: Result.ABSTAIN });
      await mission.override(Action.REJECT_POP, 0);
      await attempt(mission.contract.abort());
      await attempt(mission.clear(1));
      expect((await mission.contract.ledger()).entitled).to.be.greaterThan(0n);
    },
  );

  stillOpen("garbage committed in a mission's last second is never judged", async () => {
    mission = await (await openMission({ nodes: [{ ...TASK, timeout: 60 }], duration: 3600 })).activate();
    await mission.awardAll();
    await networkHelpers.time.increase(200n);
    await mission.route(0);
    const { agent } = await mission.executorOf(0);
    await mission.work(0);
    await networkHelpers.time.increase(3600n);
    await attempt(mission.contract.abort());
    expect(await mission.contract.state()).not.to.equal(MissionState.ABORTED);
    expect(await heldBy(agent.address)).to.be.lessThan(tokens(10_000));
  });
});
