import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { encodeActionData } from "../../../../orchestrator/protocol/actions.ts";
import { directly, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import { Action, HOUR, type Mission, type MissionOptions, NodeState, openMission, TASK } from "../../../support/mission-fixture.ts";

const APPROVES = 1;
/** Less than the least WATCHDOG_MAX_FREEZE, an hour. */
const FROZEN = 3000;

describe("WatchdogHold", () => {
  let mission: Mission;
  const awarded = async (options: MissionOptions = {}) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
  };
  /** Two families of anomalies in one adjudicator. */
  async function freeze(): Promise<void> {
    for (let i = 0; i < 20; i++) await mission.city.watchdog.note([mission.city.monitor.address], APPROVES, i < 4);
  }
  const release = () => mission.city.watchdog.release();
  const frozen = (call: Promise<unknown>) => expect(call).to.be.revertedWithCustomError(mission.city.watchdog, "FrozenByWatchdog");
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);
  const appealed = async () => {
    const { sponsor, token } = mission.city;
    await token.mint(sponsor.address, tokens(10));
    await token.connect(sponsor).approve(mission.address, tokens(10));
    return mission.contract.connect(sponsor).appeal(0, 0, id("evidence"), directly(sponsor));
  };
  const halved = () => {
    const resolution = { attempt: 0, filed: 1, upheld: 1, share: 5000, slash: 0n, culprits: 0 };
    return mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [resolution]));
  };

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  it("routes nothing while the panel is frozen; what was routed goes on, and what was earned is paid", async () => {
    const low = { ...TASK, band: 0 };
    await awarded({ nodes: [low, { ...low, predecessors: 1n }, low] });
    await mission.run(2);
    await mission.route(0);
    await freeze();
    await mission.work(0);
    await mission.clear(0);
    expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    await frozen(mission.route(1));
    const { agent } = await mission.executorOf(2);
    const before = await mission.city.wealthOf(agent.address);
    await mission.contract.claim([0, 2]);
    expect(await mission.city.wealthOf(agent.address)).to.be.above(before);
    await release();
    await mission.route(1);
  });

  it("takes no checkpoint either", async () => {
    await awarded({ anchorInterval: 3600 });
    await mission.contract.checkpoint.staticCall(await mission.wave([0]));
    await freeze();
    await frozen(mission.contract.checkpoint(await mission.wave([0])));
  });

  it("keeps an open window open, so that an appeal is heard; a closed one stays closed", async () => {
    await awarded({ nodes: [TASK, TASK] });
    await mission.run(1);
    await networkHelpers.time.increase(HOUR);
    await mission.run(0);
    await networkHelpers.time.increase(HOUR / 2n);
    await freeze();
    await networkHelpers.time.increase(FROZEN);
    await refused(mission.contract.claim([0]), "WindowOpen");
    await mission.contract.claim([1]);
    await appealed();
    await release();
    await networkHelpers.time.increase(HOUR);
    await halved();
    expect((await mission.contract.nodeOf(0)).share).to.equal(5000);
    await mission.contract.claim([0]);
    await refused(halved(), "NoOpenAppeal");
  });

  it("gives an appeal that was open the time to be resolved, never for ever", async () => {
    await awarded();
    await mission.run(0);
    await appealed();
    await freeze();
    const { until } = await mission.contract.appealsOf(0, 0);
    await networkHelpers.time.increaseTo(until + 60n);
    await refused(mission.contract.claim([0]), "WindowOpen");
    // The limit of the freeze, the time of the ruling and the window: nobody released, and the money moves.
    await networkHelpers.time.increase(3600 + 7200);
    expect(await mission.city.watchdog.isDegraded()).to.equal(true);
    await mission.contract.claim([0]);
    await refused(halved(), "NoOpenAppeal");
  });

  it("does not count against who waits to be routed or for a human", async () => {
    await awarded({ nodes: [{ ...TASK, tier: 3 }, TASK] });
    await mission.route(0);
    await mission.work(0);
    await mission.clear(0);
    expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    await freeze();
    await networkHelpers.time.increase(TASK.reviewWindow + 60);
    await refused(mission.contract.timeout(0), "TooEarly");
    await refused(mission.contract.timeout(1), "TooEarly");
    await release();
    await mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
    expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    await networkHelpers.time.increase(300);
    await mission.contract.timeout(1);
    expect(await mission.stateOf(1)).to.equal(NodeState.FAILED);
  });

  describe("a stop of the city", () => {
    const stop = async () => mission.city.watchdog.stopCity([]);
    const stopped = (call: Promise<unknown>) => expect(call).to.be.revertedWithCustomError(mission.city.watchdog, "CityIsStopped");

    it("lets nothing be routed or opened, and what was routed go on to its payment", async () => {
      await awarded({ nodes: [TASK, TASK] });
      await mission.route(0);
      await stop();
      await stopped(mission.route(1));
      const { sponsor, legislation, addresses } = mission.city;
      await mission.city.fund(sponsor, addresses.LEGISLATION, tokens(10));
      await stopped(legislation.connect(sponsor).openSession(id("goal"), tokens(10), ZeroAddress));
      await mission.work(0);
      await mission.clear(0);
      await networkHelpers.time.increase(3600);
      await mission.contract.claim([0]);
      expect((await mission.contract.entitlementOf(0, 0)).claimed).to.equal(true);
    });

    it("gives its time to who waits to be routed, and to the mission", async () => {
      await awarded({ nodes: [TASK] });
      const before = await mission.contract.expiresAt();
      const { deadline } = await mission.contract.nodeOf(0);
      await stop();
      const since = await mission.city.now();
      await networkHelpers.time.increaseTo(deadline + 1n);
      await refused(mission.contract.timeout(0), "TooEarly");
      await mission.city.watchdog.resumeCity();
      const lasted = (await mission.city.now()) - since;
      expect(await mission.contract.expiresAt()).to.equal(before + lasted);
      await networkHelpers.time.increaseTo(deadline + lasted - 2n);
      await refused(mission.contract.timeout(0), "TooEarly");
      await networkHelpers.time.increaseTo(deadline + lasted);
      await mission.contract.timeout(0);
      await networkHelpers.time.increaseTo(before + lasted - 2n);
      await refused(mission.contract.abort(), "NotExpired");
      await networkHelpers.time.increaseTo(before + lasted);
      await mission.contract.abort();
    });
  });
});
