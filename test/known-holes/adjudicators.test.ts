import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { probeAt } from "../support/city-fixture.ts";
import { type Mission, openMission, TASK } from "../support/mission-fixture.ts";
import { panelOver } from "../support/panel.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: adjudicators", () => {
  let mission: Mission;

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
