import { expect } from "chai";
import { id } from "ethers";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { HOUR, type Mission, MissionState, NodeState, openMission, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: waves", () => {
  let mission: Mission;

  stillOpen("an appeal about one node, sent first, makes the claim of eight revert", async () => {
    mission = await (await openMission({ nodes: Array.from({ length: 8 }, () => TASK) })).activate();
    await mission.awardAll();
    const nodes = [...Array(8).keys()];
    for (const node of nodes) await mission.run(node);
    const { agent } = await mission.executorOf(7);
    await networkHelpers.time.increase(HOUR - 60n);
    await mission.city.fund(agent, mission.address, tokens(1000));
    await mission.contract.connect(agent).appeal(7, 0, id("evidence"));
    await networkHelpers.time.increase(HOUR);
    await attempt(mission.contract.claim(nodes));
    expect((await mission.contract.ledger()).paid).to.be.greaterThan(0n);
  });

  stillOpen("an executor that signed a checkpoint freezes its node first, and no node's work is taken", async () => {
    mission = await (await openMission({ nodes: [TASK, TASK, TASK], anchorInterval: 120 })).activate();
    await mission.awardAll();
    const wave = await mission.wave([0, 1, 2]);
    const { agent } = await mission.executorOf(2);
    await mission.contract.connect(agent).report(2, id("second thoughts"), 0);
    await attempt(mission.contract.checkpoint(wave));
    expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
  });
});
void MissionState;
