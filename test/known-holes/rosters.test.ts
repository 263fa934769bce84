import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { type Mission, openMission, packed, Result, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: rosters", () => {
  let mission: Mission;

  stillOpen("somebody rewrites the roster in every block while one verifier is stayed, and a clearing costs more each time", async () => {
    mission = await (await openMission({ nodes: [{ ...TASK, panelSize: 3 }] })).activate();
    await mission.awardAll();
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
    const { evidence, producers } = mission.city;
    const [one = ""] = [...mission.city.verifiers.keys()];
    await producers.connect(await mission.city.as("ADJUDICATION")).freezeAgent(one, true);
    const wave = packed(await mission.clearOrder(0, { result: Result.PASS }));
    const before = await mission.contract.clear.estimateGas(wave);
    const times = 200n;
    for (let i = 0n; i < times; i++) {
      await attempt(evidence.reseat());
    }
    const after = await mission.contract.clear.estimateGas(wave);
    expect(after - before).to.be.lessThan(10_000n);
  });

  stillOpen("a market is replaced, and the members of its missions' panels keep silent for nothing", async () => {
    mission = await (await openMission({ nodes: [{ ...TASK, panelSize: 3 }] })).activate();
    await mission.awardAll();
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
    const panel = [...(await mission.contract.panelOf(0))];
    const { constitution, addresses } = mission.city;
    const { INSTITUTIONS, AMENDMENT_NOTICE, ethers } = await import("../support/city-fixture.ts");
    const next = await ethers.deployContract("MissionProbe");
    await constitution.amend(INSTITUTIONS.indexOf("EXECUTION"), next, ethers.id("why"));
    await networkHelpers.time.increase(AMENDMENT_NOTICE);
    await constitution.enact(INSTITUTIONS.indexOf("EXECUTION"));
    void addresses;
    await attempt(mission.contract.redraw(0));
    let lost = 0n;
    for (const member of panel) lost += tokens(2000) - (await mission.city.producers.stakeOf(member)).held;
    expect(lost).to.be.greaterThan(0n);
  });
});
