/** A token that keeps a part of each transfer: refused where somebody pays in, harmless where money leaves. */
import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { type City, directly, keyOf, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { solvency, turnHostile } from "../../support/hostile-token.ts";
import { HOUR, openMission } from "../../support/mission-fixture.ts";
import { outcomeOf } from "../../support/outcomes.ts";

const WHY = id("why");
const ONE_PERCENT = 100;

describe("a token with a fee on transfer", () => {
  describe("is refused when", () => {
    let city: City;
    const short = (call: Promise<unknown>, from: string, wanted: bigint) =>
      expect(call)
        .to.be.revertedWithCustomError(city.producers, "Shortfall")
        .withArgs(from, wanted, (wanted * 99n) / 100n);
    const charging = async () => (await turnHostile(city)).chargeFee(ONE_PERCENT);

    beforeEach(async () => {
      city = await loadCity();
    });

    it("an agent is registered or its stake topped up", async () => {
      const { agent, principal } = await city.register("before");
      await city.fund(principal, city.addresses.PRODUCERS, tokens(20_000));
      const { message, did, byPrincipal, byAgent } = await city.binding(await city.account("after"), principal);
      await charging();
      await short(city.producers.register(message, did, byPrincipal, byAgent), principal.address, tokens(5000));
      await short(city.producers.connect(principal).topUpStake(agent.address, tokens(100)), principal.address, tokens(100));
      expect((await city.producers.stakeOf(agent.address)).held).to.equal(tokens(5000));
    });

    it("an adjudicator is seated", async () => {
      const judge = await city.account("judge");
      await city.fund(judge, city.addresses.ROSTER, tokens(5000));
      await charging();
      await short(city.roster.seat(judge.address, keyOf("judge's principal").address), judge.address, tokens(5000));
      expect(await city.roster.activeCount()).to.equal(0);
    });

    it("a session is opened", async () => {
      const sponsor = await city.account("sponsor");
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(400));
      await charging();
      await short(city.legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress), sponsor.address, tokens(400));
      expect(await city.token.balanceOf(sponsor.address)).to.equal(tokens(400));
    });

    it("an appeal's bond is posted", async () => {
      const mission = await (await (await openMission()).activate()).awardAll();
      city = mission.city;
      await mission.run(0);
      const { sponsor } = mission.city;
      await city.fund(sponsor, mission.address, tokens(10));
      await charging();
      await short(mission.contract.connect(sponsor).appeal(0, 0, WHY, directly(sponsor)), sponsor.address, tokens(10));
      expect((await mission.contract.ledger()).bonds).to.equal(0);
    });

    it("a mission is funded", async () => {
      const unfunded = await openMission();
      const token = await turnHostile(unfunded.city);
      await token.rebase(unfunded.address, tokens(99));
      await expect(unfunded.contract.connect(unfunded.legislature).activate())
        .to.be.revertedWithCustomError(unfunded.contract, "Underfunded")
        .withArgs(tokens(100), tokens(99));
    });
  });

  it("gives the treasury what arrives, insurance first, and no more is booked", async () => {
    const city = await loadCity();
    const donor = await city.account("donor");
    await city.fund(donor, city.addresses.TREASURY, tokens(150));
    await (await turnHostile(city)).chargeFee(1000);
    await city.treasury.connect(donor).deposit(tokens(100), tokens(50), WHY);
    expect([await city.treasury.freeBalance(), await city.treasury.insuranceBalance()]).to.deep.equal([tokens(85), tokens(50)]);
    const { pools } = await solvency(city, []);
    expect(pools.held).to.equal(pools.owed);
  });

  it("costs the treasury and whoever withdraws, once it begins, and nobody else: the books stay covered", async () => {
    const mission = await (await (await openMission()).activate()).awardAll();
    const { city } = mission;
    await mission.run(0);
    const { agent } = await mission.executorOf(0);
    const [verifier = ""] = await mission.contract.countedOf(0);
    const free = await city.treasury.freeBalance();
    await (await turnHostile(city)).chargeFee(ONE_PERCENT);
    await networkHelpers.time.increase(HOUR);
    await mission.contract.claim([0]);
    await mission.contract.close();
    // 100 were sent to the vault and 99 arrived: no credit is short, the fee of 1.00 is.
    expect([await city.treasury.creditOf(agent.address), await city.treasury.creditOf(verifier)]).to.deep.equal([tokens(97), tokens(1)]);
    expect([await city.treasury.freeBalance(), await city.treasury.insuranceBalance()]).to.deep.equal([free, tokens(1)]);
    await city.treasury.connect(agent).withdraw(agent.address, agent.address);
    expect(await city.token.balanceOf(agent.address)).to.equal(96_030_000n);
    expect(await city.token.balanceOf(mission.address)).to.equal(0);
    const agents = [...city.workers.map((worker) => worker.agent.address), ...city.verifiers.keys()];
    const { stakes, pools } = await solvency(city, agents);
    expect([stakes.held, pools.held]).to.deep.equal([stakes.owed, pools.owed]);
  });

  it("does not keep a stake from being slashed: what arrives is booked", async () => {
    const city = await loadCity();
    const { agent } = await city.register("agent");
    await (await turnHostile(city)).chargeFee(ONE_PERCENT);
    const execution = city.producers.connect(await city.as("EXECUTION"));
    await execution.settle(outcomeOf(agent.address), tokens(50), ZeroAddress);
    expect((await city.producers.stakeOf(agent.address)).held).to.equal(tokens(4950));
    expect([await city.treasury.freeBalance(), await city.treasury.insuranceBalance()]).to.deep.equal([24_500_000n, tokens(25)]);
    const { stakes, pools } = await solvency(city, [agent.address]);
    expect([stakes.held, pools.held]).to.deep.equal([stakes.owed, pools.owed]);
  });
});
