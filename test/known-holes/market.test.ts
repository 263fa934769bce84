import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { attempt } from "../attacks/attempt.ts";
import { tokens } from "../support/city-fixture.ts";
import { type Mission, openMission, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("known holes: market", () => {
  let mission: Mission;
  const opened = async (...nodes: (typeof TASK)[]) => {
    mission = await (await openMission({ nodes })).activate();
  };

  stillOpen(
    "sixteen newcomers at one unit fill a consensus's market, of whom at most one may be awarded, until its attempts are spent",
    async () => {
      await opened(CONSENSUS);
      await mission.city.constitution.seal();
      const crowd = [];
      for (let i = 0; i < 16; i++) crowd.push(await mission.newcomer(`newcomer ${i}`, { capabilities: 0n }));
      for (let round = 0; round < 4 && (await mission.contract.state()) === 1n; round++) {
        for (const one of crowd) await attempt(mission.bidAs(one, 0, 1n));
        for (let w = 0; w < 4; w++) await attempt(mission.bid(0, w, tokens(20)));
        for (let i = 0; i < 2; i++) {
          await mission.closeMarket();
          await attempt(mission.city.execution.award(mission.address, [0]));
        }
        if ((await mission.contract.slotOf(0, 0)).agent !== ZeroAddress) break;
        await attempt(mission.contract.timeout(0));
        await attempt(mission.contract.reopen(0));
      }
      await attempt(mission.contract.abort());
      const agent = (await mission.contract.slotOf(0, 0)).agent;
      expect(agent).not.to.equal(ZeroAddress);
    },
  );
});
