import { expect } from "chai";
import { id, type Wallet } from "ethers";
import fc from "fast-check";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { type City, keyOf, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { openMission } from "../../support/mission-fixture.ts";

const WHY = id("fees");
const BUCKET = 30n * 86_400n;

describe("Treasury", () => {
  let city: City;
  let contract: City["treasury"];
  let giver: Wallet;
  const agent = keyOf("agent").address;
  const principal = keyOf("principal").address;

  beforeEach(async () => {
    city = await loadCity();
    contract = city.treasury;
    giver = await city.account("giver");
    await city.fund(giver, city.addresses.TREASURY, 10n ** 12n);
  });

  const give = (fees: bigint, insurance = 0n) => contract.connect(giver).deposit(fees, insurance, WHY);

  describe("deposit", () => {
    it("takes both parts from the caller into their pools", async () => {
      const call = give(100n, 30n);
      await expect(call).to.emit(contract, "FeesReceived").withArgs(giver.address, 100, WHY);
      await expect(call).to.emit(contract, "InsuranceReceived").withArgs(giver.address, 30, WHY);
      await give(1n);
      await give(0n, 2n);
      expect(await contract.freeBalance()).to.equal(101);
      expect(await contract.insuranceBalance()).to.equal(32);
      expect(await city.token.balanceOf(city.addresses.TREASURY)).to.equal(133);
      expect(await contract.inflowAt(await city.now())).to.deep.equal([101n, 0n, 0n]);
    });

    it("records nothing that does not come", async () => {
      const poor = await city.account("poor");
      await expect(contract.connect(poor).deposit(1, 1, WHY)).to.be.revertedWithCustomError(city.token, "ERC20InsufficientAllowance");
      expect(await contract.freeBalance()).to.equal(0);
    });
  });

  describe("payPremium", () => {
    it("belongs to genuine missions", async () => {
      await give(1000n);
      await expect(contract.connect(giver).payPremium(agent, principal, 1))
        .to.be.revertedWithCustomError(contract, "NotMission")
        .withArgs(giver.address);
    });

    it("pays what is wanted below every cap", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      await expect(mission.payPremium(city.addresses.TREASURY, agent, principal, 60))
        .to.emit(contract, "PremiumPaid")
        .withArgs(mission.address, agent, 60, 60);
      expect(await city.token.balanceOf(agent)).to.equal(60);
      expect(await contract.freeBalance()).to.equal(940);
      expect(await contract.inflowAt(await city.now())).to.deep.equal([1000n, 60n, 0n]);
    });

    it("pays a principal a tenth of the bucket's inflow at most, all of them half", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      for (let i = 0; i < 6; i++) {
        const owner = keyOf(`principal ${i}`).address;
        for (const left of [70n, 30n, 0n]) {
          await expect(mission.payPremium(city.addresses.TREASURY, agent, owner, 70))
            .to.emit(contract, "PremiumPaid")
            .withArgs(mission.address, agent, 70, i < 5 ? left : 0n);
        }
      }
      expect(await city.token.balanceOf(agent)).to.equal(500);
    });

    it("starts again in the next bucket, on that bucket's inflow", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      const next = ((await city.now()) / BUCKET + 1n) * BUCKET;
      await networkHelpers.time.increaseTo(next);
      await mission.payPremium(city.addresses.TREASURY, agent, principal, 10);
      expect(await city.token.balanceOf(agent)).to.equal(0);
      await give(200n);
      await mission.payPremium(city.addresses.TREASURY, agent, principal, 100);
      expect(await city.token.balanceOf(agent)).to.equal(20);
      expect(await contract.inflowAt(next - 1n)).to.deep.equal([1000n, 0n, 0n]);
      expect(await contract.inflowAt(next)).to.deep.equal([200n, 20n, 0n]);
    });

    it("never pays when a cap is zero, and never reverts for want of money", async () => {
      const mission = await city.probe(1);
      await mission.payPremium(city.addresses.TREASURY, agent, principal, 2n ** 64n - 1n);
      await give(1000n);
      await city.constitution.setParam(parameterIndex("PRINCIPAL_SUBSIDY_SHARE"), 0, WHY);
      await mission.payPremium(city.addresses.TREASURY, agent, principal, 1);
      expect(await city.token.balanceOf(agent)).to.equal(0);
    });

    it("never touches insurance: tokens held = free + insurance, whatever happens", async () => {
      const mission = await city.probe(1);
      const step = fc.oneof(
        fc.record({ fees: fc.bigInt(0n, 10_000n), insurance: fc.bigInt(0n, 10_000n) }),
        fc.record({ owner: fc.nat(3), wanted: fc.bigInt(0n, 5_000n) }),
      );
      let insurance = 0n;
      await fc.assert(
        fc.asyncProperty(step, async (action) => {
          if ("fees" in action) {
            await give(action.fees, action.insurance);
            insurance += action.insurance;
          } else {
            const owner = keyOf(`principal ${action.owner}`).address;
            await mission.payPremium(city.addresses.TREASURY, agent, owner, action.wanted);
          }
          expect(await contract.insuranceBalance()).to.equal(insurance);
          expect(await city.token.balanceOf(city.addresses.TREASURY)).to.equal((await contract.freeBalance()) + insurance);
          const [inflow, premiums] = await contract.inflowAt(await city.now());
          expect(premiums <= inflow / 2n).to.equal(true);
        }),
        { seed: 7, numRuns: 80, endOnFailure: true },
      );
    });
  });

  describe("claimInsurance", () => {
    const insured = async () => {
      const mission = await (await (await openMission()).activate()).awardAll();
      const { treasury, sponsor } = mission.city;
      await mission.city.fund(sponsor, mission.city.addresses.TREASURY, tokens(1000));
      await treasury.connect(sponsor).deposit(0, tokens(150), WHY);
      return { mission, treasury, executor: (await mission.executorOf(0)).agent.address };
    };

    it("compensates an executor, at most the mission's deposit and what is insured", async () => {
      const { mission, treasury, executor } = await insured();
      await expect(treasury.claimInsurance(mission.address, executor, tokens(101), WHY))
        .to.be.revertedWithCustomError(treasury, "CapExceeded")
        .withArgs(tokens(100), tokens(101));
      await expect(treasury.claimInsurance(mission.address, executor, tokens(60), WHY))
        .to.emit(treasury, "InsuranceClaimed")
        .withArgs(mission.address, executor, tokens(60), WHY);
      expect(await mission.city.token.balanceOf(executor)).to.equal(tokens(60));
      expect(await treasury.insuranceBalance()).to.equal(tokens(90));
      expect(await treasury.claimedIn(mission.address)).to.equal(tokens(60));
      await expect(treasury.claimInsurance(mission.address, executor, tokens(41), WHY))
        .to.be.revertedWithCustomError(treasury, "CapExceeded")
        .withArgs(tokens(40), tokens(41));
      await treasury.claimInsurance(mission.address, executor, tokens(40), WHY);
    });

    it("knows genuine missions, their executors, and real losses", async () => {
      const { mission, treasury, executor } = await insured();
      await expect(treasury.claimInsurance(mission.address, executor, 0, WHY)).to.be.revertedWithCustomError(treasury, "NothingToPay");
      await expect(treasury.claimInsurance(executor, executor, 1, WHY))
        .to.be.revertedWithCustomError(treasury, "NotMission")
        .withArgs(executor);
      await expect(treasury.claimInsurance(mission.address, mission.city.sponsor.address, 1, WHY))
        .to.be.revertedWithCustomError(treasury, "NotInsured")
        .withArgs(mission.address, mission.city.sponsor.address);
    });

    it("is the governor's", async () => {
      await expect(contract.connect(giver).claimInsurance(agent, agent, 1, WHY))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(giver.address);
    });
  });

  describe("compensate", () => {
    it("is the roster's, and with disbursements at most a fifth of what came in", async () => {
      const roster = contract.connect(await city.as("ROSTER"));
      await expect(contract.compensate(agent, 1)).to.be.revertedWithCustomError(contract, "NotRoster");
      await give(tokens(300));
      await contract.disburse(0, agent, tokens(40), WHY);
      await expect(roster.compensate(agent, tokens(50)))
        .to.emit(contract, "Compensated")
        .withArgs(agent, tokens(50), tokens(20));
      await expect(roster.compensate(agent, 1)).to.be.revertedWithCustomError(contract, "NothingToPay");
      expect(await city.token.balanceOf(agent)).to.equal(tokens(60));
      expect(await contract.freeBalance()).to.equal(tokens(240));
    });
  });

  describe("disburse", () => {
    const [GOVERNANCE, INSURANCE, GAS_SUBSIDY] = [0, 1, 2];
    const over = (purpose: number, to: string, amount: bigint | number) =>
      expect(contract.disburse(purpose, to, amount, WHY)).to.be.revertedWithCustomError(contract, "CapExceeded");

    it("pays an adjudicator's work up to the compensation of the constitution, and a fifth of what came in", async () => {
      await give(tokens(300));
      await over(GOVERNANCE, agent, tokens(50) + 1n);
      await expect(contract.disburse(GOVERNANCE, agent, tokens(50), WHY))
        .to.emit(contract, "Disbursed")
        .withArgs(GOVERNANCE, agent, tokens(50), WHY);
      expect(await city.token.balanceOf(agent)).to.equal(tokens(50));
      await contract.disburse(GOVERNANCE, agent, tokens(10), WHY);
      await over(GOVERNANCE, agent, 1);
      expect(await contract.inflowAt(await city.now())).to.deep.equal([tokens(300), 0n, tokens(60)]);
      await networkHelpers.time.increase(30 * 86_400);
      await over(GOVERNANCE, agent, 1);
    });

    it("turns fees into insurance without a token leaving", async () => {
      await give(100n);
      await expect(contract.disburse(INSURANCE, agent, 70, WHY))
        .to.be.revertedWithCustomError(contract, "WrongRecipient")
        .withArgs(agent);
      await contract.disburse(INSURANCE, city.addresses.TREASURY, 70, WHY);
      expect([await contract.freeBalance(), await contract.insuranceBalance()]).to.deep.equal([30n, 70n]);
      expect(await city.token.balanceOf(city.addresses.TREASURY)).to.equal(100);
      await over(INSURANCE, city.addresses.TREASURY, 31);
      await expect(contract.disburse(GAS_SUBSIDY, city.addresses.TREASURY, 1, WHY)).to.be.revertedWithCustomError(
        contract,
        "WrongRecipient",
      );
    });

    it("subsidises gas from the same half of the inflow as premiums", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      await mission.payPremium(city.addresses.TREASURY, agent, principal, 100);
      await over(GAS_SUBSIDY, agent, 401);
      await contract.disburse(GAS_SUBSIDY, agent, 400, WHY);
      await mission.payPremium(city.addresses.TREASURY, agent, keyOf("another").address, 100);
      expect(await city.token.balanceOf(agent)).to.equal(500);
    });

    it("is the governor's, and about something", async () => {
      await expect(contract.connect(giver).disburse(GOVERNANCE, agent, 1, WHY)).to.be.revertedWithCustomError(contract, "NotGovernor");
      await expect(contract.disburse(GOVERNANCE, agent, 0, WHY)).to.be.revertedWithCustomError(contract, "NothingToPay");
    });
  });
});
