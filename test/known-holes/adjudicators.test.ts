import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers, probeAt, tokens } from "../support/city-fixture.ts";
import { type Mission, NodeState, openMission, Result, TASK } from "../support/mission-fixture.ts";
import { panelOver } from "../support/panel.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: adjudicators", () => {
  let mission: Mission;
  const inReview = async () => {
    mission = await (await openMission()).activate();
    await mission.awardAll();
    await mission.route(0);
    await mission.work(0);
    for (let i = 0; i < 2; i++) await mission.clear(0, { result: Result.ABSTAIN });
    const seats = await mission.city.seatAdjudicators(7);
    return panelOver(mission.city, seats, await probeAt(mission.address));
  };

  stillOpen("who approved work rejects the appeal against its approval", async () => {
    const panel = await inReview();
    await panel.act(await panel.override("APPROVE_POP", { node: 0, data: await mission.approval(0) }), panel.seat(0));
    expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    const { sponsor } = mission.city;
    await mission.city.fund(sponsor, mission.address, tokens(1000));
    await mission.contract.connect(sponsor).appeal(0, 0, id("garbage"));
    const { encodeActionData } = await import("../../orchestrator/protocol/actions.ts");
    const data = encodeActionData("RESOLVE_APPEAL", [{ attempt: 0, filed: 1, upheld: 0, share: 0, slash: 0n, culprits: 0 }] as never);
    await attempt(panel.act(await panel.override("RESOLVE_APPEAL", { node: 0, data }), panel.seat(0)));
    expect((await mission.contract.appealsOf(0, 0)).open).to.equal(1);
  });

  stillOpen("an order that ends a mission, signed when nothing had been done, ends it after other nodes went on", async () => {
    mission = await (await openMission({ nodes: [TASK, TASK] })).activate();
    await mission.awardAll();
    const panel = panelOver(mission.city, await mission.city.seatAdjudicators(7), await probeAt(mission.address));
    await mission.route(1);
    const order = await panel.override("TERMINATE_MISSION", { node: 0 });
    const signed = await panel.signed(order, panel.seat(0));
    await mission.work(1);
    await mission.clear(1);
    await attempt(panel.contract.act(order, [signed]));
    expect(await mission.contract.state()).to.equal(2n);
  });
});
void ZeroAddress;
void networkHelpers;
