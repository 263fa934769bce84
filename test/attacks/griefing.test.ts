/** What costs the attacker little and others much: dust, clocks, freezes, appeals. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { giveNumbers } from "../support/census.ts";
import { directly, Kind, loadCity, networkHelpers, Office, tokens } from "../support/city-fixture.ts";
import { billOf, lawOf, loadLegislature, PROPOSAL, REVIEW, State } from "../support/legislature.ts";
import {
  Action,
  HOUR,
  type Mission,
  MissionState,
  NodeState,
  onward,
  openMission,
  packed,
  Result,
  TASK,
} from "../support/mission-fixture.ts";
import { attempt } from "./attempt.ts";

const WHY = id("why");
const DAY = 86_400n;
/** What one transaction may use (EIP-7825). */
const TRANSACTION_GAS = 16_777_216n;
const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("attacks that grief", () => {
  let mission: Mission;
  const awarded = async (...nodes: (typeof TASK)[]) => {
    mission = await (await (await openMission({ nodes })).activate()).awardAll();
  };
  const routed = async (...nodes: (typeof TASK)[]) => {
    await awarded(...nodes);
    await mission.route(0);
  };
  const executor = async (slot = 0) => (await mission.executorOf(0, slot)).agent;
  const stakeOf = async (agent: Wallet) => mission.city.producers.stakeOf(agent.address);

  describe("with dust", () => {
    it("a unit sent to the address that a mission will have keeps it from starting", async () => {
      mission = await openMission();
      await mission.city.token.mint(mission.address, 1n);
      await attempt(mission.activate());
      expect(await mission.contract.state()).to.equal(MissionState.ACTIVE);
    });

    it("deposits that come back use up the numbers of voters, and nobody gets a vote any more", async () => {
      const city = await loadCity();
      for (const name of ["a", "b", "c"]) await city.register(name);
      await giveNumbers(city, 65_534n, 3n);
      const registrar = await city.account("registrar");
      await city.clerks.appoint(Office.REGISTRAR, registrar.address, registrar.address);
      await city.clerks.setEnvelope(Office.REGISTRAR, [city.producers.interface.getFunction("enfranchise").selector], 1);
      await city.constitution.seal();
      for (const name of ["first face", "second face"]) {
        const { agent } = await city.register(name);
        await city.producers.connect(agent).deregister(agent.address);
      }
      const { agent } = await city.register("honest newcomer");
      await attempt(city.producers.connect(registrar).enfranchise(agent.address));
      expect(await city.producers.hasSuffrage(agent.address)).to.equal(true);
    });

    it("a unit sent to a mission keeps it from being emptied", async () => {
      await routed(TASK);
      await mission.work(0);
      await mission.clear(0);
      await mission.city.token.mint(mission.address, 1n);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      await mission.contract.close();
      expect(await mission.city.token.balanceOf(mission.address)).to.equal(0);
    });

    it("an appeal against a small payment costs its appellant next to nothing", async () => {
      await awarded(TASK);
      await mission.run(0);
      const { sponsor } = mission.city;
      await mission.city.fund(sponsor, mission.address, tokens(10));
      const before = await mission.city.token.balanceOf(sponsor.address);
      await mission.contract.connect(sponsor).appeal(0, 0, WHY, directly(sponsor));
      expect(before - (await mission.city.token.balanceOf(sponsor.address))).to.equal(tokens(10));
    });
  });

  describe("with a wave of commitments", () => {
    it("one executor's broken signature holds up everybody's commitments", async () => {
      await routed(CONSENSUS);
      const wave = await mission.commitWave(
        [
          [0, 0],
          [0, 1],
          [0, 2],
        ],
        ({ signers, pledges }) => ({
          signers: signers.map((signer, at) => (at === 1 ? { ...signer, signature: `0x${"11".repeat(65)}` } : signer)),
          pledges,
        }),
      );
      await attempt(mission.contract.commitWave(wave));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0b101n);
    });

    it("an executor that commits alone, first, makes everybody's wave fail", async () => {
      await routed(CONSENSUS);
      const wave = await mission.commitWave([
        [0, 0],
        [0, 1],
        [0, 2],
      ]);
      await mission.commit(0, 1);
      await attempt(mission.contract.commitWave(wave));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0b111n);
    });
  });

  it("a frozen node that nobody works on holds up every later award", async () => {
    mission = await (await openMission({ nodes: [TASK, TASK] })).activate();
    await mission.bid(1, 0);
    await mission.override(Action.FREEZE, 0);
    await mission.closeMarket();
    await attempt(mission.city.execution.award(mission.address, [1]));
    expect((await mission.contract.slotOf(1, 0)).agent).to.equal(mission.worker(0).agent.address);
  });

  describe("with a wave of awards", () => {
    it("a late improvement of one node's bid makes the award of all revert", async () => {
      mission = await (await openMission({ nodes: [TASK, TASK] })).activate();
      await mission.bid(0, 0, tokens(50));
      await mission.bid(1, 0, tokens(50));
      await mission.bid(1, 1, tokens(60));
      await networkHelpers.time.increase(40n);
      await mission.bid(1, 1, tokens(40));
      await networkHelpers.time.increase(30n);
      await attempt(mission.city.execution.award(mission.address, [0, 1]));
      expect((await mission.contract.slotOf(0, 0)).price).to.equal(tokens(50));
    });
  });

  describe("with clocks", () => {
    it("a rival has an executor timed out while its time still runs", async () => {
      await routed(TASK);
      await attempt(mission.contract.timeout(0));
      expect((await stakeOf(await executor())).held).to.equal(tokens(10_000));
    });

    it("executors are never routed, and lose their stake for it", async () => {
      await awarded(TASK);
      const agent = await executor();
      await networkHelpers.time.increase(300);
      await mission.contract.timeout(0);
      expect((await stakeOf(agent)).held).to.equal(tokens(10_000));
    });

    it("a sponsor ends its mission once the work was shown", async () => {
      await awarded(TASK, TASK);
      await mission.run(0);
      await attempt(mission.contract.connect(mission.city.sponsor).abort());
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
    });

    it("a mission is aborted the moment its chain was called silent", async () => {
      await routed(TASK);
      await mission.contract.connect(mission.city.monitor).degrade((await mission.city.now()) - 3600n);
      await attempt(mission.contract.connect(mission.city.sponsor).expire());
      expect(await mission.contract.state()).to.equal(MissionState.DEGRADED);
    });

    it("somebody calls the chain silent and stops a mission", async () => {
      await routed(TASK);
      await attempt(mission.contract.degrade((await mission.city.now()) - 3600n));
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
    });

    it("somebody lets a session expire that still has time", async () => {
      const { legislation, steps } = await loadLegislature();
      const session = await steps.open();
      await attempt(legislation.expire(session));
      expect((await legislation.sessionOf(session)).state).to.equal(State.IDENTIFYING);
    });

    it("a producer that votes is struck off the electorate", async () => {
      const { legislation, producers, voters } = await loadLegislature();
      const [voter] = voters as [Wallet];
      await attempt(legislation.lapse(voter.address));
      expect(await producers.isLapsed(voter.address)).to.equal(false);
    });
  });

  describe("on the electorate", () => {
    type House = Awaited<ReturnType<typeof loadLegislature>>;
    /** Those voters cast their ballots in sessions that are open side by side, which are then tallied. */
    async function vote({ legislation, voters, steps }: House, count: number, present: number, ranking = [0, 1]): Promise<void> {
      const sessions: bigint[] = [];
      for (let i = 0; i < count; i++) sessions.push(await steps.toVoting([billOf(lawOf()).specHash]));
      for (const session of sessions) {
        const ballots = await Promise.all(voters.slice(0, present).map((voter) => steps.ballot(session, voter, ranking)));
        if (ballots.length > 0) await legislation.castBallots(session, ballots);
      }
      await networkHelpers.time.increase(PROPOSAL + 1n);
      for (const session of sessions) await legislation.tally(session);
    }
    const last = ({ voters }: House) => voters[voters.length - 1] as Wallet;

    it("who missed three votes held side by side is struck off", async () => {
      const house = await loadLegislature();
      await vote(house, 3, 7);
      await attempt(house.legislation.lapse(last(house).address));
      expect(await house.producers.isLapsed(last(house).address)).to.equal(false);
    });

    it("sessions in which nobody votes strike everybody off", async () => {
      const house = await loadLegislature();
      for (let i = 0; i < 3; i++) {
        await vote(house, 1, 0);
        await networkHelpers.time.increase(DAY);
      }
      await attempt(house.legislation.lapse(last(house).address));
      expect(await house.producers.isLapsed(last(house).address)).to.equal(false);
    });

    it("half of the electorate stays away for good, nobody lapses, and no law is ever made again", async () => {
      const house = await loadLegislature();
      const { legislation, voters } = house;
      const absent = [...voters.slice(5), (await house.register("ninth")).agent];
      for (let i = 0; i < 4; i++) {
        await vote(house, 1, 5, [1, 0]);
        await networkHelpers.time.increase(DAY);
        for (const voter of absent) await attempt(legislation.lapse(voter.address));
      }
      expect((await legislation.sessionOf(await legislation.sessionCount())).state).to.equal(State.TALLIED);
    });

    it("a few who vote three times in an afternoon strike all others off", async () => {
      const house = await loadLegislature();
      for (let i = 0; i < 3; i++) await vote(house, 1, 4);
      await attempt(house.legislation.lapse(last(house).address));
      expect(await house.producers.isLapsed(last(house).address)).to.equal(false);
    });

    it("two adjudicators freeze the houses of half of an open session's voters, and let them go again", async () => {
      const { legislation, voters, steps, producers, as } = await loadLegislature();
      const session = await steps.toVoting([billOf(lawOf()).specHash]);
      const governor = producers.connect(await as("ADJUDICATION"));
      // A second time as well: who looked at the last freeze alone would not know that they had been counted.
      for (const voter of [...voters.slice(0, 4), ...voters.slice(0, 4)]) {
        const principal = await producers.principalOf(voter.address);
        await attempt(governor.freezePrincipal(principal, true));
        await attempt(governor.freezePrincipal(principal, false));
      }
      const ballots = await Promise.all(voters.map((voter) => steps.ballot(session, voter, [0, 1])));
      await attempt(legislation.castBallots(session, ballots));
      expect((await legislation.sessionOf(session)).ballots).to.equal(voters.length);
    });

    it("a voter is struck off in the middle of a vote", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      for (let i = 0; i < 3; i++) await vote(house, 1, 7);
      const session = await steps.toVoting([billOf(lawOf()).specHash]);
      await legislation.lapse(last(house).address);
      await attempt(legislation.castBallots(session, [await steps.ballot(session, last(house), [0, 1])]));
      expect((await legislation.sessionOf(session)).ballots).to.equal(1);
    });
  });

  describe("with reputations", () => {
    it("an order, or a mission that is settled, takes the deciding voters out of a close vote", async () => {
      const { legislation, voters, steps, producers, as } = await loadLegislature();
      const session = await steps.toVoting([billOf(lawOf()).specHash]);
      const [accused, failed] = voters as [Wallet, Wallet, ...Wallet[]];
      const governor = producers.connect(await as("ADJUDICATION"));
      await attempt(governor.adjustReputation(accused.address, -450, WHY));
      const market = producers.connect(await as("EXECUTION"));
      const lost = { agent: failed.address, release: 0n, scored: true, score: 0, reason: WHY };
      while (await producers.meetsReputationFloor(failed.address)) await attempt(market.settle(lost, 0n, ZeroAddress));
      // Four want the law, three want none.
      for (const [i, voter] of voters.slice(0, 7).entries()) {
        await attempt(legislation.castBallots(session, [await steps.ballot(session, voter, i < 4 ? [1, 0] : [0, 1])]));
      }
      await networkHelpers.time.increase(PROPOSAL + 1n);
      await attempt(legislation.tally(session));
      expect(await producers.meetsReputationFloor(accused.address)).to.equal(false);
      expect((await legislation.sessionOf(session)).state).to.equal(State.TALLIED);
    });
  });

  describe("with freezes", () => {
    it("somebody freezes a node without being its monitor or executor", async () => {
      await routed(TASK);
      await attempt(mission.contract.report(0, WHY, 1));
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
    });

    it("a late executor freezes itself instead of losing its stake", async () => {
      await routed(TASK);
      const agent = await executor();
      await networkHelpers.time.increase(60);
      await attempt(mission.contract.connect(agent).report(0, WHY, 1));
      await attempt(mission.contract.timeout(0));
      expect((await stakeOf(agent)).held).to.equal(tokens(9950));
    });

    it("an executor that is about to be condemned freezes itself", async () => {
      await routed(TASK);
      const agent = await executor();
      await mission.work(0);
      await networkHelpers.mine();
      const ruling = await mission.clearOrder(0, { result: Result.FAIL });
      await attempt(mission.contract.connect(agent).report(0, WHY, 1));
      await attempt(mission.contract.clear(packed(ruling)));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    /** Work before its panel, frozen by a monitor, and what the panel finds. */
    const held = async () => {
      await routed(TASK);
      await mission.work(0);
      await networkHelpers.mine();
      const found = packed(await mission.clearOrder(0, { result: Result.FAIL }));
      await reportBy(0);
      return found;
    };
    const reportBy = (node: number) => mission.contract.connect(mission.city.monitor).report(node, WHY, 1);
    const patience = async () => 2n * (await mission.contract.context()).params.maxHumanReviewTimeout;

    it("work that was frozen before its panel ruled has another panel", async () => {
      const found = await held();
      await mission.override(Action.UNFREEZE, 0);
      await attempt(mission.contract.route(...onward(0)));
      await attempt(mission.contract.clear(found));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("an executor's friend freezes its work for good, so that it is never condemned", async () => {
      await held();
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      await attempt(mission.clear(0, { result: Result.FAIL }));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("the same verdict is held up again and again", async () => {
      const found = await held();
      await mission.override(Action.UNFREEZE, 0);
      await attempt(reportBy(0));
      await attempt(mission.contract.clear(found));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("a freeze outlasts what the chain remembers of the panel", async () => {
      const found = await held();
      await networkHelpers.mine(300);
      await mission.override(Action.UNFREEZE, 0);
      await attempt(mission.contract.clear(found));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("an executor that cannot deliver has itself frozen, and waits for nobody to come", async () => {
      await routed(TASK);
      const agent = await executor();
      await mission.contract.connect(agent).report(0, WHY, 1);
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      expect((await stakeOf(agent)).held).to.equal(tokens(9950));
    });

    /** Two of three have committed; the third stops itself, and no human comes. */
    const deserted = async () => {
      await routed(CONSENSUS);
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await mission.contract.connect(await executor(2)).report(0, WHY, 0);
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
    };
    const openTwo = async () => {
      await attempt(mission.contract.route(...onward(0)));
      for (const slot of [0, 1]) await attempt(mission.reveal(0, slot));
    };

    it("one of three stops itself, and two whose work agrees are not paid", async () => {
      await deserted();
      await openTwo();
      await attempt(mission.clear(0, { agreeing: 0b011 }));
      const due = await Promise.all([0, 1].map(async (slot) => (await mission.contract.entitlementOf(0, slot)).paid > 0n));
      expect(due).to.deep.equal([true, true]);
      expect((await stakeOf(await executor(2))).held).to.equal(tokens(9950));
    });

    /** One of three has committed, another stops itself, and no human comes: the third may still commit. */
    const left = async () => {
      await routed(CONSENSUS);
      await mission.commit(0, 0);
      await mission.contract.connect(await executor(2)).report(0, WHY, 0);
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      await attempt(mission.contract.route(...(await mission.start([0], { slots: [1] }))));
    };

    it("one of three stops itself before the others have committed, and they are not paid for the work they would have done", async () => {
      await left();
      await attempt(mission.commit(0, 1));
      for (const slot of [0, 1]) await attempt(mission.reveal(0, slot));
      await attempt(mission.clear(0, { agreeing: 0b011 }));
      const due = await Promise.all([0, 1].map(async (slot) => (await mission.contract.entitlementOf(0, slot)).paid > 0n));
      expect(due).to.deep.equal([true, true]);
      expect((await stakeOf(await executor(2))).held).to.equal(tokens(9950));
    });

    it("who stopped itself commits after all, with the time that its freeze gave it", async () => {
      await left();
      await attempt(mission.commit(0, 2));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0b001n);
    });

    it("who stopped itself is waited for by those who have committed", async () => {
      await left();
      await mission.commit(0, 1);
      await attempt(mission.reveal(0, 0));
      expect((await mission.contract.nodeOf(0)).revealMask).to.equal(0b001n);
    });

    it("who stopped itself stops the others again and again", async () => {
      await left();
      await attempt(mission.contract.connect(await executor(2)).report(0, WHY, 0));
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
    });

    it("who stopped itself has a checkpoint take its work", async () => {
      mission = await (await (await openMission({ nodes: [CONSENSUS], anchorInterval: 120 })).activate()).awardAll();
      await mission.contract.connect(await executor(2)).report(0, WHY, 0);
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      await attempt(mission.contract.checkpoint(await mission.wave([0])));
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
    });

    /** Nobody has committed; one of three stops itself in the last second. */
    const lastSecond = async () => {
      await routed(CONSENSUS);
      await networkHelpers.time.setNextBlockTimestamp((await mission.contract.nodeOf(0)).deadline - 1n);
      await mission.contract.connect(await executor(2)).report(0, WHY, 0);
    };
    const heldByOthers = async () => Promise.all([0, 1].map(async (slot) => (await stakeOf(await executor(slot))).held));

    it("one of three stops itself in its last second, and the others have that second", async () => {
      await lastSecond();
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      await mission.contract.route(...(await mission.start([0], { slots: [0, 1] })));
      await networkHelpers.time.increase(30);
      for (const slot of [0, 1]) await attempt(mission.commit(0, slot));
      await attempt(mission.contract.timeout(0));
      expect(await heldByOthers()).to.deep.equal([tokens(10_000), tokens(10_000)]);
    });

    it("one of three stops itself in its last second, a human lets it go on, and the others are late", async () => {
      await lastSecond();
      await mission.override(Action.UNFREEZE, 0);
      await mission.route(0);
      await networkHelpers.time.increase(10);
      for (const slot of [0, 1]) await attempt(mission.commit(0, slot));
      await attempt(mission.contract.timeout(0));
      expect(await heldByOthers()).to.deep.equal([tokens(10_000), tokens(10_000)]);
    });

    it("a monitor freezes work in the last second of its hearing, and another panel is drawn", async () => {
      await routed(TASK);
      await mission.work(0);
      await networkHelpers.time.setNextBlockTimestamp((await mission.contract.nodeOf(0)).deadline - 1n);
      await reportBy(0);
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      await networkHelpers.time.increase(30);
      await attempt(mission.contract.redraw(0));
      expect((await mission.contract.nodeOf(0)).redraws).to.equal(0n);
    });

    /** Two of three have committed; a monitor froze the node, and a human lets it go on. */
    const thawed = async () => {
      await routed(CONSENSUS);
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await reportBy(0);
      await mission.override(Action.UNFREEZE, 0);
    };
    const arePaid = async () => {
      await openTwo();
      await attempt(mission.clear(0, { agreeing: 0b011 }));
      return Promise.all([0, 1].map(async (slot) => (await mission.contract.entitlementOf(0, slot)).paid > 0n));
    };

    it("one of three is let go on and cannot begin again, and two who have committed are not paid", async () => {
      await thawed();
      // No runner vouches for its code any more.
      await networkHelpers.time.increase(HOUR);
      await mission.contract.timeout(0);
      expect(await arePaid()).to.deep.equal([true, true]);
    });

    it("one of three is let go on with other code, and two who have committed are not paid", async () => {
      await thawed();
      await mission.contract.mismatch(...(await mission.otherCode(0, { slot: 2 })));
      expect(await arePaid()).to.deep.equal([true, true]);
      expect((await stakeOf(await executor(2))).held).to.equal(tokens(9500));
    });

    it("a monitor's freeze spares who sees in the reveals that its work is wrong", async () => {
      await routed(CONSENSUS);
      for (const slot of [0, 1, 2]) await mission.commit(0, slot);
      for (const slot of [0, 1]) await mission.reveal(0, slot);
      await reportBy(0);
      await networkHelpers.time.increase(await patience());
      await mission.contract.timeout(0);
      await attempt(mission.contract.route(...onward(0)));
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.timeout(0));
      expect((await stakeOf(await executor(2))).held).to.equal(tokens(9950));
    });

    describe("of whole missions", () => {
      const suspend = () => mission.contract.connect(mission.city.monitor).suspend(WHY);
      const isMonitor = () => mission.city.evidence.isMonitor(mission.city.monitor.address);

      it("a monitor stops mission after mission, and nothing was wrong with any", async () => {
        await routed(TASK, TASK);
        for (let i = 0; i < 3; i++) {
          await attempt(suspend());
          await networkHelpers.time.increase(await patience());
          await attempt(mission.contract.lapse());
        }
        expect(await isMonitor()).to.equal(false);
      });

      it("a monitor suspends missions shortly before they end, and answers for none", async () => {
        mission = await (await openMission({ nodes: [TASK], duration: 900 })).activate();
        await suspend();
        await networkHelpers.time.increase(await patience());
        await mission.contract.abort();
        await mission.city.evidence
          .connect(await mission.city.as(mission.address))
          .countLapse(mission.city.monitor.address, await mission.city.now());
        await attempt(mission.contract.lapse());
        expect(await isMonitor()).to.equal(false);
      });

      it("a mission stays suspended though no human came", async () => {
        await awarded(TASK);
        await suspend();
        await networkHelpers.time.increase(await patience());
        await mission.contract.lapse();
        await attempt(mission.route(0));
        expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
      });

      it("a monitor has an executor's time run out in a stop, and it pays for being late", async () => {
        await routed(TASK);
        const agent = await executor();
        await suspend();
        await networkHelpers.time.increaseTo((await mission.contract.nodeOf(0)).deadline + 1000n);
        await attempt(mission.contract.timeout(0));
        expect((await stakeOf(agent)).held).to.equal(tokens(10_000));
      });

      it("time that a stop gave back is given back again, as a silence", async () => {
        await routed({ ...TASK, timeout: 3600 });
        const due = async () => (await mission.contract.nodeOf(0)).deadline;
        const [before, since] = [await due(), await mission.city.now()];
        await mission.override(Action.EMERGENCY_STOP, 0);
        await networkHelpers.time.increase(2n * HOUR);
        await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
        await attempt(mission.contract.connect(mission.city.monitor).degrade(since));
        await attempt(mission.override(Action.CLEAR_EMERGENCY_STOP, 0));
        expect((await due()) - before).to.be.at.most((await mission.city.now()) - since);
      });

      it("freezes that stop a mission are forgotten, because it was suspended just then", async () => {
        await routed(TASK, TASK, TASK, TASK);
        const { agent } = await mission.executorOf(0);
        for (let i = 0; i < 3; i++) {
          await reportBy(0);
          await mission.override(Action.UNFREEZE, 0);
        }
        await suspend();
        await reportBy(0);
        expect((await mission.contract.freezesOf(agent.address))[0]).not.to.equal(0n);
        await networkHelpers.time.increase(await patience());
        await attempt(mission.contract.lapse());
        expect((await mission.contract.watch()).stopped).to.equal(true);
      });
    });

    it("an executor's freezes of itself are counted against those it works with", async () => {
      await routed(CONSENSUS);
      await mission.contract.connect(await executor(0)).report(0, WHY, 1);
      expect((await mission.contract.freezesOf((await executor(1)).address))[0]).to.equal(0);
    });

    it("an executor freezes itself to get its whole time again", async () => {
      await routed(TASK);
      await networkHelpers.time.increase(50);
      await mission.contract.connect(await executor()).report(0, WHY, 1);
      await mission.override(Action.UNFREEZE, 0);
      await mission.route(0);
      expect((await mission.contract.nodeOf(0)).deadline - (await mission.city.now())).to.be.lessThan(15n);
    });

    it("an executor stops its whole mission by freezing itself", async () => {
      mission = await (await openMission({ nodes: [TASK, TASK, TASK, TASK] })).activate();
      for (const node of [0, 1, 2, 3]) await mission.bid(node, 0);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0, 1, 2, 3]);
      for (const node of [0, 1, 2, 3]) {
        await mission.route(node);
        await attempt(mission.contract.connect(mission.worker(0).agent).report(node, WHY, 1));
      }
      expect((await mission.contract.watch()).stopped).to.equal(false);
    });

    it("an executor seals itself what it was when it was frozen", async () => {
      await routed(TASK);
      await mission.contract.connect(mission.city.monitor).report(0, WHY, 1);
      await attempt(mission.contract.connect(await executor()).sealSnapshot(0, id("nothing to see")));
      expect(await mission.contract.queryFilter(mission.contract.filters.SnapshotSealed())).to.have.length(0);
    });

    it("an executor's own monitor seals what it was", async () => {
      await routed(TASK);
      const { city } = mission;
      const [own, agent] = [await city.account("own monitor"), await executor()];
      await city.evidence.registerMonitor(own.address, await city.producers.principalOf(agent.address));
      await mission.contract.connect(city.monitor).report(0, WHY, 1);
      await attempt(mission.contract.connect(own).sealSnapshot(0, id("nothing to see")));
      expect(await mission.contract.queryFilter(mission.contract.filters.SnapshotSealed())).to.have.length(0);
    });

    it("what a frozen node was is sealed a second time", async () => {
      await routed(TASK);
      await mission.contract.connect(mission.city.monitor).report(0, WHY, 1);
      await mission.contract.connect(mission.city.monitor).sealSnapshot(0, id("as it was"));
      await attempt(mission.contract.connect(mission.city.monitor).sealSnapshot(0, id("as it should have been")));
      expect(await mission.contract.queryFilter(mission.contract.filters.SnapshotSealed())).to.have.length(1);
    });
  });

  it("a mission of 256 nodes that was stopped never goes on, because no transaction has the gas to lift its stop", async () => {
    // No node waits for another: each has a clock that the stop kept standing, and no word of its own yet.
    const nodes = Array.from({ length: 256 }, () => ({ ...TASK, budget: tokens(1) }));
    mission = await (await openMission({ nodes })).activate();
    await mission.override(Action.EMERGENCY_STOP, 0);
    const { contract, city, address } = mission;
    const adjudication = contract.connect(await city.as("ADJUDICATION"));
    const judged = await contract.caseHash(0);
    await attempt(adjudication.onOverride(Action.CLEAR_EMERGENCY_STOP, 0, address, "0x", judged, { gasLimit: TRANSACTION_GAS }));
    expect((await contract.watch()).stopped).to.equal(false);
  });

  describe("with reviews and amendments", () => {
    it("somebody ends a review before the backup pool had its time", async () => {
      await routed(TASK);
      await mission.work(0);
      await mission.clear(0, { confidence: 1 });
      await networkHelpers.time.increase(900);
      await mission.contract.timeout(0);
      await attempt(mission.contract.timeout(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    });

    it("a mandate is amended again and again instead of being decided", async () => {
      mission = await (await (await openMission({ params: { maxRefinementIterations: 1 } })).activate()).awardAll();
      for (const mandate of ["once", "again"]) {
        await mission.override(Action.FREEZE, 0);
        await attempt(mission.override(Action.RESUME_WITH_AMENDMENT, 0, id(mandate)));
      }
      expect((await mission.contract.nodeOf(0)).attempt).to.equal(1);
    });
  });

  it("a successor's success ends the appeal of whoever was condemned before it", async () => {
    await awarded(TASK);
    await mission.run(0, { result: Result.FAIL });
    const condemned = await executor();
    await mission.contract.reopen(0);
    for (const worker of [1, 2, 3]) await mission.bid(0, worker);
    await mission.closeMarket();
    await mission.city.execution.award(mission.address, [0]);
    await mission.run(0);
    await mission.city.fund(condemned, mission.address, tokens(10));
    await attempt(mission.contract.connect(condemned).appeal(0, 0, WHY, directly(condemned)));
    const spared = { attempt: 0, filed: 1, upheld: 1, share: 0, slash: 0n, culprits: 0 };
    await attempt(mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [spared])));
    await networkHelpers.time.increase(HOUR);
    await mission.contract.claim([0]);
    expect((await stakeOf(condemned)).held).to.equal(tokens(10_000));
  });

  it("a monitor has every attempt at a node fail, while no human looks", async () => {
    await routed(TASK);
    const report = () => mission.contract.connect(mission.city.monitor).report(0, WHY, 1);
    const runsOut = async () => {
      await networkHelpers.time.increase(2n * (await mission.contract.context()).params.maxHumanReviewTimeout);
      await attempt(mission.contract.timeout(0));
    };
    await report();
    await runsOut();
    await mission.contract.reopen(0);
    for (const worker of [1, 2, 3]) await mission.bid(0, worker);
    await mission.closeMarket();
    await mission.city.execution.award(mission.address, [0]);
    await mission.route(0);
    await attempt(report());
    expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
  });

  it("a monitor suspends a mission for a silence that never was", async () => {
    await routed(TASK);
    const { constitution, monitor, now } = mission.city;
    await constitution.pulse();
    await attempt(mission.contract.connect(monitor).degrade((await now()) - 86_400n));
    expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
  });

  describe("with a stop of the city", () => {
    /** Less than WATCHDOG_MAX_FREEZE, more than any clock here. */
    const LONG = 3500;

    it("two adjudicators stop the city until a vote is over that few could take part in", async () => {
      const house = await loadLegislature();
      const bills = [billOf(lawOf(), "one"), billOf(lawOf(), "two")];
      const session = await house.steps.toVoting(bills.map(({ specHash }) => specHash));
      await house.watchdog.stopCity([]);
      await networkHelpers.time.increase(LONG);
      await house.watchdog.resumeCity();
      await attempt(house.legislation.tally(session));
      expect((await house.legislation.sessionOf(session)).state).to.equal(State.VOTING);
      await house.steps.vote(session, [[1, 0, 2]]);
      expect((await house.legislation.sessionOf(session)).ballots).to.equal(1);
    });

    it("two adjudicators stop the city until an early bid wins alone", async () => {
      mission = await (await openMission({ nodes: [TASK] })).activate();
      const { watchdog, execution } = mission.city;
      await mission.bid(0, 0);
      await watchdog.stopCity([]);
      await networkHelpers.time.increase(LONG);
      await watchdog.resumeCity();
      await attempt(execution.award(mission.address, [0]));
      await mission.bid(0, 1, tokens(1));
      await mission.closeMarket();
      await execution.award(mission.address, [0]);
      expect((await executor()).address).to.equal(mission.worker(1).agent.address);
    });
  });

  describe("with a freeze of an agent", () => {
    it("somebody rewrites the roster in every block while one verifier is stayed, and a clearing costs more each time", async () => {
      await routed({ ...TASK, panelSize: 3 });
      await mission.work(0);
      await networkHelpers.mine();
      const { evidence, producers, verifiers } = mission.city;
      const [one = ""] = [...verifiers.keys()];
      await producers.connect(await mission.city.as("ADJUDICATION")).freezeAgent(one, true);
      const wave = packed(await mission.clearOrder(0, { result: Result.PASS }));
      const before = await mission.contract.clear.estimateGas(wave);
      for (let i = 0; i < 200; i++) await attempt(evidence.reseat());
      const after = await mission.contract.clear.estimateGas(wave);
      expect(after - before).to.be.lessThan(10_000n);
    });

    const freeze = (agent: { address: string }, frozen = true) => mission.city.producers.freezeAgent(agent.address, frozen);
    const untilItEnds = () => networkHelpers.time.increase(2 * Number(REVIEW));

    it("an agent that adjudicators froze bids on", async () => {
      mission = await (await openMission({ nodes: [TASK] })).activate();
      await freeze(mission.worker(0).agent);
      await attempt(mission.bid(0, 0));
      expect(await mission.city.execution.bidsOf(mission.address, 0)).to.have.length(0);
    });

    it("an agent that adjudicators froze is awarded what it bid on before", async () => {
      mission = await (await openMission({ nodes: [TASK] })).activate();
      await mission.bid(0, 0, tokens(1));
      await mission.bid(0, 1);
      await freeze(mission.worker(0).agent);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      expect((await executor()).address).to.equal(mission.worker(1).agent.address);
    });

    it("an agent that adjudicators froze begins what it was awarded before", async () => {
      await awarded(TASK);
      await freeze(await executor());
      await attempt(mission.route(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
    });

    it("an agent whose principal adjudicators froze begins what it was awarded before", async () => {
      await awarded(TASK);
      const { producers } = mission.city;
      await producers.freezePrincipal(await producers.principalOf((await executor()).address), true);
      await attempt(mission.route(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
    });

    it("an agent that adjudicators banned begins what it was awarded before", async () => {
      await awarded(TASK);
      await mission.city.producers.ban((await executor()).address, WHY);
      await attempt(mission.route(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
    });

    it("an agent that adjudicators froze has another one made that goes on", async () => {
      mission = await (await openMission({ nodes: [TASK] })).activate();
      const { agent } = mission.worker(0);
      await freeze(agent);
      const heir = await mission.city.account("heir");
      await mission.city.fund(agent, mission.city.addresses.PRODUCERS, tokens(5000));
      const { message, did, byCreator, byAgent } = await mission.city.subBinding(heir, agent);
      await attempt(mission.city.producers.registerSubAgent(message, did, byCreator, byAgent));
      expect(await mission.city.producers.principalOf(heir.address)).to.equal(ZeroAddress);
    });

    it("adjudicators freeze an agent so that its work under way is late", async () => {
      await routed(TASK);
      await freeze(await executor());
      await attempt(mission.work(0));
      await attempt(mission.clear(0));
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      expect((await mission.contract.entitlementOf(0, 0)).claimed).to.equal(true);
    });

    it("adjudicators freeze an agent once, and it never works again", async () => {
      mission = await (await openMission({ nodes: [TASK] })).activate();
      await freeze(mission.worker(0).agent);
      await untilItEnds();
      expect(await mission.city.producers.isEligible(mission.worker(0).agent.address, Kind.PRODUCER)).to.equal(true);
    });

    it("adjudicators freeze producers so that fewer are enough for a law", async () => {
      const house = await loadLegislature();
      const before = await house.producers.activeProducers();
      for (const { address } of house.voters) await house.producers.freezeAgent(address, true);
      expect(await house.producers.activeProducers()).to.equal(before);
      const bills = [billOf(lawOf(), "one"), billOf(lawOf(), "two")];
      const session = await house.steps.toVoting(bills.map(({ specHash }) => specHash));
      await attempt(house.steps.vote(session, [[1, 0, 2]]));
      expect((await house.legislation.sessionOf(session)).ballots).to.equal(1);
    });

    it("a verifier that adjudicators froze decides, or is charged for its silence", async () => {
      await routed({ ...TASK, panelSize: 1 });
      await mission.work(0);
      await networkHelpers.mine();
      const [member = ""] = await mission.contract.panelOf(0);
      await mission.city.producers.freezeAgent(member, true);
      await attempt(mission.clear(0));
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(0);
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.redraw(0));
      expect((await mission.city.producers.stakeOf(member)).held).to.equal(tokens(2000));
    });
  });

  describe("with appeals", () => {
    const appealAs = async (who: Wallet) => {
      await mission.city.fund(who, mission.address, tokens(10));
      await mission.contract.connect(who).appeal(0, 0, WHY, directly(who));
    };
    const open = async () => (await mission.contract.appealsOf(0, 0))[0];
    beforeEach(async () => {
      await awarded(TASK);
      await mission.run(0);
    });

    it("somebody who has no part in a node holds up its payment", async () => {
      await attempt(appealAs(await mission.city.account("somebody")));
      expect(await open()).to.equal(0);
    });

    it("one party holds up a payment again and again", async () => {
      await appealAs(mission.city.sponsor);
      await attempt(appealAs(mission.city.sponsor));
      expect(await open()).to.equal(1);
    });

    it("a decision is appealed after it was final", async () => {
      await networkHelpers.time.increase(HOUR);
      await attempt(appealAs(mission.city.sponsor));
      expect(await open()).to.equal(0);
      await mission.contract.claim([0]);
    });

    it("a ruling nobody waits for any more takes what was earned", async () => {
      await appealAs(mission.city.sponsor);
      await networkHelpers.time.increase(2 * 3600);
      const late = { attempt: 0, filed: 1, upheld: 1, share: 0, slash: 0n, culprits: 0 };
      await attempt(mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [late])));
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(tokens(97));
    });
  });

  describe("with the end of a mission", () => {
    const expiry = async () => networkHelpers.time.increaseTo(await mission.contract.expiresAt());
    /** Work of the first node, committed shortly before the mission's end. */
    const committedLate = async (...nodes: (typeof TASK)[]) => {
      mission = await (await (await openMission({ nodes, duration: 3600 })).activate()).awardAll();
      await networkHelpers.time.increaseTo((await mission.contract.expiresAt()) - 30n);
      await mission.route(0);
      await mission.work(0);
    };

    it("garbage committed in a mission's last second is never judged", async () => {
      await committedLate(TASK);
      const agent = await executor();
      await expiry();
      await attempt(mission.contract.abort());
      await attempt(mission.clear(0, { result: Result.FAIL }));
      await networkHelpers.time.increase(2n * HOUR);
      await attempt(mission.contract.claim([0]));
      expect((await stakeOf(agent)).held).to.be.lessThan(tokens(10_000));
    });

    it("two of three disagree with everybody, no stake is lost, and the mission ends at the first attempt with the neighbour unpaid", async () => {
      await awarded(CONSENSUS, TASK);
      await mission.route(0, 1);
      await mission.work(0);
      await mission.work(1);
      // The panel is honest: it finds no agreement, and says so, twice; so does the human.
      for (let i = 0; i < 2; i++) await mission.clear(0, { result: Result.ABSTAIN });
      await mission.override(Action.REJECT_POP, 0);
      await attempt(mission.contract.abort());
      await attempt(mission.clear(1));
      expect((await mission.contract.ledger()).entitled).to.be.greaterThan(0n);
    });

    it("executors have node after node started in a mission that is to end, and its sponsor waits for its money", async () => {
      await committedLate(TASK, TASK);
      await expiry();
      await mission.contract.abort();
      await attempt(mission.route(1));
      expect(await mission.stateOf(1)).not.to.equal(NodeState.EXECUTING);
    });

    it("executors have checkpoint after checkpoint taken in a mission that is to end", async () => {
      mission = await (await (await openMission({ nodes: [TASK, TASK], anchorInterval: 7200, duration: 3600 })).activate()).awardAll();
      await expiry();
      await mission.contract.checkpoint(await mission.wave([0]));
      await mission.contract.abort();
      await attempt(mission.contract.checkpoint(await mission.wave([1])));
      expect(await mission.stateOf(1)).to.equal(NodeState.ELIGIBLE);
    });

    it("one adjudicator freezes committed work whenever it goes on, so that its mission never ends", async () => {
      await committedLate(TASK);
      await expiry();
      await mission.contract.abort();
      await attempt(mission.override(Action.FREEZE, 0));
      expect(await mission.stateOf(0)).not.to.equal(NodeState.FROZEN);
    });

    it("a stop that nobody lifts keeps a sponsor's money for ever, because somebody had committed something", async () => {
      await committedLate(TASK);
      await mission.override(Action.EMERGENCY_STOP, 0);
      await expiry();
      await networkHelpers.time.increase(2n * HOUR);
      await attempt(mission.contract.abort());
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    });

    it("one adjudicator stops a mission that is to end, and it ends before anybody could lift that", async () => {
      await committedLate(TASK);
      await expiry();
      await mission.contract.abort();
      await mission.override(Action.EMERGENCY_STOP, 0);
      await attempt(mission.contract.abort());
      await attempt(mission.override(Action.CLEAR_EMERGENCY_STOP, 0));
      await attempt(mission.clear(0));
      expect((await mission.contract.ledger()).entitled).to.be.greaterThan(0n);
    });

    it("a monitor calls the chain silent shortly before a mission's end, which then comes before any human", async () => {
      await committedLate(TASK);
      await mission.contract.connect(mission.city.monitor).degrade((await mission.city.now()) - HOUR);
      await expiry();
      await attempt(mission.contract.expire());
      await attempt(mission.override(Action.CLEAR_EMERGENCY_STOP, 0));
      await attempt(mission.clear(0));
      expect((await mission.contract.ledger()).entitled).to.be.greaterThan(0n);
    });

    it("a monitor suspends a mission shortly before its end, so that nobody judges what was committed", async () => {
      await committedLate(TASK);
      await mission.contract.connect(mission.city.monitor).suspend(WHY);
      await expiry();
      await networkHelpers.time.increase(2n * HOUR);
      await attempt(mission.contract.abort());
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
    });
  });

  describe("with one node of a wave", () => {
    it("an appeal about one node, sent first, makes the claim of eight revert", async () => {
      const nodes = [...Array(8).keys()];
      await awarded(...nodes.map(() => TASK));
      for (const node of nodes) await mission.run(node);
      const { agent } = await mission.executorOf(7);
      await networkHelpers.time.increase(HOUR - 60n);
      await mission.city.fund(agent, mission.address, tokens(1000));
      await mission.contract.connect(agent).appeal(7, 0, WHY, directly(agent));
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim(nodes));
      expect(await Promise.all(nodes.map(async (node) => (await mission.contract.entitlementOf(node, 0)).claimed))).to.deep.equal(
        nodes.map((node) => node !== 7),
      );
    });

    it("an executor that signed a checkpoint freezes its node first, and no node's work is taken", async () => {
      mission = await (await (await openMission({ nodes: [TASK, TASK, TASK], anchorInterval: 120 })).activate()).awardAll();
      const wave = await mission.wave([0, 1, 2]);
      const { agent } = await mission.executorOf(2);
      await mission.contract.connect(agent).report(2, WHY, 0);
      await attempt(mission.contract.checkpoint(wave));
      expect(await Promise.all([0, 1, 2].map((node) => mission.stateOf(node)))).to.deep.equal([
        NodeState.PENDING_VERIFICATION,
        NodeState.PENDING_VERIFICATION,
        NodeState.FROZEN,
      ]);
    });

    it("adjudicators freeze one executor, and the checkpoint of all is refused", async () => {
      mission = await (await (await openMission({ nodes: [TASK, TASK], anchorInterval: 120 })).activate()).awardAll();
      const wave = await mission.wave([0, 1]);
      await mission.city.producers.freezeAgent((await mission.executorOf(1)).agent.address, true);
      await attempt(mission.contract.checkpoint(wave));
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
    });
  });
});
