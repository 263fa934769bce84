import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { Action, type Mission, MissionState, openMission, Result, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("known holes: panels", () => {
  let mission: Mission;
  const opened = async (...nodes: (typeof TASK)[]) => {
    mission = await (await openMission({ nodes })).activate();
  };
  const heldBy = async (agent: string) => (await mission.city.producers.stakeOf(agent)).held;

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
