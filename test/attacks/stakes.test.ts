/** Stake that leaves before the slash, stands for more than it is, or was never there. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { getAddress } from "viem";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { packPayment } from "../../orchestrator/rules/payments.ts";
import {
  AMENDMENT_NOTICE,
  type City,
  directly,
  EVERYTHING,
  ethers,
  INSTITUTIONS,
  Kind,
  keyOf,
  loadCity,
  networkHelpers,
  tokens,
} from "../support/city-fixture.ts";
import { Action, HOUR, type Mission, NodeState, openMission, openMissionIn, Result, TASK } from "../support/mission-fixture.ts";
import { outcomeOf } from "../support/outcomes.ts";
import { openPanel } from "../support/panel.ts";
import { attempt } from "./attempt.ts";

const WHY = id("why");
const LONG = 400 * 86_400;
const POOL = 1;

describe("attacks on stakes", () => {
  describe("of an agent", () => {
    let city: City;
    let agent: Wallet;
    let principal: Wallet;
    beforeEach(async () => {
      city = await loadCity();
      ({ agent, principal } = await city.register("agent"));
    });
    const stake = () => city.producers.stakeOf(agent.address);
    const lock = async (amount: bigint) => city.producers.connect(await city.as("EXECUTION")).lock(agent.address, amount);

    it("an agent leaves with the stake that its work still answers for", async () => {
      await lock(tokens(150));
      await city.producers.connect(agent).deregister(agent.address);
      await networkHelpers.time.increase(LONG);
      await attempt(city.producers.withdrawStake(agent.address));
      expect((await stake()).held).to.equal(tokens(5000));
    });

    it("an agent leaves with its stake before anybody could notice what it did", async () => {
      await city.producers.connect(agent).deregister(agent.address);
      await attempt(city.producers.withdrawStake(agent.address));
      expect(await city.token.balanceOf(principal.address)).to.equal(0);
    });

    it("stake is free to leave before an appeal about it is decided", async () => {
      const panel = await openPanel();
      await panel.city.constitution.seal();
      const [appeal, unbonding] = [parameterIndex("APPEAL_WINDOW_CRITICAL"), parameterIndex("UNBONDING_PERIOD")];
      await attempt(panel.act(await panel.wide("AMEND_PARAMETER", ZeroAddress, appeal, 2_592_000n), ...panel.seats.slice(0, 2)));
      const { constitution } = panel.city;
      expect((await constitution.param(appeal)) < (await constitution.param(unbonding))).to.equal(true);
    });

    const EXECUTION = INSTITUTIONS.indexOf("EXECUTION");
    const announced = async () => city.constitution.amend(EXECUTION, await ethers.deployContract("MissionProbe"), WHY);

    it("adjudicators replace the market before who disagrees can have left", async () => {
      await announced();
      await networkHelpers.time.increase(6 * 86_400);
      await city.producers.connect(agent).deregister(agent.address);
      await networkHelpers.time.increase((await city.constitution.param(parameterIndex("UNBONDING_PERIOD"))) - 60n);
      await attempt(city.constitution.enact(EXECUTION));
      await networkHelpers.time.increase(60);
      await city.producers.withdrawStake(agent.address);
      expect(await city.constitution.at(EXECUTION)).to.equal(city.addresses.EXECUTION);
    });

    it("adjudicators make leaving longer while a new market is announced", async () => {
      const unbonding = parameterIndex("UNBONDING_PERIOD");
      const before = await city.constitution.param(unbonding);
      await announced();
      await attempt(city.constitution.setParam(unbonding, 7_776_000n, WHY));
      expect(await city.constitution.param(unbonding)).to.equal(before);
    });

    it("a market that was replaced takes the stake of everybody", async () => {
      const former = await replaced();
      await attempt(former.settle(outcomeOf(agent.address), tokens(5000), ZeroAddress));
      expect((await stake()).held).to.equal(tokens(5000));
    });

    const replaced = async () => {
      await announced();
      await networkHelpers.time.increase(LONG);
      await city.constitution.enact(EXECUTION);
      return city.producers.connect(await city.as(city.addresses.EXECUTION));
    };

    it("a market that was replaced takes a verifier's whole stake", async () => {
      const { agent: verifier } = await city.register("verifier", { kind: Kind.VERIFIER });
      const former = await replaced();
      const before = (await city.producers.stakeOf(verifier.address)).held;
      for (let i = 0; i < 8; i++) await attempt(former.settle(outcomeOf(verifier.address), tokens(500), ZeroAddress));
      expect(before - (await city.producers.stakeOf(verifier.address)).held).to.equal(tokens(100));
    });

    it("a market is replaced, and the members of its missions' panels keep silent for nothing", async () => {
      const mission = await (await openMission({ nodes: [{ ...TASK, panelSize: 3 }] })).activate();
      await mission.awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      const panel = [...(await mission.contract.panelOf(0))];
      const { constitution, producers } = mission.city;
      await constitution.amend(EXECUTION, await ethers.deployContract("MissionProbe"), WHY);
      await networkHelpers.time.increase(AMENDMENT_NOTICE);
      await constitution.enact(EXECUTION);
      const held = async () => Promise.all(panel.map(async (member) => (await producers.stakeOf(member)).held));
      const before = await held();
      await attempt(mission.contract.redraw(0));
      expect(await held()).to.deep.equal(before.map((stake) => stake - tokens(50)));
    });

    it("a market that was replaced accuses everybody", async () => {
      const former = await replaced();
      await attempt(former.accuse(agent.address));
      expect(await city.producers.openFaultsOf(agent.address)).to.equal(0n);
    });

    it("somebody ends a fault that the market counted", async () => {
      await city.producers.connect(await city.as("EXECUTION")).accuse(agent.address);
      await attempt(city.producers.connect(agent).discharge(agent.address));
      expect(await city.producers.openFaultsOf(agent.address)).to.equal(1n);
    });

    it("one stake stands behind more bids than it could pay for", async () => {
      for (let i = 0; i < 3; i++) await attempt(lock(tokens(2000)));
      expect((await stake()).locked).to.equal(tokens(4000));
    });

    it("an agent of ill repute registers again with a new name's reputation", async () => {
      await city.producers.adjustReputation(agent.address, -400, WHY);
      const ruined = await city.producers.reputationOf(agent.address);
      await attempt(city.register("agent"));
      expect(await city.producers.reputationOf(agent.address)).to.equal(ruined);
    });

    it("keys that never worked make a session's quorum unreachable", async () => {
      await city.constitution.seal();
      const before = await city.producers.activeProducers();
      for (let i = 0; i < 3; i++) await attempt(city.register(`sybil ${i}`));
      expect(await city.producers.activeProducers()).to.equal(before);
    });

    it("a market that was replaced gives whom it likes a vote", async () => {
      const former = await replaced();
      // The governor that replaced it seals late: what matters is the newcomer.
      await city.constitution.seal();
      const { agent: newcomer } = await city.register("newcomer");
      await attempt(
        former.settleAll([{ agent: newcomer.address, release: 0n, scored: true, score: 10_000, reason: WHY }], [newcomer.address]),
      );
      expect(await city.producers.hasSuffrage(newcomer.address)).to.equal(false);
    });

    it("a newcomer claims to be the best at everything", async () => {
      await city.constitution.seal();
      await attempt(city.register("newcomer", { capabilities: EVERYTHING }));
      expect(await city.producers.capabilitiesOf(keyOf("newcomer").address)).to.equal(0n);
    });

    it("identities are made for nothing", async () => {
      await attempt(city.register("sybil", { stake: 1n }));
      expect((await city.producers.agentOf(keyOf("sybil").address)).kind).to.equal(0);
    });

    it("an adjudicator takes its stake back the moment it leaves its seat", async () => {
      const [adjudicator] = (await city.seatAdjudicators(3)) as [Wallet];
      await city.roster.connect(adjudicator).resign();
      await attempt(city.roster.connect(adjudicator).withdrawStake());
      expect(await city.token.balanceOf(adjudicator.address)).to.equal(0);
    });
  });

  describe("in a mission", () => {
    let mission: Mission;
    const agent = (index: number) => mission.worker(index).agent;
    const auth = async (index: number) => ({ agent: agent(index).address, deadline: await mission.soon(), signature: "0x" });
    const withdraw = async (index: number) =>
      mission.city.execution.connect(agent(index)).withdrawBid(mission.address, 0, await auth(index));
    const heldBy = async (index: number) => (await mission.city.producers.stakeOf(agent(index).address)).held;
    const awarded = async () => {
      mission = await (await (await openMission()).activate()).awardAll();
    };

    it("an executor that was dropped works on under an amended mandate, on no stake", async () => {
      const consensus = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
      mission = await (await (await openMission({ nodes: [consensus] })).activate()).awardAll();
      await mission.route(0);
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await mission.override(Action.FREEZE, 0);
      await attempt(mission.override(Action.RESUME_WITH_AMENDMENT, 0, id("mandate")));
      await attempt(mission.route(0));
      await attempt(mission.commit(0, 2));
      const { commitMask } = await mission.contract.nodeOf(0);
      expect(commitMask & 0b100n).to.equal(0n);
    });

    it("a bidder takes its service off the market so that nothing can be asked of it", async () => {
      mission = await (await openMission()).activate();
      await mission.bid(0, 0);
      await attempt(mission.city.services.connect(agent(0)).deprecateService(mission.worker(0).service));
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      // Nor can a runner report the registered code as foreign: that would end the node by another slash.
      await attempt(mission.contract.mismatch(...(await mission.otherCode(0, { hash: mission.worker(0).record.codeHash }))));
      await attempt(mission.route(0));
      await networkHelpers.time.increase(61);
      await attempt(mission.contract.timeout(0));
      expect(await heldBy(0)).to.equal(tokens(9950));
    });

    it("a ruling against one executor holds up the pay of all", async () => {
      const consensus = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
      mission = await (await (await openMission({ nodes: [consensus] })).activate()).awardAll();
      await mission.run(0, { agreeing: 0b111 });
      const { sponsor, token, treasury } = mission.city;
      await token.mint(sponsor.address, tokens(10));
      await token.connect(sponsor).approve(mission.address, tokens(10));
      await mission.contract.connect(sponsor).appeal(0, 0, WHY, directly(sponsor));
      const ruling = { attempt: 0, filed: 1, upheld: 1, share: 10_000, slash: tokens(1), culprits: 0b001 };
      await mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [ruling]));
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      for (const slot of [1, 2]) {
        expect(await treasury.creditOf((await mission.executorOf(0, slot)).agent.address)).to.be.greaterThan(0n);
      }
    });

    it("a mission scores an agent that it never bound", async () => {
      await awarded();
      const execution = mission.city.execution.connect(await mission.city.as(mission.address));
      const stranger = agent(7).address;
      await attempt(execution.settleSlots([{ node: 0, agent: stranger, score: 10_000, reason: WHY }]));
      expect(await mission.city.producers.reputationOf(stranger)).to.equal(500n);
    });

    it("an executor takes its lock back while it works", async () => {
      await awarded();
      await mission.route(0);
      await attempt(withdraw(0));
      expect((await mission.city.producers.stakeOf(agent(0).address)).locked).to.equal(tokens(150));
    });

    it("an executor whose slash waits for its window frees its lock once the mission ended", async () => {
      await awarded();
      await mission.run(0, { result: Result.FAIL });
      await mission.override(Action.TERMINATE_MISSION, 0);
      // Until then its lock is held for what humans may say.
      await networkHelpers.time.increaseTo(await mission.city.execution.heldUntil(mission.address, 0));
      await attempt(withdraw(0));
      await attempt(mission.contract.claim([0]));
      expect(await heldBy(0)).to.equal(tokens(9850));
    });

    it("an agent that was found at fault bids as before until its window closes", async () => {
      mission = await (await (await openMission({ nodes: [TASK, TASK] })).activate()).awardAll();
      const culprit = await mission.executorOf(0);
      const before = (await mission.city.producers.bidderOf(culprit.agent.address)).reputation;
      await mission.run(0, { result: Result.FAIL });
      expect((await mission.city.producers.bidderOf(culprit.agent.address)).reputation).to.be.lessThan(before);
    });

    it("who settles a fault takes more of what is slashed than a hundredth", async () => {
      await awarded();
      await mission.run(0, { result: Result.FAIL });
      await networkHelpers.time.increase(HOUR);
      const settler = await mission.city.account("settler");
      await mission.contract.connect(settler).claim([0]);
      expect(await mission.city.token.balanceOf(settler.address)).to.equal(1_500_000n);
    });

    const ended = async () => {
      await awarded();
      await mission.route(0);
      await mission.override(Action.TERMINATE_MISSION, 0);
    };
    const faulted = () => mission.override(Action.FAULT_SLOTS, 0, encodeActionData("FAULT_SLOTS", [0, 1]));

    it("an executor that a mission was ended for leaves before anybody can say so", async () => {
      await ended();
      await attempt(withdraw(0));
      await attempt(faulted());
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      expect(await heldBy(0)).to.equal(tokens(9850));
    });

    it("an executor whose work goes on after a freeze leaves before anybody can say that it is at fault for the end", async () => {
      const consensus = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
      mission = await (await (await openMission({ nodes: [consensus] })).activate()).awardAll();
      await mission.route(0);
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await mission.contract.connect(mission.city.monitor).report(0, WHY, 1);
      await networkHelpers.time.increase(2n * HOUR);
      await mission.contract.timeout(0);
      await mission.override(Action.TERMINATE_MISSION, 0);
      await attempt(withdraw(0));
      await attempt(faulted());
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      await attempt(mission.contract.close());
      expect(await heldBy(0)).to.equal(tokens(9850));
      expect((await mission.contract.ledger()).closed).to.equal(true);
    });

    it("executors are found at fault for an end that is long past", async () => {
      await ended();
      await networkHelpers.time.increase(LONG);
      await attempt(faulted());
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      expect(await heldBy(0)).to.equal(tokens(10_000));
    });

    it("who failed a node comes back to it through another agent", async () => {
      await awarded();
      await mission.route(0);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      // Worker 4 is of worker 0's principal.
      await attempt(mission.bid(0, 4));
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
      expect(await mission.city.execution.bidsOf(mission.address, 0)).to.have.length(0);
    });

    describe("through a pool", () => {
      let pools: City["pools"];
      let manager: Wallet;
      const join = async (who: Wallet, amount: bigint, payer = who) => {
        await pools.connect(manager).admit(POOL, who.address);
        await mission.city.fund(payer, mission.city.addresses.STAKE_POOL, amount);
        return pools.connect(payer).join(POOL, who.address, amount);
      };
      const cover = (index: number, node = 0) => pools.connect(manager).cover(POOL, mission.address, node, agent(index).address);
      const sums = () => pools.poolOf(POOL);
      beforeEach(async () => {
        mission = await (await openMission({ nodes: [TASK, TASK] })).activate();
        pools = mission.city.pools;
        manager = await mission.city.account("pool manager");
        await pools.connect(manager).openPool();
        for (let index = 0; index < 3; index++) await join(agent(index), tokens(70));
      });

      it("a participant leaves while its pool stands behind a bid", async () => {
        await cover(0);
        await mission.bid(0, 0);
        await attempt(pools.connect(agent(1)).leave(POOL, agent(1).address));
        expect((await sums()).total).to.equal(tokens(210));
      });

      it("an agent whose fault waits behind a pool's stake leaves with its own", async () => {
        await cover(0);
        await mission.bid(0, 0);
        await mission.bid(1, 1);
        await mission.closeMarket();
        await mission.city.execution.award(mission.address, [0, 1]);
        await mission.run(0, { result: Result.FAIL });
        await mission.city.producers.connect(agent(0)).deregister(agent(0).address);
        await networkHelpers.time.increase(LONG);
        await attempt(mission.city.producers.withdrawStake(agent(0).address));
        expect(await heldBy(0)).to.equal(tokens(10_000));
      });

      it("a pool stands behind more bids than it could pay for", async () => {
        for (const node of [0, 1]) {
          await cover(node, node);
          await attempt(mission.bid(node, node));
        }
        const { total, committed } = await sums();
        expect(committed <= total, `${committed} of ${total}`).to.equal(true);
      });

      it("somebody takes what stands behind another's bid off it", async () => {
        await cover(0);
        await attempt(pools.connect(agent(3)).uncover(mission.address, 0, agent(0).address));
        expect((await pools.coverOf(mission.address, 0, agent(0).address))[0]).to.equal(POOL);
      });

      /** Another market is put in office. */
      const marketAfter = async () => {
        const { city } = mission;
        const market = INSTITUTIONS.indexOf("EXECUTION");
        await city.constitution.amend(market, await ethers.deployContract("MissionProbe"), id("a better market"));
        await networkHelpers.time.increase(AMENDMENT_NOTICE);
        await city.constitution.enact(market);
        return pools.connect(await city.as(await city.constitution.at(market)));
      };

      it("a new market takes, or frees, what a pool put behind bids in the market before it", async () => {
        for (const node of [0, 1]) await cover(0, node);
        await mission.bid(0, 0);
        const { committed: bound } = await sums();
        const current = await marketAfter();
        const { address } = mission;
        await attempt(current.settle(address, 0, agent(0).address, tokens(100), tokens(100), WHY, keyOf("thief").address));
        await attempt(current.settle(address, 0, agent(0).address, tokens(50), 0n, WHY, ZeroAddress));
        await attempt(current.stand(address, 1, agent(0).address, 1n));
        const { total, committed } = await sums();
        expect([total, committed]).to.deep.equal([tokens(210), bound]);
        // Its own market settles it: with less there than it bound, it could settle nothing any more.
        await mission.city.execution.connect(agent(0)).withdrawBid(address, 0, directly(agent(0)));
        expect((await sums()).committed).to.equal(0n);
      });

      it("a market that was replaced takes what a pool puts behind bids in the market after it", async () => {
        const { city } = mission;
        const current = await marketAfter();
        const later = (await openMissionIn(city, {}, 2n)).address;
        for (const node of [0, 1]) await pools.connect(manager).cover(POOL, later, node, agent(0).address);
        await current.stand(later, 0, agent(0).address, tokens(100));
        const former = pools.connect(await city.as(city.addresses.EXECUTION));
        await attempt(former.settle(later, 0, agent(0).address, tokens(100), tokens(100), id("why"), keyOf("thief").address));
        await attempt(former.stand(later, 1, agent(0).address, 1n));
        const { total, committed } = await sums();
        expect([total, committed]).to.deep.equal([tokens(210), tokens(100)]);
      });

      it("a manager fills its pool until a slash costs more gas than there is", async () => {
        const principal = await mission.city.account("principal of many");
        for (let i = 3; i <= 50; i++) {
          const { agent: small } = await mission.city.register(`small ${i}`, { principal, stake: tokens(1000), capabilities: EVERYTHING });
          await attempt(join(small, 1n, principal));
        }
        expect((await sums()).participants).to.equal(50);
      });
    });
  });

  describe("of the vault", () => {
    const thief = keyOf("thief").address;
    let city: City;
    let agent: Wallet;
    let principal: Wallet;
    let missions = 0;
    const pay = async (account: string) => {
      missions += 1;
      const mission = await city.probe(missions);
      await city.token.mint(mission.address, tokens(50));
      const payment = packPayment({ account: getAddress(account), amount: tokens(50), psi: 0, node: 0, place: 0 });
      await mission.settle(city.addresses.TREASURY, city.addresses.TOKEN, tokens(50), [payment]);
    };
    beforeEach(async () => {
      city = await loadCity();
      ({ agent, principal } = await city.register("agent"));
      await pay(agent.address);
    });

    it("somebody withdraws what another account is owed", async () => {
      const nobody = await city.account("nobody");
      await attempt(city.treasury.connect(nobody).withdraw(agent.address, thief));
      expect(await city.treasury.creditOf(agent.address)).to.equal(tokens(50));
    });

    it("a principal has a stranger's address enrolled in an office under its name, and takes what the stranger is owed", async () => {
      const stranger = keyOf("stranger").address;
      await pay(stranger);
      const clerks = city.producers.connect(await city.as("CLERKS"));
      await clerks.enroll(stranger, principal.address, Kind.CLERK);
      await attempt(city.treasury.connect(principal).withdraw(stranger, thief));
      expect(await city.treasury.creditOf(stranger)).to.equal(tokens(50));
    });

    it("a signed withdrawal is relayed again when its account has been paid again", async () => {
      const message = { account: agent.address, by: agent.address, to: thief, nonce: 0n, deadline: 2n ** 40n - 1n };
      const signature = await city.sign("Withdrawal", city.addresses.TREASURY, message, agent);
      await city.treasury.withdrawFor(message, signature);
      await pay(agent.address);
      await attempt(city.treasury.withdrawFor(message, signature));
      expect(await city.treasury.creditOf(agent.address)).to.equal(tokens(50));
    });

    it("a stranger relays a withdrawal that it signed itself in the name of a principal", async () => {
      const nobody = await city.account("nobody");
      const message = { account: agent.address, by: nobody.address, to: thief, nonce: 0n, deadline: 2n ** 40n - 1n };
      await attempt(city.treasury.withdrawFor(message, await city.sign("Withdrawal", city.addresses.TREASURY, message, nobody)));
      expect(await city.treasury.creditOf(agent.address)).to.equal(tokens(50));
    });

    it("a principal withdraws with a signature of nobody's", async () => {
      const nobody = await city.account("nobody");
      const message = { account: agent.address, by: principal.address, to: thief, nonce: 0n, deadline: 2n ** 40n - 1n };
      await attempt(city.treasury.withdrawFor(message, await city.sign("Withdrawal", city.addresses.TREASURY, message, nobody)));
      expect(await city.treasury.creditOf(agent.address)).to.equal(tokens(50));
    });
  });
});
