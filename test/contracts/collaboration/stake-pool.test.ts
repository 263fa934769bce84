import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { divideLoss } from "../../../orchestrator/rules/loss-shares.ts";
import { ethers, INSTITUTIONS, keyOf, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";
import { HOUR, type Mission, type MissionOptions, openMission, Result, TASK } from "../../support/mission-fixture.ts";

const WHY = id("why");
const STAKE = tokens(150);
const POOL = 1;

describe("StakePool", () => {
  let mission: Mission;
  let pools: Mission["city"]["pools"];
  let manager: Wallet;
  const worker = (index: number) => mission.worker(index).agent;
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(pools, error);
  const principalOf = (index: number) => keyOf(`principal ${index % 4}`);

  /** A pool of the first workers, who put in these amounts. */
  async function open(contributions: readonly bigint[], options: MissionOptions = {}): Promise<void> {
    mission = await (await openMission(options)).activate();
    pools = mission.city.pools;
    manager = await mission.city.account("pool manager");
    await pools.connect(manager).openPool();
    for (const [index, amount] of contributions.entries()) await join(index, amount);
  }
  async function join(index: number, amount: bigint): Promise<void> {
    await pools.connect(manager).admit(POOL, worker(index).address);
    await mission.city.fund(worker(index), mission.city.addresses.STAKE_POOL, amount);
    await pools.connect(worker(index)).join(POOL, worker(index).address, amount);
  }
  const cover = (index: number, node = 0) => pools.connect(manager).cover(POOL, mission.address, node, worker(index).address);
  const leave = (index: number) => pools.connect(worker(index)).leave(POOL, worker(index).address);
  const notice = (index: number) => pools.connect(worker(index)).giveNotice(POOL, worker(index).address);
  const sums = () => pools.poolOf(POOL);
  const contributions = async () => (await pools.participantsOf(POOL)).map(({ contribution }) => contribution);
  const coverOf = async (index: number, node = 0) => [...(await pools.coverOf(mission.address, node, worker(index).address))];
  const stakeOf = (index: number) => mission.city.producers.stakeOf(worker(index).address);
  const held = () => mission.city.token.balanceOf(mission.city.addresses.STAKE_POOL);

  /** What must hold after every test. */
  async function conserved(): Promise<void> {
    const { total, committed, participants } = await sums();
    const parts = await contributions();
    expect(parts.reduce((sum, part) => sum + part, 0n)).to.equal(total);
    expect(committed <= total).to.be.true;
    expect(Number(participants)).to.equal(parts.length);
    let owed = 0n;
    for (let index = 0; index < 4; index++) owed += await pools.owedTo(principalOf(index).address);
    expect(await held()).to.equal(total + owed);
  }
  afterEach(conserved);

  /** The covered worker wins node 0 and is routed. */
  async function routed(index = 0): Promise<void> {
    await cover(index);
    await mission.bid(0, index);
    await mission.closeMarket();
    await mission.city.execution.award(mission.address, [0]);
    await mission.route(0);
  }
  const timeOut = async () => {
    await networkHelpers.time.increase(60);
    await mission.contract.timeout(0);
  };

  /** In another attempt, whatever was bid before can no longer win. */
  const reopened = async () => mission.city.execution.connect(await mission.city.as(mission.address)).reopenMarket(0, 1, []);
  const direct = async (index: number) => ({ agent: worker(index).address, deadline: await mission.soon(), signature: "0x" });

  describe("openPool, admit and join", () => {
    it("takes what an admitted, eligible producer or its principal pays, and adds to it", async () => {
      await open([]);
      const { fund, addresses, governor } = { ...mission.city, governor: mission.city.producers };
      const [agent, principal] = [worker(0), principalOf(0)];
      await fund(principal, addresses.STAKE_POOL, tokens(30));
      const byPrincipal = (amount: bigint) => pools.connect(principal).join(POOL, agent.address, amount);
      await refused(byPrincipal(tokens(10)), "NotAdmitted");
      await refused(pools.connect(agent).admit(POOL, agent.address), "NotManager");
      await pools.connect(manager).admit(POOL, agent.address);
      expect(await pools.isAdmitted(POOL, agent.address)).to.be.true;
      await refused(pools.connect(manager).join(POOL, agent.address, 1), "NotAuthorised");
      await refused(byPrincipal(0n), "NothingToPay");
      await byPrincipal(tokens(10));
      await expect(byPrincipal(tokens(20)))
        .to.emit(pools, "StakePooled")
        .withArgs(POOL, agent.address, tokens(20));
      expect(await contributions()).to.deep.equal([tokens(30)]);
      await governor.connect(await mission.city.as("ADJUDICATION")).ban(agent.address, WHY);
      await refused(byPrincipal(1n), "NotEligible");
    });

    it("takes exactly what is said from a token that keeps a part, or nothing", async () => {
      await open([]);
      await pools.connect(manager).admit(POOL, worker(0).address);
      await mission.city.fund(worker(0), mission.city.addresses.STAKE_POOL, tokens(10));
      const token = await turnHostile(mission.city);
      await token.chargeFee(100);
      await refused(pools.connect(worker(0)).join(POOL, worker(0).address, tokens(10)), "Shortfall");
    });

    it("ends at 50 participants", async () => {
      await open([]);
      const { city } = mission;
      const principal = await city.account("principal of many");
      for (let i = 0; i <= 50; i++) {
        const { agent } = await city.register(`small ${i}`, { principal, stake: tokens(1000) });
        await pools.connect(manager).admit(POOL, agent.address);
        await city.fund(principal, city.addresses.STAKE_POOL, 1n);
        const joined = pools.connect(principal).join(POOL, agent.address, 1);
        if (i < 50) await joined;
        else await refused(joined, "PoolFull");
      }
    });
  });

  describe("cover and uncover", () => {
    it("is the manager's, for a participant, of a pool with enough participants of whom none is leaving", async () => {
      await open([tokens(100), tokens(100)]);
      await refused(cover(0), "TooFewParticipants");
      await join(2, tokens(100));
      await refused(pools.connect(worker(0)).cover(POOL, mission.address, 0, worker(0).address), "NotManager");
      await refused(cover(3), "NotParticipant");
      await notice(1);
      await refused(cover(0), "ParticipantLeaving");
      await leave(1);
      await join(1, tokens(100));
      await expect(cover(0)).to.emit(pools, "CoverGranted").withArgs(POOL, mission.address, 0, worker(0).address);
      await refused(cover(0), "AlreadyCovered");
      expect(await coverOf(0)).to.deep.equal([1n, 0n]);
    });

    it("is taken back by manager, agent or principal while no bid stands; then the agent's own stake is locked", async () => {
      await open([tokens(100), tokens(100), tokens(100)]);
      const uncover = (caller: Wallet) => pools.connect(caller).uncover(mission.address, 0, worker(0).address);
      await refused(uncover(manager), "NotCovered");
      for (const caller of [manager, worker(0), principalOf(0)]) {
        await cover(0);
        await refused(uncover(worker(1)), "NotAuthorised");
        await uncover(caller);
      }
      await mission.bid(0, 0);
      expect((await stakeOf(0)).locked).to.equal(STAKE);
      await cover(1);
      await mission.bid(0, 1);
      await refused(pools.connect(manager).uncover(mission.address, 0, worker(1).address), "CoverStands");
    });
  });

  describe("stand", () => {
    it("locks the pool's stake instead of the agent's own", async () => {
      await open([tokens(100), tokens(100), tokens(100)]);
      await cover(0);
      await expect(mission.bid(0, 0)).to.emit(pools, "CoverLocked").withArgs(POOL, mission.address, 0, worker(0).address, STAKE);
      expect((await stakeOf(0)).locked).to.equal(0);
      expect(await coverOf(0)).to.deep.equal([1n, STAKE]);
      expect((await sums()).committed).to.equal(STAKE);
      await mission.bid(0, 1);
      expect((await stakeOf(1)).locked).to.equal(STAKE);
    });

    it("does not reach further than the money: the second bid is refused, until another ends", async () => {
      await open([tokens(100), tokens(100), tokens(99)], { nodes: [TASK, TASK] });
      await cover(0);
      await cover(1, 1);
      await mission.bid(0, 0);
      await refused(mission.bid(1, 1), "InsufficientPool");
      await reopened();
      await mission.city.execution.connect(worker(0)).withdrawBid(mission.address, 0, await direct(0));
      await mission.bid(1, 1);
      expect((await sums()).covers).to.equal(1);
    });

    it("checks the pool again when the bid is placed", async () => {
      await open([tokens(100), tokens(100), tokens(100)]);
      await cover(0);
      await notice(1);
      await refused(mission.bid(0, 0), "ParticipantLeaving");
      await leave(1);
      await refused(mission.bid(0, 0), "TooFewParticipants");
      await join(1, tokens(100));
      await leave(0);
      await refused(mission.bid(0, 0), "NotParticipant");
    });

    it("does not replace the registration stake", async () => {
      await open([tokens(100), tokens(100), tokens(100)]);
      await cover(0);
      const governor = mission.city.producers.connect(await mission.city.as("ADJUDICATION"));
      await governor.slash(worker(0).address, tokens(9000) + 1n, WHY);
      await refused(mission.bid(0, 0), "StakeBelowMinimum");
    });
  });

  describe("settle", () => {
    const PARTS = [tokens(100) + 1n, tokens(70) + 3n, tokens(40)];

    it("is execution's, within the cover, once", async () => {
      await open([tokens(100), tokens(100), tokens(100)]);
      await cover(0);
      await mission.bid(0, 0);
      const market = pools.connect(await mission.city.as("EXECUTION"));
      const agent = worker(0).address;
      await refused(pools.stand(mission.address, 0, agent, 1), "NotAuthorised");
      await refused(pools.settle(mission.address, 0, agent, 1, 0, WHY, ZeroAddress), "NotAuthorised");
      await refused(market.stand(mission.address, 0, agent, STAKE), "CoverStands");
      await refused(market.settle(mission.address, 0, agent, STAKE + 1n, 0, WHY, ZeroAddress), "CoverExceeded");
      await market.settle(mission.address, 0, agent, tokens(50), tokens(500), WHY, ZeroAddress);
      expect(await coverOf(0)).to.deep.equal([1n, tokens(100)]);
      expect((await sums()).total).to.equal(tokens(250));
      await market.settle(mission.address, 0, agent, tokens(100), 0, WHY, ZeroAddress);
      await refused(market.settle(mission.address, 0, agent, 1, 1, WHY, ZeroAddress), "CoverExceeded");
    });

    it("takes a slash from all in proportion, to the unit, half by the treasury's and half by the insurance's gain", async () => {
      await open(PARTS);
      await routed();
      const { treasury } = mission.city;
      const [free, insurance] = [await treasury.freeBalance(), await treasury.insuranceBalance()];
      const own = (await stakeOf(0)).held;
      await timeOut();
      const shares = divideLoss(tokens(50), PARTS);
      expect(await contributions()).to.deep.equal(PARTS.map((part, i) => part - (shares[i] ?? 0n)));
      expect((await treasury.freeBalance()) - free).to.equal(tokens(25));
      expect((await treasury.insuranceBalance()) - insurance).to.equal(tokens(25));
      expect((await stakeOf(0)).held).to.equal(own);
      expect(await coverOf(0)).to.deep.equal([0n, 0n]);
      expect((await sums()).covers).to.equal(0);
      expect(await mission.city.producers.reputationOf(worker(0).address)).to.be.lessThan(500);
    });

    it("keeps the cover for a slash that waits, and then takes all of it", async () => {
      await open(PARTS);
      await routed();
      await mission.commit(0);
      await mission.clear(0, { result: Result.FAIL });
      await refused(leave(1), "PoolStandsBehindBids");
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      const shares = divideLoss(STAKE, PARTS);
      expect(await contributions()).to.deep.equal(PARTS.map((part, i) => part - (shares[i] ?? 0n)));
      await leave(1);
    });

    it("leaves to the agent what is above the cover", async () => {
      await open(PARTS);
      await cover(0);
      await mission.bid(0, 0);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      const before = (await stakeOf(0)).held;
      await mission.contract.mismatch(...(await mission.otherCode(0)));
      expect((await sums()).total).to.equal(PARTS.reduce((a, b) => a + b) - STAKE);
      expect(before - (await stakeOf(0)).held).to.equal(tokens(350));
    });

    it("finds the money of a banned or frozen participant where it was, and lets it leave with the rest", async () => {
      await open(PARTS);
      await routed();
      const governor = mission.city.producers.connect(await mission.city.as("ADJUDICATION"));
      await governor.ban(worker(1).address, WHY);
      await governor.freezePrincipal(principalOf(2).address, true);
      await timeOut();
      const left = await contributions();
      for (const index of [1, 2]) {
        const before = await mission.city.token.balanceOf(principalOf(index).address);
        await leave(index);
        expect((await mission.city.token.balanceOf(principalOf(index).address)) - before).to.equal(left[index]);
      }
    });

    it("follows a mission of a retired execution procedure", async () => {
      await open(PARTS, { duration: 90 * 86_400 });
      await routed();
      const { constitution } = mission.city;
      const execution = INSTITUTIONS.indexOf("EXECUTION");
      await constitution.connect(await mission.city.as("ADJUDICATION")).setParam(parameterIndex("UNBONDING_PERIOD"), 30 * 86_400, WHY);
      const replacement = await ethers.deployContract("MissionProbe");
      await constitution.connect(await mission.city.as("ADJUDICATION")).amend(execution, replacement, WHY);
      await networkHelpers.time.increase(400 * 86_400);
      await constitution.enact(execution);
      await mission.contract.timeout(0);
      expect((await sums()).total).to.equal(PARTS.reduce((a, b) => a + b) - tokens(50));
    });
  });

  describe("giveNotice, leave and collect", () => {
    it("pays what is left to the principal when the pool stands behind no bid, and not before", async () => {
      await open([tokens(100), tokens(70), tokens(40)]);
      await cover(0);
      await mission.bid(0, 0);
      await refused(leave(2), "PoolStandsBehindBids");
      await refused(pools.connect(manager).leave(POOL, worker(2).address), "NotAuthorised");
      await refused(pools.connect(manager).giveNotice(POOL, worker(2).address), "NotAuthorised");
      await refused(notice(3), "NotParticipant");
      await notice(2);
      await refused(notice(2), "ParticipantLeaving");
      await refused(pools.connect(worker(2)).join(POOL, worker(2).address, 1), "ParticipantLeaving");
      await reopened();
      await mission.city.execution.connect(worker(0)).withdrawBid(mission.address, 0, await direct(0));
      const before = await mission.city.token.balanceOf(principalOf(2).address);
      await expect(pools.connect(manager).leave(POOL, worker(2).address))
        .to.emit(pools, "ParticipantLeft")
        .withArgs(POOL, worker(2).address, tokens(40));
      expect((await mission.city.token.balanceOf(principalOf(2).address)) - before).to.equal(tokens(40));
      await refused(leave(2), "NotParticipant");
      expect(await pools.isAdmitted(POOL, worker(2).address)).to.be.false;
    });

    it("keeps the others' places whoever goes", async () => {
      await open([tokens(10), tokens(20), tokens(30), tokens(40)]);
      for (const index of [0, 2, 3, 1]) {
        await leave(index);
        const left = await pools.participantsOf(POOL);
        for (const { agent, contribution } of left) {
          expect(contribution).to.equal(tokens(10 + 10 * [0, 1, 2, 3].findIndex((i) => worker(i).address === agent)));
        }
        await conserved();
      }
    });

    it("owes whom the token refuses, and holds up nobody for it", async () => {
      await open([tokens(100), tokens(70), tokens(40)]);
      const token = await turnHostile(mission.city);
      const principal = principalOf(1).address;
      await token.block(principal);
      await expect(leave(1)).to.emit(pools, "PaymentHeld").withArgs(principal, tokens(70));
      await leave(0);
      await refused(pools.collect(principalOf(0).address), "NothingToPay");
      await expect(pools.collect(principal)).to.be.revertedWithCustomError(token.contract, "Blocked");
      await token.block(principal, false);
      await expect(pools.collect(principal)).to.emit(pools, "PaymentCollected").withArgs(principal, tokens(70));
    });

    it("are not entered twice through a token that calls back", async () => {
      await open([tokens(100), tokens(70), tokens(40)]);
      const token = await turnHostile(mission.city);
      const again = pools.interface.encodeFunctionData("leave", [POOL, worker(1).address]);
      await notice(1);
      await token.callBack(mission.city.addresses.STAKE_POOL, again);
      const receipt = await (await leave(0)).wait();
      const calls = receipt?.logs
        .flatMap((log) => token.contract.interface.parseLog(log) ?? [])
        .filter(({ name }) => name === "CalledBack");
      expect(calls?.map(({ args }) => args["ok"])).to.deep.equal([false]);
      expect(await pools.coverOf(mission.address, 0, ZeroAddress)).to.deep.equal([0n, 0n]);
    });
  });
});
