import { expect } from "chai";
import { id, type Wallet } from "ethers";
import fc from "fast-check";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { type City, keyOf, loadCity, networkHelpers } from "../../support/city-fixture.ts";

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
      expect(await contract.inflowAt(await city.now())).to.deep.equal([101n, 0n]);
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
      expect(await contract.inflowAt(await city.now())).to.deep.equal([1000n, 60n]);
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
      expect(await contract.inflowAt(next - 1n)).to.deep.equal([1000n, 0n]);
      expect(await contract.inflowAt(next)).to.deep.equal([200n, 20n]);
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
});
