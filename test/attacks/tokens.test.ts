/** A settlement token that keeps a part, lies, says nothing, refuses accounts, or changes balances: none of it is paid for by others. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { type City, directly, keyOf, loadCity, networkHelpers, tokens } from "../support/city-fixture.ts";
import { solvency, turnHostile, turnSilent } from "../support/hostile-token.ts";
import { HOUR, type Mission, MissionState, openMission, TASK } from "../support/mission-fixture.ts";
import { attempt } from "./attempt.ts";

const WHY = id("why");
const ONE_PERCENT = 100;
const LONG = 400 * 86_400;
const SHARED = { ...TASK, tier: 2, redundancy: 3, threshold: 2, budget: tokens(300) };

describe("attacks with the token", () => {
  describe("that keeps a part", () => {
    let city: City;
    beforeEach(async () => {
      city = await loadCity();
    });

    it("a session is opened with more than arrived", async () => {
      const sponsor = await city.account("sponsor");
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(400));
      await (await turnHostile(city)).chargeFee(ONE_PERCENT);
      await attempt(city.legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress));
      const { deposit } = await city.legislation.sessionOf(1);
      expect(deposit <= (await city.token.balanceOf(city.addresses.LEGISLATION))).to.equal(true);
    });

    it("an agent is registered with more than arrived", async () => {
      const [agent, principal] = [await city.account("agent"), await city.account("principal")];
      await city.fund(principal, city.addresses.PRODUCERS, tokens(5000));
      const { message, did, byPrincipal, byAgent } = await city.binding(agent, principal);
      await (await turnHostile(city)).chargeFee(ONE_PERCENT);
      await attempt(city.producers.register(message, did, byPrincipal, byAgent));
      const { stakes } = await solvency(city, [agent.address]);
      expect(stakes.owed <= stakes.held, `${stakes.owed} booked, ${stakes.held} held`).to.equal(true);
    });

    it("an adjudicator is seated with more than arrived", async () => {
      const judge = await city.account("judge");
      await city.fund(judge, city.addresses.ROSTER, tokens(5000));
      await (await turnHostile(city)).chargeFee(ONE_PERCENT);
      await attempt(city.roster.seat(judge.address, keyOf("judge's principal").address));
      expect((await city.roster.stakeOf(judge.address)) <= (await city.token.balanceOf(city.addresses.ROSTER))).to.equal(true);
    });

    it("the treasury books more than arrived", async () => {
      const giver = await city.account("giver");
      await city.fund(giver, city.addresses.TREASURY, tokens(100));
      await (await turnHostile(city)).chargeFee(ONE_PERCENT);
      await attempt(city.treasury.connect(giver).deposit(tokens(100), 0, WHY));
      const { pools } = await solvency(city, []);
      expect(pools.owed <= pools.held, `${pools.owed} booked, ${pools.held} held`).to.equal(true);
    });
  });

  it("a deposit is struck off the books although the token only says that it moved nothing", async () => {
    const city = await loadCity();
    const sponsor = await city.account("sponsor");
    await city.fund(sponsor, city.addresses.LEGISLATION, tokens(400));
    await city.legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress);
    await city.legislation.connect(sponsor).cancel(1);
    const { deposit } = await city.legislation.sessionOf(1);
    await (await turnHostile(city)).lie(true);
    await attempt(city.legislation.withdraw(1));
    expect((await city.legislation.sessionOf(1)).deposit).to.equal(deposit);
  });

  it("a token that answers nothing keeps a stake for ever", async () => {
    const city = await loadCity();
    const { agent, principal } = await city.register("agent");
    await city.producers.connect(agent).deregister(agent.address);
    await networkHelpers.time.increase(LONG);
    await turnSilent(city);
    await attempt(city.producers.withdrawStake(agent.address));
    expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
  });

  it("a mission starts with less than its law spends, because balances shrank", async () => {
    const mission = await openMission();
    await (await turnHostile(mission.city)).rebase(mission.address, tokens(99));
    await attempt(mission.activate());
    expect(await mission.contract.state()).to.equal(MissionState.PENDING);
  });

  it("a claim of a token that begins to keep a part is credited in full, at the cost of those who were credited before", async () => {
    const mission = await (await (await openMission({ nodes: [TASK, TASK] })).activate()).awardAll();
    const { city } = mission;
    for (const node of [0, 1]) await mission.run(node);
    await networkHelpers.time.increase(HOUR);
    await mission.contract.claim([0]);
    await (await turnHostile(city)).chargeFee(1000);
    await attempt(mission.contract.claim([1]));
    const { pools } = await solvency(city, []);
    expect(pools.owed <= pools.held, `${pools.owed} owed, ${pools.held} held`).to.equal(true);
  });

  describe("that refuses accounts", () => {
    let mission: Mission;
    const wealthOf = (account: string) => mission.city.wealthOf(account);
    const cleared = async (node: typeof TASK) => {
      mission = await (await (await openMission({ nodes: [node] })).activate()).awardAll();
      await mission.run(0);
    };
    const executor = async (slot = 0) => (await mission.executorOf(0, slot)).agent.address;

    it("an executor has itself blocked, and nobody of its node is paid", async () => {
      await cleared(SHARED);
      const [first, second] = [await executor(0), await executor(1)];
      const token = await turnHostile(mission.city);
      for (const account of [first, await mission.city.producers.principalOf(first)]) await token.block(account);
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      expect(await wealthOf(second)).to.equal(tokens(97));
    });

    it("a verifier has itself blocked, and the executor is not paid", async () => {
      await cleared(TASK);
      const [verifier = ""] = await mission.contract.countedOf(0);
      await (await turnHostile(mission.city)).block(verifier);
      await networkHelpers.time.increase(HOUR);
      await attempt(mission.contract.claim([0]));
      expect(await wealthOf(await executor())).to.equal(tokens(97));
    });

    it("an appellant has itself blocked, and its bond holds up the node for ever", async () => {
      await cleared(TASK);
      const { sponsor } = mission.city;
      await mission.city.fund(sponsor, mission.address, tokens(10));
      await mission.contract.connect(sponsor).appeal(0, 0, WHY, directly(sponsor));
      await (await turnHostile(mission.city)).block(sponsor.address);
      await networkHelpers.time.increase(3 * Number(HOUR));
      await attempt(mission.contract.claim([0]));
      expect(await wealthOf(await executor())).to.equal(tokens(97));
    });

    it("whoever blocks the treasury keeps every cheat from being slashed", async () => {
      const city = await loadCity();
      const { agent } = await city.register("agent");
      await (await turnHostile(city)).block(city.addresses.TREASURY);
      await attempt(city.producers.slash(agent.address, tokens(3), WHY));
      expect((await city.producers.stakeOf(agent.address)).held).to.equal(tokens(4997));
    });

    it("whoever blocks the treasury keeps a sponsor from cancelling", async () => {
      const city = await loadCity();
      const sponsor = await city.account("sponsor");
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(400));
      await city.legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress);
      const token = await turnHostile(city);
      await token.block(city.addresses.TREASURY);
      await attempt(city.legislation.connect(sponsor).cancel(1));
      await attempt(city.legislation.withdraw(1));
      expect(await city.token.balanceOf(sponsor.address)).to.equal(tokens(390));
      await token.block(city.addresses.TREASURY, false);
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(100));
      await city.legislation.connect(sponsor).openSession(WHY, tokens(100), ZeroAddress);
      await city.legislation.connect(sponsor).cancel(2);
      expect(await city.treasury.freeBalance()).to.equal(tokens(20));
    });

    it("whoever blocks the treasury keeps an adjudicator in its seat", async () => {
      const city = await loadCity();
      const [judge] = await city.seatAdjudicators(3);
      const token = await turnHostile(city);
      await token.block(city.addresses.TREASURY);
      await attempt(city.roster.impeach(judge?.address ?? "", WHY));
      expect(await city.roster.isActive(judge?.address ?? "")).to.equal(false);
    });

    it("a treasury that was blocked once never gets another slash", async () => {
      const city = await loadCity();
      const { agent } = await city.register("agent");
      const { treasury, addresses } = city;
      const token = await turnHostile(city);
      await token.beStrict();
      await token.block(addresses.TREASURY);
      await city.producers.slash(agent.address, tokens(3), WHY);
      await token.block(addresses.TREASURY, false);
      await attempt(city.producers.slash(agent.address, tokens(1), WHY));
      const had = async () => (await treasury.freeBalance()) + (await treasury.insuranceBalance());
      expect(await had()).to.equal(tokens(4));
      // And what waited is not owed again.
      await city.producers.slash(agent.address, tokens(1), WHY);
      expect(await had()).to.equal(tokens(5));
    });

    it("a participant has itself blocked, and its pool can never be left", async () => {
      mission = await (await openMission()).activate();
      const { city } = mission;
      const [manager, { agent }] = [await city.account("pool manager"), mission.worker(0)];
      await city.pools.connect(manager).openPool();
      await city.pools.connect(manager).admit(1, agent.address);
      await city.fund(agent, city.addresses.STAKE_POOL, tokens(70));
      await city.pools.connect(agent).join(1, agent.address, tokens(70));
      await city.pools.connect(agent).giveNotice(1, agent.address);
      await (await turnHostile(city)).block(await city.producers.principalOf(agent.address));
      await attempt(city.pools.connect(manager as Wallet).leave(1, agent.address));
      expect((await city.pools.poolOf(1)).leaving).to.equal(0);
    });
  });
});
