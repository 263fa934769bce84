import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers } from "../support/city-fixture.ts";
import { type Mission, NodeState, openMission, packed, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: reviews", () => {
  let mission: Mission;
  const worked = async (node: typeof TASK) => {
    mission = await (await openMission({ nodes: [node] })).activate();
    await mission.awardAll();
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
  };

  stillOpen("an issuer is revoked after a member posted a verdict on its item, and nobody can clear", async () => {
    await worked({ ...TASK, panelSize: 3 });
    const { evidence, issuer } = mission.city;
    const panel = [...(await mission.contract.panelOf(0))];
    const { openings, items } = await mission.clearOrder(0);
    const verdicts = await Promise.all(panel.map((member) => mission.verdict(0, member)));
    await mission.contract.post(packed({ node: 0, openings, items, verdicts }));
    await evidence.revoke(issuer.address);
    await attempt(mission.contract.clear(packed({ node: 0, openings, items, verdicts })));
    await attempt(mission.contract.clear(packed({ node: 0, openings, items: [], verdicts })));
    expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
  });
});
