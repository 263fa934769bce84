import { expect } from "chai";
import { id, type Wallet } from "ethers";
import fc from "fast-check";
import { getAddress } from "viem";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { packPayment } from "../../../orchestrator/rules/payments.ts";
import { type City, ethers, Kind, keyOf, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { openMission } from "../../support/mission-fixture.ts";

const WHY = id("fees");
const BUCKET = 30n * 86_400n;

describe("Treasury", () => {
  let city: City;
  let contract: City["treasury"];
  let giver: Wallet;
  const agent = keyOf("agent").address;

  beforeEach(async () => {
    city = await loadCity();
    contract = city.treasury;
    giver = await city.account("giver");
    await city.fund(giver, city.addresses.TREASURY, 10n ** 12n);
  });

  const give = (fees: bigint, insurance = 0n) => contract.connect(giver).deposit(fees, insurance, WHY);

  type Probe = Awaited<ReturnType<City["probe"]>>;
  const paymentTo = (account: string, amount: bigint, psi = 1000) =>
    packPayment({ account: getAddress(account), amount, psi, node: 0, place: 0 });
  /** The mission sends so much, and has these payments credited. */
  const settle = async (mission: Probe, sent: bigint, ...payments: bigint[]) => {
    await city.token.mint(mission.address, sent);
    return mission.settle(city.addresses.TREASURY, city.addresses.TOKEN, sent, payments);
  };
  /** The tenfold is paid, at ψ = 1.1. */
  const premium = (mission: Probe, account: string, wanted: bigint) =>
    settle(mission, 10n * wanted, paymentTo(account, 10n * wanted, 1100));

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

  describe("settle", () => {
    it("belongs to genuine missions", async () => {
      await give(1000n);
      await expect(contract.connect(giver).settle([], 0, 0, WHY))
        .to.be.revertedWithCustomError(contract, "NotMission")
        .withArgs(giver.address);
    });

    it("credits whom the mission paid, by account, and nobody's wallet", async () => {
      const mission = await city.probe(1);
      const stranger = keyOf("stranger").address;
      await expect(settle(mission, 30n, paymentTo(stranger, 20n), paymentTo(stranger, 10n)))
        .to.emit(contract, "Credited")
        .withArgs(mission.address, 30, 0);
      expect(await contract.creditOf(stranger)).to.equal(30);
      expect(await contract.credits()).to.equal(30);
      expect(await city.token.balanceOf(stranger)).to.equal(0);
    });

    it("takes no word for money that did not come: what is missing is missing in no credit", async () => {
      const mission = await city.probe(1);
      await give(1000n, 500n);
      await expect(settle(mission, 29n, paymentTo(keyOf("stranger").address, 30n)))
        .to.be.revertedWithCustomError(contract, "Unbacked")
        .withArgs(1529, 1530);
      await settle(mission, 30n, paymentTo(keyOf("stranger").address, 30n));
      const itself = contract.connect(await city.as(mission.address));
      await city.token.mint(contract.target, 15n);
      await itself.settle([paymentTo(keyOf("stranger").address, 1n)], 10, 10, WHY);
      expect([await contract.freeBalance(), await contract.insuranceBalance(), await contract.credits()]).to.deep.equal([1004n, 510n, 31n]);
    });

    it("adds the premium that ψ asks for, below every cap, out of fees", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      const { agent: executor } = await city.register("executor");
      await expect(premium(mission, executor.address, 60n))
        .to.emit(contract, "Credited")
        .withArgs(mission.address, 660, 60);
      expect(await contract.creditOf(executor.address)).to.equal(660);
      expect(await contract.freeBalance()).to.equal(940);
      expect(await contract.inflowAt(await city.now())).to.deep.equal([1000n, 60n, 0n]);
    });

    it("pays a principal a tenth of the bucket's inflow at most, all of them half", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      for (let i = 0; i < 6; i++) {
        const { agent: executor, principal } = await city.register(`executor ${i}`);
        const { agent: other } = await city.register(`other ${i}`, { principal });
        for (const [one, left] of [
          [executor, 70n],
          [other, 30n],
          [executor, 0n],
        ] as const) {
          const paid = i < 5 ? left : 0n;
          await expect(premium(mission, one.address, 70n))
            .to.emit(contract, "Credited")
            .withArgs(mission.address, 700n + paid, paid);
        }
      }
      expect(await contract.freeBalance()).to.equal(500);
    });

    it("starts again in the next bucket, on that bucket's inflow", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      const { agent: executor } = await city.register("executor");
      await premium(mission, executor.address, 10n);
      const next = ((await city.now()) / BUCKET + 1n) * BUCKET;
      await networkHelpers.time.increaseTo(next);
      await premium(mission, executor.address, 10n);
      expect(await contract.creditOf(executor.address)).to.equal(210);
      await give(200n);
      await premium(mission, executor.address, 100n);
      expect(await contract.creditOf(executor.address)).to.equal(1230);
      expect(await contract.inflowAt(next - 1n)).to.deep.equal([1000n, 10n, 0n]);
      expect(await contract.inflowAt(next)).to.deep.equal([200n, 20n, 0n]);
    });

    it("adds nothing when a cap is zero, and never reverts for want of money", async () => {
      const mission = await city.probe(1);
      const { agent: executor } = await city.register("executor");
      await premium(mission, executor.address, 1_000_000n);
      await give(1000n);
      await city.constitution.setParam(parameterIndex("PRINCIPAL_SUBSIDY_SHARE"), 0, WHY);
      await premium(mission, executor.address, 1n);
      expect(await contract.creditOf(executor.address)).to.equal(10_000_010);
    });

    it("never touches insurance or a credit: tokens held = free + insurance + credits, whatever happens", async () => {
      const mission = await city.probe(1);
      const executors = await Promise.all([0, 1, 2, 3].map(async (i) => keyOf(`executor ${i}`)));
      for (let i = 0; i < executors.length; i++) await city.register(`executor ${i}`);
      const step = fc.oneof(
        fc.record({ fees: fc.bigInt(0n, 10_000n), insurance: fc.bigInt(0n, 10_000n) }),
        fc.record({ owner: fc.nat(3), wanted: fc.bigInt(1n, 5_000n) }),
        fc.record({ leaver: fc.nat(3) }),
      );
      let insurance = 0n;
      await fc.assert(
        fc.asyncProperty(step, async (action) => {
          if ("fees" in action) {
            await give(action.fees, action.insurance);
            insurance += action.insurance;
          } else if ("owner" in action) {
            await premium(mission, executors[action.owner]?.address ?? "", action.wanted);
          } else {
            const leaver = executors[action.leaver] as Wallet;
            const owed = await contract.creditOf(leaver.address);
            const before = await city.token.balanceOf(leaver.address);
            if (owed > 0n) await contract.connect(leaver).withdraw(leaver.address, leaver.address);
            expect((await city.token.balanceOf(leaver.address)) - before).to.equal(owed);
          }
          expect(await contract.insuranceBalance()).to.equal(insurance);
          const credits = await Promise.all(executors.map((executor) => contract.creditOf(executor.address)));
          expect(await contract.credits()).to.equal(credits.reduce((sum, credit) => sum + credit, 0n));
          const owed = (await contract.freeBalance()) + insurance + (await contract.credits());
          expect(await city.token.balanceOf(city.addresses.TREASURY)).to.equal(owed);
          const [inflow, premiums] = await contract.inflowAt(await city.now());
          expect(premiums <= inflow / 2n).to.equal(true);
        }),
        { seed: 7, numRuns: 80, endOnFailure: true },
      );
    });
  });

  describe("withdraw", () => {
    let one: Wallet;
    let owner: Wallet;
    const payee = keyOf("payee").address;
    const refused = (call: Promise<unknown>, error: string, ...args: unknown[]) =>
      expect(call)
        .to.be.revertedWithCustomError(contract, error)
        .withArgs(...args);

    beforeEach(async () => {
      ({ agent: one, principal: owner } = await city.register("one"));
      await settle(await city.probe(1), 90n, paymentTo(one.address, 60n), paymentTo(giver.address, 30n));
    });

    it("sends all of it where the account, or the principal that answers for it, says", async () => {
      await expect(contract.connect(one).withdraw(one.address, payee))
        .to.emit(contract, "Withdrawn")
        .withArgs(one.address, one.address, payee, 60);
      expect([await city.token.balanceOf(payee), await contract.creditOf(one.address), await contract.credits()]).to.deep.equal([
        60n,
        0n,
        30n,
      ]);
      await refused(contract.connect(one).withdraw(one.address, payee), "NothingToPay");
      await settle(await city.probe(2), 5n, paymentTo(one.address, 5n));
      await contract.connect(owner).withdraw(one.address, owner.address);
      expect(await city.token.balanceOf(owner.address)).to.equal(5);
    });

    it("is an account's own, registered or not", async () => {
      await refused(contract.connect(giver).withdraw(one.address, giver.address), "NotAuthorised", giver.address);
      await refused(contract.connect(one).withdraw(owner.address, one.address), "NotAuthorised", one.address);
      await contract.connect(giver).withdraw(giver.address, payee);
      expect(await city.token.balanceOf(payee)).to.equal(30);
    });

    it("is nobody's by an office that was given without a signature", async () => {
      const clerks = city.producers.connect(await city.as("CLERKS"));
      await clerks.enroll(giver.address, owner.address, Kind.CLERK);
      await refused(contract.connect(owner).withdraw(giver.address, owner.address), "NotAuthorised", owner.address);
    });

    it("stays open to the banned, the frozen, the leaving and the slashed", async () => {
      await city.producers.slash(one.address, tokens(5000), WHY);
      await city.producers.connect(one).deregister(one.address);
      await city.producers.ban(one.address, WHY);
      await city.producers.freezePrincipal(owner.address, true);
      await contract.connect(one).withdraw(one.address, payee);
      expect(await city.token.balanceOf(payee)).to.equal(60);
    });

    it("gives nothing back to the vault", async () => {
      await refused(contract.connect(one).withdraw(one.address, city.addresses.TREASURY), "WrongRecipient", city.addresses.TREASURY);
    });
  });

  describe("withdrawFor", () => {
    let one: Wallet;
    let owner: Wallet;
    const payee = keyOf("payee").address;
    interface Order {
      readonly account: string;
      readonly by: string;
      readonly to: string;
      readonly nonce: bigint;
      readonly deadline: bigint;
    }
    const order = async (change: Partial<Order> = {}): Promise<Order> => ({
      account: one.address,
      by: one.address,
      to: payee,
      nonce: await contract.nonceOf(one.address),
      deadline: (await city.now()) + 3600n,
      ...change,
    });
    const signed = (message: Order, key: Wallet, at: string = city.addresses.TREASURY) => city.sign("Withdrawal", at, { ...message }, key);
    const refused = (call: Promise<unknown>, error: string, ...args: unknown[]) =>
      expect(call)
        .to.be.revertedWithCustomError(contract, error)
        .withArgs(...args);

    beforeEach(async () => {
      ({ agent: one, principal: owner } = await city.register("one"));
      await settle(await city.probe(1), 60n, paymentTo(one.address, 60n));
    });

    it("lets anybody relay the account's signature, or its principal's, once", async () => {
      const message = await order();
      const signature = await signed(message, one);
      await expect(contract.withdrawFor(message, signature)).to.emit(contract, "Withdrawn").withArgs(one.address, one.address, payee, 60);
      expect(await contract.nonceOf(one.address)).to.equal(1);
      await settle(await city.probe(2), 5n, paymentTo(one.address, 5n));
      await refused(contract.withdrawFor(message, signature), "InvalidNonce", one.address, 0);
      const byOwner = await order({ by: owner.address });
      await contract.withdrawFor(byOwner, await signed(byOwner, owner));
      expect(await city.token.balanceOf(payee)).to.equal(65);
    });

    it("is spent by a withdrawal that the account made itself", async () => {
      const message = await order();
      const signature = await signed(message, one);
      await contract.connect(one).withdraw(one.address, one.address);
      await settle(await city.probe(2), 5n, paymentTo(one.address, 5n));
      await refused(contract.withdrawFor(message, signature), "InvalidNonce", one.address, 0);
    });

    it("takes nobody else's signature, none of another contract, none that is late, and nothing that was not signed", async () => {
      const message = await order();
      await refused(contract.withdrawFor(message, await signed(message, giver)), "InvalidSignature", one.address);
      await refused(contract.withdrawFor(message, await signed(message, one, city.addresses.STAKE_POOL)), "InvalidSignature", one.address);
      await refused(contract.withdrawFor({ ...message, to: giver.address }, await signed(message, one)), "InvalidSignature", one.address);
      const foreign = await order({ by: giver.address });
      await refused(contract.withdrawFor(foreign, await signed(foreign, giver)), "NotAuthorised", giver.address);
      const late = await order({ deadline: 1n });
      await refused(contract.withdrawFor(late, await signed(late, one)), "Expired", 1);
    });

    it("asks a contract wallet that answers for an agent", async () => {
      const wallet = await ethers.deployContract("OwnedWallet", [owner.address]);
      const at = String(wallet.target);
      await settle(await city.probe(2), 7n, paymentTo(at, 7n));
      const message = await order({ account: at, by: at, nonce: 0n });
      await refused(contract.withdrawFor(message, await signed(message, one)), "InvalidSignature", at);
      await contract.withdrawFor(message, await signed(message, owner));
      expect(await city.token.balanceOf(payee)).to.equal(7);
    });

    it("takes the word of a key that lent its account to some code", async () => {
      const wallet = await ethers.deployContract("OwnedWallet", [keyOf("somebody else").address]);
      await networkHelpers.setCode(one.address, `0xef0100${String(wallet.target).slice(2)}`);
      const message = await order();
      await refused(contract.withdrawFor(message, await signed(message, giver)), "InvalidSignature", one.address);
      await contract.withdrawFor(message, await signed(message, one));
      expect(await city.token.balanceOf(payee)).to.equal(60);
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

    it("turns a fifth of what came in into insurance, without a token leaving", async () => {
      await give(350n);
      await expect(contract.disburse(INSURANCE, agent, 70, WHY))
        .to.be.revertedWithCustomError(contract, "WrongRecipient")
        .withArgs(agent);
      await contract.disburse(INSURANCE, city.addresses.TREASURY, 70, WHY);
      expect([await contract.freeBalance(), await contract.insuranceBalance()]).to.deep.equal([280n, 70n]);
      expect(await city.token.balanceOf(city.addresses.TREASURY)).to.equal(350);
      await over(INSURANCE, city.addresses.TREASURY, 1);
      await over(GOVERNANCE, agent, 1);
      await expect(contract.disburse(GAS_SUBSIDY, city.addresses.TREASURY, 1, WHY)).to.be.revertedWithCustomError(
        contract,
        "WrongRecipient",
      );
    });

    it("subsidises gas from the same half of the inflow as premiums", async () => {
      const mission = await city.probe(1);
      await give(1000n);
      const { agent: executor } = await city.register("executor");
      await premium(mission, executor.address, 100n);
      await over(GAS_SUBSIDY, agent, 401);
      await contract.disburse(GAS_SUBSIDY, agent, 400, WHY);
      const { agent: another } = await city.register("another");
      await premium(mission, another.address, 100n);
      expect(await contract.creditOf(another.address)).to.equal(1000);
    });

    it("is the governor's, and about something", async () => {
      await expect(contract.connect(giver).disburse(GOVERNANCE, agent, 1, WHY)).to.be.revertedWithCustomError(contract, "NotGovernor");
      await expect(contract.disburse(GOVERNANCE, agent, 0, WHY)).to.be.revertedWithCustomError(contract, "NothingToPay");
    });
  });
});
