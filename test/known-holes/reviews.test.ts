import { expect } from "chai";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { Action, type Mission, NodeState, openMission, packed, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("known holes: reviews", () => {
  let mission: Mission;
  const worked = async (node: typeof TASK) => {
    mission = await (await openMission({ nodes: [node] })).activate();
    await mission.awardAll();
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
  };
  const heldBy = async (agent: string) => (await mission.city.producers.stakeOf(agent)).held;

  stillOpen(
    "a slot that never showed anything loses no stake where a human approves the others (decision 57: in a ruling alike)",
    async () => {
      await worked(CONSENSUS);
      const { agent } = await mission.executorOf(0, 2);
      for (let i = 0; i < 2; i++) {
        await networkHelpers.time.increase(300);
        await mission.contract.timeout(0);
      }
      const openings = await Promise.all([0, 1, 2].map((slot) => mission.opening(0, slot)));
      const items = await Promise.all(
        [0, 1].map(async (slot) => {
          const item = await mission.item(0, slot);
          return { ...item, signature: hexSchema.parse(item.signature) };
        }),
      );
      await mission.override(Action.APPROVE_POP, 0, encodeActionData("APPROVE_POP", [1n | (1n << 32n), 10_000, openings, items] as never));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      await networkHelpers.time.increase(3600);
      await mission.contract.claim([0]);
      expect(await heldBy(agent.address)).to.be.lessThan(tokens(10_000));
    },
  );

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
