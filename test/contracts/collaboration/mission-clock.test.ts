import { expect } from "chai";
import { id } from "ethers";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { networkHelpers } from "../../support/city-fixture.ts";
import { Action, type Mission, MissionState, openMission, TASK } from "../../support/mission-fixture.ts";

const WHY = id("why");
/** The devnet's: how long a chain is silent before a monitor says so. */
const SILENCE = 60n;
const { time } = networkHelpers;

/** The mission's time from what happened: wall time less what stood still. */
class Model {
  #lost = 0n;
  #stoppedAt: bigint | undefined;
  #silentSince: bigint | undefined;

  stop(now: bigint): void {
    this.#stoppedAt = now;
  }

  silence(now: bigint): void {
    this.#silentSince = now - SILENCE;
  }

  goOn(now: bigint): void {
    this.#lost = this.stood(now);
    this.#stoppedAt = undefined;
    this.#silentSince = undefined;
  }

  stood(now: bigint): bigint {
    const begun = [this.#stoppedAt, this.#silentSince].filter((at) => at !== undefined);
    const [since = now] = begun.sort((a, b) => (a < b ? -1 : 1));
    return this.#lost + now - since;
  }
}

describe("The time of a mission", () => {
  let mission: Mission;
  let model: Model;
  const now = () => mission.city.now();
  const byMonitor = () => mission.contract.connect(mission.city.monitor);
  const MOVES: readonly (() => Promise<void>)[] = [
    async () => {
      await byMonitor().suspend(WHY);
      model.stop(await now());
    },
    async () => {
      const { stopped } = await mission.contract.watch();
      await mission.override(Action.EMERGENCY_STOP, 0);
      if (!stopped) model.stop(await now());
    },
    async () => {
      await mission.contract.lapse();
      model.goOn(await now());
    },
    async () => {
      await byMonitor().degrade((await now()) - SILENCE);
      model.silence(await now());
    },
    async () => {
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      model.goOn(await now());
    },
  ];

  for (const seed of [1, 2, 3]) {
    it(`is what the model says, whatever stops the mission and lets it go on (seed ${seed})`, async () => {
      const random = randomStream(seed, "mission clock");
      mission = await (await (await openMission({ nodes: [TASK, TASK, TASK], duration: 2_592_000 })).activate()).awardAll();
      await mission.run(2);
      await mission.route(0);
      model = new Model();
      const deadlines = await Promise.all([0, 1].map(async (node) => (await mission.contract.nodeOf(node)).deadline));
      const { claimableAt } = await mission.contract.entitlementOf(2, 0);
      let moved = 0;
      for (let step = 0; step < 60; step++) {
        await time.increase(BigInt(random.int(4000)) + SILENCE);
        const move = random.pick(MOVES);
        // What does not fit where the mission is, is refused, and changes nothing.
        const before = [await mission.contract.state(), (await mission.contract.watch()).stopped].join();
        await move().catch(() => undefined);
        if (before !== [await mission.contract.state(), (await mission.contract.watch()).stopped].join()) moved++;
        const stood = model.stood(await now());
        for (const [node, deadline] of deadlines.entries())
          expect((await mission.contract.nodeOf(node)).deadline, `step ${step}, node ${node}`).to.equal(deadline + stood);
        expect((await mission.contract.entitlementOf(2, 0)).claimableAt).to.equal(claimableAt);
      }
      expect(moved).to.be.above(10);
      expect(await mission.contract.state()).to.be.oneOf([BigInt(MissionState.EXECUTING), BigInt(MissionState.DEGRADED)]);
    });
  }
});
