/** A token that refuses accounts: who is blocked waits, everybody else is paid. */
import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
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

    it("pays its principal instead", async () => {
      const before = await balanceOf(principal);
      await mission.contract.claim([0]);
      expect((await balanceOf(principal)) - before).to.equal(tokens(97));
      expect(await balanceOf(blocked)).to.equal(0);
      await mission.contract.close();
      expect(await balanceOf(mission.address)).to.equal(0);
    });

    it("with its principal too: the others are paid, what it is owed waits for a later claim", async () => {
      await token.block(principal);
      await expect(mission.contract.claim([0]))
        .to.emit(mission.contract, "PaymentHeld")
        .withArgs(0, 0, blocked, tokens(97));
      for (const other of others) expect(await balanceOf(other)).to.equal(tokens(97));
      expect((await mission.contract.entitlementOf(0, 0)).claimed).to.equal(false);
      const { paid, entitled, fees, insurance } = await mission.contract.ledger();
      expect([paid, entitled, fees, insurance]).to.deep.equal([tokens(194), tokens(97), tokens(6), tokens(3)]);

      // Again in vain, and then in time: nothing is paid twice.
      await mission.contract.claim([0]);
      expect(await balanceOf(mission.address)).to.equal(tokens(97));
      await token.block(blocked, false);
      await mission.contract.claim([0]);
      await mission.contract.claim([0]);
      expect(await balanceOf(blocked)).to.equal(tokens(97));
      for (const other of others) expect(await balanceOf(other)).to.equal(tokens(97));
      const after = await mission.contract.ledger();
      expect([after.paid, after.entitled, after.fees]).to.deep.equal([tokens(291), 0n, tokens(6)]);
      await mission.contract.close();
      expect(await balanceOf(mission.address)).to.equal(0);
    });
  });

  it("closes a mission whose executor it never pays: what is owed stays claimable", async () => {
    mission = await (await (await openMission({ reserve: tokens(5) })).activate()).awardAll();
    await mission.run(0);
    token = await turnHostile(mission.city);
    const { agent } = await mission.executorOf(0);
    const principal = await mission.city.producers.principalOf(agent.address);
    for (const account of [agent.address, principal]) await token.block(account);
    await networkHelpers.time.increase(HOUR);
    await expect(mission.contract.close()).to.be.revertedWithCustomError(mission.contract, "Unsettled");
    await mission.contract.claim([0]);
    const before = await balanceOf(mission.city.sponsor.address);
    await mission.contract.close();
    expect((await balanceOf(mission.city.sponsor.address)) - before).to.equal(tokens(5));
    expect(await balanceOf(mission.address)).to.equal(tokens(97));
    expect(await mission.imbalance()).to.equal("");
    await mission.contract.claim([0]);
    expect(await balanceOf(mission.address)).to.equal(tokens(97));
    await token.block(agent.address, false);
    await mission.contract.claim([0]);
    expect(await balanceOf(agent.address)).to.equal(tokens(97));
    expect((await mission.contract.ledger()).entitled).to.equal(0);
    await expect(mission.contract.close()).to.be.revertedWithCustomError(mission.contract, "NothingToRefund");
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

    it("executors and sponsor are paid; its fees wait, also in a closed mission, for the next claim", async () => {
      const { sponsor, treasury } = mission.city;
      await mission.run(1);
      await networkHelpers.time.increase(HOUR);
      const dues = [tokens(2) - tokens(1), tokens(1)] as const;
      await expect(mission.contract.claim([0])).to.emit(mission.contract, "Claimed");
      expect(await balanceOf(agent)).to.equal(tokens(97));
      const [free, insured] = [await treasury.freeBalance(), await treasury.insuranceBalance()];
      await mission.contract.claim([1]);
      const before = await balanceOf(sponsor.address);
      await mission.contract.close();
      expect((await balanceOf(sponsor.address)) - before).to.equal(tokens(5));
      const waiting = await balanceOf(mission.address);
      expect(waiting).to.be.greaterThanOrEqual(2n * (dues[0] + dues[1]));
      await token.block(mission.city.addresses.TREASURY, false);
      await mission.contract.claim([0]);
      expect(await balanceOf(mission.address)).to.equal(0);
      expect((await treasury.freeBalance()) + (await treasury.insuranceBalance()) - free - insured).to.equal(waiting);
      await mission.contract.claim([0]);
      expect((await treasury.freeBalance()) + (await treasury.insuranceBalance()) - free - insured).to.equal(waiting);
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

    it("gives a blocked verifier's part to the treasury", async () => {
      const [verifier = ""] = await mission.contract.countedOf(0);
      token = await turnHostile(mission.city);
      await token.block(verifier);
      await networkHelpers.time.increase(HOUR);
      const free = await mission.city.treasury.freeBalance();
      await mission.contract.claim([0]);
      expect((await mission.city.treasury.freeBalance()) - free).to.equal(tokens(2));
    });

    it("makes only a blocked sponsor wait for its refund", async () => {
      token = await turnHostile(mission.city);
      const sponsor = mission.city.sponsor.address;
      await token.block(sponsor);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await balanceOf((await executors(1))[0] ?? "")).to.equal(tokens(97));
      await expect(mission.contract.refund()).to.be.revertedWithCustomError(token.contract, "Blocked").withArgs(sponsor);
      await token.block(sponsor, false);
      const before = await balanceOf(sponsor);
      await mission.contract.refund();
      expect((await balanceOf(sponsor)) - before).to.equal(tokens(5));
    });

    it("gives a blocked appellant's bond to insurance: nobody else waits, and nobody gains", async () => {
      const { sponsor, treasury } = mission.city;
      await mission.city.fund(sponsor, mission.address, tokens(10));
      await mission.contract.connect(sponsor).appeal(0, 0, WHY);
      token = await turnHostile(mission.city);
      await token.block(sponsor.address);
      await networkHelpers.time.increase(HOUR + BigInt(UNRESOLVED));
      await expect(mission.contract.claim([0]))
        .to.emit(mission.contract, "BondForfeited")
        .withArgs(0, sponsor.address, tokens(10));
      expect(await balanceOf((await executors(1))[0] ?? "")).to.equal(tokens(97));
      expect(await treasury.insuranceBalance()).to.equal(tokens(11));
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
