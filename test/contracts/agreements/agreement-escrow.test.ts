import { expect } from "chai";
import { id } from "ethers";
import { AMOUNT, ARBITRATION, CHALLENGE, EVALUATION, openEscrow, RESULT, Status, WORK } from "../../support/agreement-fixture.ts";
import { ethers, tokens } from "../../support/city-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";

const DAY = 86_400;
const YEAR = 365 * DAY;

describe("AgreementEscrow", () => {
  describe("open", () => {
    it("takes both parties' signatures from anybody, or a party's own call", async () => {
      const { escrow, terms, client, provider, signed, open, nobody } = await openEscrow();
      const job = await open();
      expect((await escrow.getJob(job)).amount).to.equal(AMOUNT);
      const again = { ...terms, nonce: 2n };
      const digest = await escrow.digestOf(again);
      await expect(escrow.connect(client).open(again, "0x", await signed(provider, again)))
        .to.emit(escrow, "AgreementBound")
        .withArgs(BigInt(digest), terms.agreementHash, terms.arbiter, terms.backup)
        .and.to.emit(escrow, "JobCreated")
        .withArgs(BigInt(digest), client.address, provider.address, terms.evaluator, terms.deliverBy, nobody);
    });

    it("takes a contract wallet's", async () => {
      const { escrow, city, terms, client, provider, signed } = await openEscrow();
      const wallet = await ethers.deployContract("OwnedWallet", [client.address]);
      const message = { ...terms, client: await wallet.getAddress() };
      await escrow.open(message, await signed(client, message), await signed(provider, message));
      expect((await escrow.getJob(BigInt(await escrow.digestOf(message)))).client).to.equal(message.client);
      expect(await city.token.balanceOf(message.client)).to.equal(0);
    });

    it("takes no other signature, for no other terms, chain, contract or time", async () => {
      const { escrow, city, terms, client, provider, arbiter, signed } = await openEscrow();
      const good = [await signed(client, terms), await signed(provider, terms)] as const;
      const refused = (message: typeof terms, one: string, other: string, who: string) =>
        expect(escrow.open(message, one, other))
          .to.be.revertedWithCustomError(escrow, "InvalidSignature")
          .withArgs(who);
      await refused(terms, await signed(arbiter, terms), good[1], client.address);
      await refused(terms, good[0], good[0], provider.address);
      await refused(terms, "0x", good[1], client.address);
      await refused({ ...terms, amount: AMOUNT + 1n }, ...good, client.address);
      await refused({ ...terms, agreementHash: id("other") }, ...good, client.address);
      const { escrow: other } = await openEscrow(city);
      await expect(other.open(terms, ...good)).to.be.revertedWithCustomError(other, "InvalidSignature");
      const late = { ...terms, deadline: terms.deadline - 2 * DAY };
      await expect(escrow.open(late, ...good))
        .to.be.revertedWithCustomError(escrow, "Expired")
        .withArgs(late.deadline);
    });

    it("opens a job once on the same terms, ended or not", async () => {
      const { escrow, terms, client, provider, signed, upTo, increase } = await openEscrow();
      const job = await upTo("judged");
      const again = async () => escrow.open(terms, await signed(client, terms), await signed(provider, terms));
      await expect(again()).to.be.revertedWithCustomError(escrow, "AlreadyOpened").withArgs(job);
      await increase(CHALLENGE + 1);
      await escrow.finalise(job);
      await expect(again()).to.be.revertedWithCustomError(escrow, "AlreadyOpened").withArgs(job);
    });

    it("refuses terms that nobody could lose or end by", async () => {
      const { escrow, terms, open, client, provider, nobody } = await openEscrow();
      const unsound: Partial<typeof terms>[] = [
        { evaluator: provider.address },
        { evaluator: client.address },
        { arbiter: provider.address },
        { backup: terms.evaluator },
        { arbiter: terms.backup },
        { evaluator: nobody },
        { arbiter: nobody },
        { amount: 0n },
        { token: "0x0000000000000000000000000000000000000001" },
        { silenceShare: 10_001 },
        { fundBy: terms.fundBy - 2 * DAY },
        { deliverBy: terms.fundBy - 1 },
        { deliverBy: terms.fundBy + YEAR },
        { evaluatorTimeout: 0 },
        { evaluatorTimeout: YEAR + 1 },
        { challengeWindow: YEAR + 1 },
        { arbiterTimeout: 0 },
        { arbiterTimeout: YEAR + 1 },
      ];
      for (const change of unsound)
        await expect(open(change), Object.keys(change).join()).to.be.revertedWithCustomError(escrow, "InvalidTerms");
      await open({ backup: nobody });
    });
  });

  describe("fund", () => {
    it("takes exactly the amount, from the client, once", async () => {
      const { escrow, city, at, client, provider, upTo } = await openEscrow();
      const job = await upTo("open");
      const fund = (by: typeof client, budget = AMOUNT) => escrow.connect(by).fund(job, budget, "0x");
      await expect(fund(provider)).to.be.revertedWithCustomError(escrow, "NotAuthorised").withArgs(job, provider.address);
      await expect(fund(client, AMOUNT - 1n))
        .to.be.revertedWithCustomError(escrow, "WrongBudget")
        .withArgs(job, AMOUNT);
      await expect(fund(client)).to.emit(escrow, "JobFunded").withArgs(job, client.address, AMOUNT);
      expect(await city.token.balanceOf(at)).to.equal(AMOUNT);
      await expect(fund(client)).to.be.revertedWithCustomError(escrow, "WrongStatus").withArgs(job, Status.FUNDED);
      await expect(escrow.connect(client).fund(1, AMOUNT, "0x"))
        .to.be.revertedWithCustomError(escrow, "UnknownJob")
        .withArgs(1);
    });

    it("takes nothing after its time, and nothing of a token that keeps a part", async () => {
      const { escrow, city, client, upTo, increase, terms } = await openEscrow();
      const job = await upTo("open");
      const token = await turnHostile(city);
      await token.chargeFee(100);
      await expect(escrow.connect(client).fund(job, AMOUNT, "0x")).to.be.revertedWithCustomError(escrow, "Shortfall");
      await token.chargeFee(0);
      await increase(DAY + 1);
      await expect(escrow.connect(client).fund(job, AMOUNT, "0x"))
        .to.be.revertedWithCustomError(escrow, "TooLate")
        .withArgs(job, terms.fundBy);
    });
  });

  describe("submit", () => {
    it("is the provider's, in time and once", async () => {
      const { escrow, client, provider, upTo, increase } = await openEscrow();
      const job = await upTo("funded");
      const submit = (by: typeof client) => escrow.connect(by).submit(job, WORK, "0x");
      await expect(submit(client)).to.be.revertedWithCustomError(escrow, "NotAuthorised");
      await expect(submit(provider)).to.emit(escrow, "JobSubmitted").withArgs(job, provider.address, WORK);
      await expect(submit(provider)).to.be.revertedWithCustomError(escrow, "WrongStatus");
      const late = await upTo("funded", { nonce: 2n });
      await increase(3 * DAY);
      await expect(escrow.connect(provider).submit(late, WORK, "0x")).to.be.revertedWithCustomError(escrow, "TooLate");
    });
  });

  describe("settle", () => {
    it("divides by share after the challenge window, to the unit", async () => {
      const { escrow, client, provider, evaluator, upTo, increase, creditOf, statusOf } = await openEscrow();
      const job = await upTo("submitted", { amount: AMOUNT });
      await expect(escrow.connect(evaluator).settle(job, 8501, RESULT))
        .to.emit(escrow, "JobJudged")
        .withArgs(job, evaluator.address, 8501, RESULT);
      await expect(escrow.finalise(job)).to.be.revertedWithCustomError(escrow, "TooEarly");
      await increase(CHALLENGE + 1);
      await expect(escrow.finalise(job))
        .to.emit(escrow, "JobCompleted")
        .withArgs(job, evaluator.address, `0x${"0".repeat(64)}`);
      expect([await creditOf(provider), await creditOf(client)]).to.deep.equal([4_250_500n, 749_500n]);
      expect(await statusOf(job)).to.equal(Status.COMPLETED);
    });

    it("pays at once without a window", async () => {
      const { escrow, provider, evaluator, upTo, creditOf } = await openEscrow();
      const job = await upTo("submitted", { challengeWindow: 0 });
      await expect(escrow.connect(evaluator).settle(job, 10_000, RESULT))
        .to.emit(escrow, "PaymentReleased")
        .withArgs(job, provider.address, AMOUNT);
      expect(await creditOf(provider)).to.equal(AMOUNT);
    });

    it("is the evaluator's, and the backup's after the evaluator's time", async () => {
      const { escrow, client, provider, arbiter, evaluator, backup, upTo, increase } = await openEscrow();
      const job = await upTo("submitted");
      for (const one of [client, provider, arbiter, backup])
        await expect(escrow.connect(one).settle(job, 1, RESULT))
          .to.be.revertedWithCustomError(escrow, "NotAuthorised")
          .withArgs(job, one.address);
      await expect(escrow.connect(evaluator).settle(job, 10_001, RESULT))
        .to.be.revertedWithCustomError(escrow, "ShareTooLarge")
        .withArgs(10_001);
      await increase(EVALUATION + 1);
      await escrow.connect(backup).settle(job, 4000, RESULT);
      await expect(escrow.connect(evaluator).settle(job, 1, RESULT)).to.be.revertedWithCustomError(escrow, "WrongStatus");
      const silent = await upTo("submitted", { nonce: 2n });
      await increase(2 * EVALUATION + 1);
      await expect(escrow.connect(evaluator).settle(silent, 1, RESULT)).to.be.revertedWithCustomError(escrow, "TooLate");
    });
  });

  describe("complete", () => {
    it("is everything, and the evaluator's", async () => {
      const { escrow, provider, evaluator, upTo, creditOf } = await openEscrow();
      const job = await upTo("submitted", { challengeWindow: 0 });
      await expect(escrow.connect(provider).complete(job, RESULT, "0x")).to.be.revertedWithCustomError(escrow, "NotAuthorised");
      await escrow.connect(evaluator).complete(job, RESULT, "0x");
      expect(await creditOf(provider)).to.equal(AMOUNT);
    });
  });

  describe("reject", () => {
    it("is nothing, and the evaluator's; the client's while nothing is paid in", async () => {
      const { escrow, client, provider, evaluator, upTo, creditOf, statusOf } = await openEscrow();
      const job = await upTo("submitted", { challengeWindow: 0 });
      await expect(escrow.connect(client).reject(job, RESULT, "0x")).to.be.revertedWithCustomError(escrow, "NotAuthorised");
      await expect(escrow.connect(evaluator).reject(job, RESULT, "0x"))
        .to.emit(escrow, "Refunded")
        .withArgs(job, client.address, AMOUNT);
      expect([await creditOf(client), await statusOf(job)]).to.deep.equal([AMOUNT, Status.REJECTED]);
      const unpaid = await upTo("open", { nonce: 2n });
      await expect(escrow.connect(provider).reject(unpaid, RESULT, "0x")).to.be.revertedWithCustomError(escrow, "NotAuthorised");
      await escrow.connect(client).reject(unpaid, RESULT, "0x");
      expect(await creditOf(client)).to.equal(AMOUNT);
    });

    it("takes no money back before the work is judged", async () => {
      const { escrow, evaluator, upTo } = await openEscrow();
      const job = await upTo("funded");
      await expect(escrow.connect(evaluator).reject(job, RESULT, "0x")).to.be.revertedWithCustomError(escrow, "WrongStatus");
    });
  });

  describe("challenge", () => {
    it("is a party's, within the window", async () => {
      const { escrow, client, provider, evaluator, upTo, increase } = await openEscrow();
      const job = await upTo("judged");
      await expect(escrow.connect(evaluator).challenge(job, RESULT)).to.be.revertedWithCustomError(escrow, "NotAuthorised");
      await expect(escrow.connect(provider).challenge(job, RESULT))
        .to.emit(escrow, "JobChallenged")
        .withArgs(job, provider.address, RESULT);
      const late = await upTo("judged", { nonce: 2n });
      await increase(CHALLENGE + 1);
      await expect(escrow.connect(client).challenge(late, RESULT)).to.be.revertedWithCustomError(escrow, "TooLate");
    });
  });

  describe("rule", () => {
    it("divides as the arbiter says, who rules on nothing else", async () => {
      const { escrow, client, provider, evaluator, arbiter, upTo, creditOf } = await openEscrow();
      const job = await upTo("disputed");
      await expect(escrow.connect(evaluator).rule(job, 4000, RESULT)).to.be.revertedWithCustomError(escrow, "NotAuthorised");
      await expect(escrow.connect(arbiter).rule(job, 10_001, RESULT)).to.be.revertedWithCustomError(escrow, "ShareTooLarge");
      await expect(escrow.connect(arbiter).rule(job, 4000, RESULT))
        .to.emit(escrow, "JobRuled")
        .withArgs(job, arbiter.address, 4000, RESULT);
      expect([await creditOf(provider), await creditOf(client)]).to.deep.equal([tokens(2), tokens(3)]);
      const quiet = await upTo("judged", { nonce: 2n });
      await expect(escrow.connect(arbiter).rule(quiet, 0, RESULT)).to.be.revertedWithCustomError(escrow, "WrongStatus");
    });
  });

  describe("cancel", () => {
    it("ends any live job as both signed, once", async () => {
      const { escrow, client, provider, arbiter, signedCancel, upTo, creditOf, terms } = await openEscrow();
      const steps = ["funded", "submitted", "judged", "disputed"] as const;
      for (const [n, step] of steps.entries()) {
        const job = await upTo(step, { nonce: BigInt(n) });
        const cancel = async (by = provider) =>
          escrow.cancel(job, 2000, terms.deadline, await signedCancel(client, job, 2000), await signedCancel(by, job, 2000));
        await expect(cancel(arbiter)).to.be.revertedWithCustomError(escrow, "InvalidSignature");
        await expect(cancel()).to.emit(escrow, "JobCancelled").withArgs(job, 2000);
        await expect(cancel()).to.be.revertedWithCustomError(escrow, "WrongStatus");
      }
      expect([await creditOf(provider), await creditOf(client)]).to.deep.equal([tokens(4), tokens(16)]);
      const unpaid = await upTo("open", { nonce: 9n });
      await escrow.connect(client).cancel(unpaid, 0, terms.deadline, "0x", await signedCancel(provider, unpaid, 0));
      expect(await creditOf(client)).to.equal(tokens(16));
      const other = await upTo("funded", { nonce: 10n });
      const stale = escrow.cancel(other, 0, 1, await signedCancel(client, other, 0, 1), await signedCancel(provider, other, 0, 1));
      await expect(stale).to.be.revertedWithCustomError(escrow, "Expired");
    });
  });

  describe("finalise", () => {
    it("ends every silence: the client's, the provider's, both evaluators', the parties', the arbiter's", async () => {
      const { escrow, upTo, increase, statusOf, creditOf, client, provider } = await openEscrow();
      const silences = [
        ["open", DAY, 0n, 0n, Status.EXPIRED],
        ["funded", 2 * DAY, 0n, AMOUNT, Status.EXPIRED],
        ["submitted", 2 * EVALUATION, AMOUNT / 2n, AMOUNT / 2n, Status.EXPIRED],
        ["judged", CHALLENGE, (AMOUNT * 85n) / 100n, (AMOUNT * 15n) / 100n, Status.COMPLETED],
        ["disputed", ARBITRATION, (AMOUNT * 85n) / 100n, (AMOUNT * 15n) / 100n, Status.COMPLETED],
      ] as const;
      for (const [n, [step, silence, paid, back, status]] of silences.entries()) {
        const [now, before] = [await ethers.provider.getBlock("latest"), [await creditOf(provider), await creditOf(client)]];
        const start = now?.timestamp ?? 0;
        const job = await upTo(step, { nonce: BigInt(n), fundBy: start + DAY, deliverBy: start + 2 * DAY, deadline: start + DAY });
        await expect(escrow.finalise(job), step).to.be.revertedWithCustomError(escrow, "TooEarly");
        await increase(silence + 1);
        await escrow.finalise(job);
        expect(await statusOf(job), step).to.equal(status);
        expect([await creditOf(provider), await creditOf(client)], step).to.deep.equal([
          (before[0] ?? 0n) + paid,
          (before[1] ?? 0n) + back,
        ]);
        await expect(escrow.finalise(job)).to.be.revertedWithCustomError(escrow, "WrongStatus");
      }
    });
  });

  describe("claimRefund", () => {
    it("gives back what nothing was delivered for", async () => {
      const { escrow, client, upTo, increase, creditOf } = await openEscrow();
      const job = await upTo("funded");
      await increase(2 * DAY + 1);
      await expect(escrow.claimRefund(job)).to.emit(escrow, "JobExpired").withArgs(job);
      expect(await creditOf(client)).to.equal(AMOUNT);
    });
  });

  describe("withdraw", () => {
    it("pays whom it owes, by anybody's call, once", async () => {
      const { escrow, city, provider, upTo, evaluator } = await openEscrow();
      const job = await upTo("submitted", { challengeWindow: 0 });
      await escrow.connect(evaluator).complete(job, RESULT, "0x");
      const withdraw = () => escrow.withdraw(city.addresses.TOKEN, provider.address);
      await expect(withdraw()).to.emit(escrow, "Withdrawn").withArgs(city.addresses.TOKEN, provider.address, AMOUNT);
      expect(await city.token.balanceOf(provider.address)).to.equal(AMOUNT);
      await expect(withdraw()).to.be.revertedWithCustomError(escrow, "NothingToPay");
    });

    it("holds up nobody but whom the token blocks", async () => {
      const { escrow, city, client, provider, evaluator, upTo, creditOf } = await openEscrow();
      const token = await turnHostile(city);
      const job = await upTo("submitted", { challengeWindow: 0 });
      await token.block(provider.address);
      await escrow.connect(evaluator).settle(job, 5000, RESULT);
      await expect(escrow.withdraw(city.addresses.TOKEN, provider.address)).to.be.revert(ethers);
      const before = await city.token.balanceOf(client.address);
      await escrow.withdraw(city.addresses.TOKEN, client.address);
      expect(await city.token.balanceOf(client.address)).to.equal(before + AMOUNT / 2n);
      expect(await creditOf(provider)).to.equal(AMOUNT / 2n);
    });
  });
});
