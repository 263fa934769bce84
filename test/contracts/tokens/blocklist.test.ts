/** A token that refuses accounts: who is blocked waits, everybody else is paid. */
import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { directly, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";
import { HOUR, type Mission, openMission, TASK } from "../../support/mission-fixture.ts";

const WHY = id("why");
const UNRESOLVED = 7200;
/** Three executors in agreement, 32.333333 of each slot's 33.333333 after fees. */
const SHARED = { ...TASK, tier: 2, redundancy: 3, threshold: 2, budget: tokens(300) };

describe("a token with a blocklist", () => {
  let mission: Mission;
  let token: Awaited<ReturnType<typeof turnHostile>>;
  const balanceOf = (account: string) => mission.city.token.balanceOf(account);
  const executors = async (count: number) =>
    Promise.all(Array.from({ length: count }, async (_, slot) => (await mission.executorOf(0, slot)).agent.address));

  const balanced = async () => expect(await mission.imbalance()).to.equal("");

  describe("when an executor is on it", () => {
    let blocked: string;
    let others: string[];
    let principal: string;

    afterEach(balanced);
    beforeEach(async () => {
      mission = await (await (await openMission({ nodes: [SHARED] })).activate()).awardAll();
      await mission.run(0);
      [blocked = "", ...others] = await executors(3);
      principal = await mission.city.producers.principalOf(blocked);
      token = await turnHostile(mission.city);
      await token.block(blocked);
      await networkHelpers.time.increase(HOUR);
    });

    it("everybody is credited; only it cannot take its pay to itself, and its principal can", async () => {
      const { treasury } = mission.city;
      await mission.contract.claim([0]);
      for (const account of [blocked, ...others]) expect(await treasury.creditOf(account)).to.equal(tokens(97));
      await mission.contract.close();
      expect(await balanceOf(mission.address)).to.equal(0);
      for (const other of others) await treasury.connect(mission.workerOf(other).agent).withdraw(other, other);
      for (const other of others) expect(await balanceOf(other)).to.equal(tokens(97));

      const agent = mission.workerOf(blocked).agent;
      await expect(treasury.connect(agent).withdraw(blocked, blocked)).to.be.revertedWithCustomError(token.contract, "Blocked");
      expect(await treasury.creditOf(blocked)).to.equal(tokens(97));
      const before = await balanceOf(principal);
      await treasury.connect(await mission.city.as(principal)).withdraw(blocked, principal);
      expect((await balanceOf(principal)) - before).to.equal(tokens(97));
      expect(await treasury.creditOf(blocked)).to.equal(0);
    });

    it("with its principal too: its pay waits until a block ends, and is paid once", async () => {
      const { treasury } = mission.city;
      await token.block(principal);
      await mission.contract.claim([0]);
      await mission.contract.close();
      const agent = mission.workerOf(blocked).agent;
      const refused = () =>
        expect(treasury.connect(agent).withdraw(blocked, principal)).to.be.revertedWithCustomError(token.contract, "Blocked");
      await refused();
      await mission.contract.claim([0]);
      await refused();
      await token.block(blocked, false);
      await treasury.connect(agent).withdraw(blocked, blocked);
      expect(await balanceOf(blocked)).to.equal(tokens(97));
      await expect(treasury.connect(agent).withdraw(blocked, blocked)).to.be.revertedWithCustomError(treasury, "NothingToPay");
    });
  });

  describe("when the treasury is on it", () => {
    let agent: string;
    beforeEach(async () => {
      mission = await (await (await openMission({ nodes: [TASK, TASK], reserve: tokens(5) })).activate()).awardAll();
      await mission.run(0);
      agent = (await mission.executorOf(0)).agent.address;
      token = await turnHostile(mission.city);
      await token.block(mission.city.addresses.TREASURY);
    });

    it("claims wait for it, and nothing is lost: a block of the vault itself is the city's to bear", async () => {
      const { sponsor, treasury } = mission.city;
      await mission.run(1);
      await networkHelpers.time.increase(HOUR);
      await expect(mission.contract.claim([0, 1])).to.be.revertedWithCustomError(token.contract, "Blocked");
      const before = await balanceOf(sponsor.address);
      await mission.contract.refund();
      expect((await balanceOf(sponsor.address)) - before).to.equal(tokens(5));
      await token.block(mission.city.addresses.TREASURY, false);
      await mission.contract.claim([0, 1]);
      expect(await treasury.creditOf(agent)).to.be.greaterThanOrEqual(tokens(97));
      await mission.contract.close();
      expect(await balanceOf(mission.address)).to.equal(0);
    });

    it("a slash is taken all the same, and handed over with the next one", async () => {
      const { producers, treasury } = mission.city;
      const [free, insured] = [await treasury.freeBalance(), await treasury.insuranceBalance()];
      await producers.slash(agent, tokens(3), WHY);
      expect((await producers.stakeOf(agent)).held).to.equal(tokens(9997));
      expect((await treasury.freeBalance()) - free).to.equal(0);
      await token.block(mission.city.addresses.TREASURY, false);
      await producers.slash(agent, tokens(1), WHY);
      expect((await treasury.freeBalance()) - free).to.equal(tokens(2));
      expect((await treasury.insuranceBalance()) - insured).to.equal(tokens(2));
    });
  });

  describe("in a mission of one executor", () => {
    afterEach(balanced);
    beforeEach(async () => {
      mission = await (await (await openMission({ reserve: tokens(5) })).activate()).awardAll();
      await mission.run(0);
    });

    it("credits a blocked verifier like the others", async () => {
      const [verifier = ""] = await mission.contract.countedOf(0);
      token = await turnHostile(mission.city);
      await token.block(verifier);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await mission.city.treasury.creditOf(verifier)).to.equal(tokens(1));
    });

    it("makes only a blocked sponsor wait for its refund", async () => {
      token = await turnHostile(mission.city);
      const sponsor = mission.city.sponsor.address;
      await token.block(sponsor);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await mission.city.wealthOf((await executors(1))[0] ?? "")).to.equal(tokens(97));
      await expect(mission.contract.refund()).to.be.revertedWithCustomError(token.contract, "Blocked").withArgs(sponsor);
      await token.block(sponsor, false);
      const before = await balanceOf(sponsor);
      await mission.contract.refund();
      expect((await balanceOf(sponsor)) - before).to.equal(tokens(5));
    });

    it("credits a blocked appellant with its bond: nobody else waits", async () => {
      const { sponsor, treasury } = mission.city;
      await mission.city.fund(sponsor, mission.address, tokens(10));
      await mission.contract.connect(sponsor).appeal(0, 0, WHY, directly(sponsor));
      token = await turnHostile(mission.city);
      await token.block(sponsor.address);
      await networkHelpers.time.increase(HOUR + BigInt(UNRESOLVED));
      await expect(mission.contract.claim([0]))
        .to.emit(mission.contract, "BondReturned")
        .withArgs(0, sponsor.address, tokens(10));
      expect(await treasury.creditOf((await executors(1))[0] ?? "")).to.equal(tokens(97));
      expect(await treasury.creditOf(sponsor.address)).to.equal(tokens(10));
      expect(await treasury.insuranceBalance()).to.equal(tokens(1));
      expect((await mission.contract.ledger()).bonds).to.equal(0);
    });
  });

  it("makes only a blocked principal wait for its stake, and a blocked sponsor for its deposit", async () => {
    const city = await loadCity();
    const [one, two] = [await city.register("one"), await city.register("two")];
    const sponsor = await city.account("sponsor");
    await city.fund(sponsor, city.addresses.LEGISLATION, tokens(800));
    for (const session of [1, 2]) {
      await city.legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress);
      await city.legislation.connect(sponsor).cancel(session);
    }
    for (const { agent } of [one, two]) await city.producers.connect(agent).deregister(agent.address);
    await networkHelpers.time.increase(400 * 86_400);
    token = await turnHostile(city);
    await token.block(one.principal.address);
    await expect(city.producers.withdrawStake(one.agent.address)).to.be.revertedWithCustomError(token.contract, "Blocked");
    await city.producers.withdrawStake(two.agent.address);
    expect(await city.token.balanceOf(two.principal.address)).to.equal(tokens(5000));
    expect((await city.producers.stakeOf(one.agent.address)).held).to.equal(tokens(5000));
    await token.block(sponsor.address);
    await expect(city.legislation.withdraw(1)).to.be.revertedWithCustomError(token.contract, "Blocked");
    await token.block(sponsor.address, false);
    const { deposit } = await city.legislation.sessionOf(1);
    for (const session of [1, 2]) await city.legislation.withdraw(session);
    expect(await city.token.balanceOf(sponsor.address)).to.equal(2n * deposit);
  });
});
