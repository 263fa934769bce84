import { expect } from "chai";
import { AbiCoder, type Wallet, ZeroHash } from "ethers";
import { cloneArgs, lawHashOf } from "../../../../orchestrator/rules/law-codec.ts";
import { unpackMissionParams } from "../../../../orchestrator/rules/mission-params-codec.ts";
import { ethers, networkHelpers, Office, tokens } from "../../../support/city-fixture.ts";
import {
  APPROVAL,
  billOf,
  DEPOSIT,
  hash,
  type Legislature,
  lawOf,
  loadLegislature,
  node,
  OPERATION,
  REVIEW,
  State,
  setParameter,
} from "../../../support/legislature.ts";

const { time } = networkHelpers;
const BILL = billOf(lawOf());
const HIGH_BILL = billOf(lawOf(undefined, { risk: 2 }), "a risky document");

type Signer = readonly ["SPEAKER" | "REGULATOR" | "REGISTRAR", Wallet];

/** The Speaker and the first `regulators` Regulators. */
function signers({ offices }: Legislature, regulators = 2): Signer[] {
  const co = offices.REGULATOR.slice(0, regulators).map((clerk): Signer => ["REGULATOR", clerk]);
  return [["SPEAKER", offices.SPEAKER[0] as Wallet], ...co];
}

const codifier = ({ offices }: Legislature): Wallet => offices.CODIFIER[0] as Wallet;

describe("LegislativeProcedure: enactment", () => {
  describe("validate", () => {
    it("checks the winner's law against the constitution, for anyone with the preimage", async () => {
      const { legislation, steps, account } = await loadLegislature();
      const session = await steps.toTallied(HIGH_BILL);
      const anyone = legislation.connect(await account("anyone"));
      const done = anyone.validate(session, HIGH_BILL.law, HIGH_BILL.docHash, steps.witnesses());
      await expect(done).to.emit(legislation, "Validated").withArgs(session, HIGH_BILL.specHash);
      const info = await legislation.sessionOf(session);
      expect([info.state, info.risk]).to.deep.equal([BigInt(State.VALIDATED), 2n]);
      expect(info.deadline).to.equal(BigInt(await time.latest()) + APPROVAL);
    });

    it("refuses another law or document than the ballot chose", async () => {
      const { legislation, steps } = await loadLegislature();
      const session = await steps.toTallied(BILL);
      for (const { law, docHash, specHash } of [billOf(lawOf([node()])), billOf(BILL.law, "another")]) {
        await expect(legislation.validate(session, law, docHash, steps.witnesses()))
          .to.be.revertedWithCustomError(legislation, "SpecMismatch")
          .withArgs(session, BILL.specHash, specHash);
      }
    });

    it("stops an unconstitutional law, whose session then expires", async () => {
      const { legislation, validator, steps } = await loadLegislature();
      const bill = billOf(lawOf([node({ questions: 0 })]));
      const session = await steps.toTallied(bill);
      await expect(legislation.validate(session, bill.law, bill.docHash, steps.witnesses()))
        .to.be.revertedWithCustomError(validator, "NoQuestion")
        .withArgs(0);
      await time.increase(APPROVAL + 1n);
      await expect(legislation.validate(session, bill.law, bill.docHash, steps.witnesses())).to.be.revertedWithCustomError(
        legislation,
        "TooLate",
      );
      await legislation.expire(session);
      await legislation.withdraw(session);
    });

    it("measures the law by the deposit of its own session", async () => {
      const { legislation, validator, steps } = await loadLegislature();
      const session = await steps.toTallied(BILL, DEPOSIT + 1n);
      await expect(legislation.validate(session, BILL.law, BILL.docHash, steps.witnesses()))
        .to.be.revertedWithCustomError(validator, "DepositMismatch")
        .withArgs(DEPOSIT + 1n, DEPOSIT);
    });
  });

  describe("codify", () => {
    it("records one completed delegation per mandated operation, by the Codifier", async () => {
      const house = await loadLegislature();
      const { legislation, clerks, steps, offices } = house;
      const session = await steps.toValidated(BILL);
      const delegation = await steps.delegate(session, BILL.specHash);
      await expect(legislation.connect(offices.SPEAKER[0] as Wallet).codify(session, [delegation])).to.be.revertedWithCustomError(
        clerks,
        "NotClerk",
      );
      await expect(legislation.connect(codifier(house)).codify(session, [delegation]))
        .to.emit(legislation, "Codified")
        .withArgs(session, BILL.specHash, [delegation]);
      const info = await legislation.sessionOf(session);
      expect(info.state).to.equal(State.CODIFIED);
      expect(info.deadline).to.equal(BigInt(await time.latest()) + APPROVAL + REVIEW);
    });

    it("refuses a delegation that is missing, unfinished, or another session's or specification's", async () => {
      const house = await loadLegislature();
      const { legislation, management, steps } = house;
      const session = await steps.toValidated(BILL);
      const by = codifier(house);
      const refused = (delegations: string[]) =>
        expect(legislation.connect(by).codify(session, delegations))
          .to.be.revertedWithCustomError(legislation, "MissingDelegation")
          .withArgs(session, OPERATION);
      await refused([]);
      await refused([await steps.delegate(session + 1n, BILL.specHash)]);
      await refused([await steps.delegate(session, HIGH_BILL.specHash)]);
      await management.connect(by).delegate(session, OPERATION, house.compiler, BILL.specHash);
      const delegation = await management.delegationId(session, OPERATION, BILL.specHash);
      await refused([delegation]);
      const auth = await house.resultBy(house.runner, delegation, hash("compiled"), ZeroHash);
      await management.connect(by).recordResult(delegation, hash("compiled"), ZeroHash, auth);
      await expect(legislation.connect(by).codify(session, [delegation, hash("extra")]))
        .to.be.revertedWithCustomError(legislation, "UnmandatedDelegation")
        .withArgs(session, hash("extra"));
      await legislation.connect(by).codify(session, [delegation]);
    });

    it("waits for validation and ends with its stage", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const by = legislation.connect(codifier(house));
      const tallied = await steps.toTallied(BILL);
      await expect(by.codify(tallied, [])).to.be.revertedWithCustomError(legislation, "WrongState");
      const session = await steps.toValidated(BILL);
      await time.increase(APPROVAL + 1n);
      await expect(by.codify(session, [])).to.be.revertedWithCustomError(legislation, "TooLate");
    });
  });

  describe("approve", () => {
    it("deploys what the ballot chose, funded and active, and opens its market", async () => {
      const house = await loadLegislature();
      const { legislation, templates, execution, token, constitution, sponsor, steps, addresses } = house;
      const session = await steps.toCodified(BILL);
      const signatures = await steps.approvals(session, BILL.specHash, signers(house));
      const held = await token.balanceOf(addresses.LEGISLATION);
      const params = await constitution.missionParams();
      await setParameter(house, "PROTOCOL_FEE_RATE", 777);
      const { rules } = await legislation.sessionOf(session);
      const at = BigInt(await time.latest()) + 5n;
      const args = cloneArgs(BILL.law, {
        params: unpackMissionParams(params),
        docHash: BILL.docHash,
        session,
        sponsor: sponsor.address as `0x${string}`,
        deployedAt: Number(at),
      });
      const mission = await templates.predict(await legislation.template(), rules.template, args, session);
      await time.setNextBlockTimestamp(at);
      const done = legislation.connect(await house.account("anyone")).approve(session, BILL.law, BILL.docHash, signatures);
      await expect(done).to.emit(legislation, "Approved").withArgs(session, mission, BILL.specHash);
      await expect(done).to.emit(execution, "MarketOpened");

      const info = await legislation.sessionOf(session);
      expect([info.state, info.deposit, info.mission, info.deadline]).to.deep.equal([BigInt(State.DEPLOYED), 0n, mission, 0n]);
      expect(await token.balanceOf(mission)).to.equal(DEPOSIT);
      expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(held - DEPOSIT);
      const clone = await ethers.getContractAt("CollaborationContract", mission);
      expect(await clone.lawHash()).to.equal(lawHashOf(BILL.law));
      // What the session copied, not what the constitution says by now.
      const context = await clone.context();
      expect(context.params.protocolFeeRate).to.equal(unpackMissionParams(params).protocolFeeRate);
      expect([context.docHash, context.session, context.sponsor, context.deployedAt]).to.deep.equal([
        BILL.docHash,
        session,
        sponsor.address,
        at,
      ]);
      expect(await clone.state()).to.equal(1);
      for (const call of [legislation.approve(session, BILL.law, BILL.docHash, signatures), legislation.withdraw(session)]) {
        await expect(call).to.be.revertedWithCustomError(legislation, "WrongState");
      }
    });

    it("needs one Speaker and as many distinct Regulators as the rules say", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const session = await steps.toCodified(BILL);
      const [speaker, one, two, three] = [...signers(house, 3)] as [Signer, Signer, Signer, Signer];
      for (const [given, have] of [
        [[], 0],
        [[speaker], 1],
        [[speaker, one], 2],
        [[one, two], 2],
        [[one, two, three], 2],
      ] as [Signer[], number][]) {
        const signatures = await steps.approvals(session, BILL.specHash, given);
        await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures))
          .to.be.revertedWithCustomError(legislation, "MissingApproval")
          .withArgs(session, have, 3);
      }
      await legislation.approve(session, BILL.law, BILL.docHash, await steps.approvals(session, BILL.specHash, [speaker, one, three]));
    });

    it("asks no more Regulators than are appointed, but one at least", async () => {
      const house = await loadLegislature();
      const { legislation, clerks, steps, offices } = house;
      const [first, ...others] = offices.REGULATOR as [Wallet, ...Wallet[]];
      const one = await steps.toCodified(BILL);
      const none = await steps.toCodified(HIGH_BILL);
      for (const clerk of others) await clerks.revoke(Office.REGULATOR, clerk.address);
      await legislation.approve(one, BILL.law, BILL.docHash, await steps.approvals(one, BILL.specHash, signers(house, 1)));
      await clerks.revoke(Office.REGULATOR, first.address);
      const alone = await steps.approvals(none, HIGH_BILL.specHash, signers(house, 0));
      await expect(legislation.approve(none, HIGH_BILL.law, HIGH_BILL.docHash, alone))
        .to.be.revertedWithCustomError(legislation, "MissingApproval")
        .withArgs(none, 1, 2);
    });

    it("binds each signature to clerk, office, session, specification and time", async () => {
      const house = await loadLegislature();
      const { legislation, clerks, steps, offices, account } = house;
      const session = await steps.toCodified(BILL);
      const good = await steps.approvals(session, BILL.specHash, signers(house));
      const refused = async (signatures: typeof good, error: string, by: typeof legislation | typeof clerks = legislation) =>
        expect(legislation.approve(session, BILL.law, BILL.docHash, signatures)).to.be.revertedWithCustomError(by, error);
      await refused(await steps.approvals(session + 1n, BILL.specHash, signers(house)), "InvalidSignature");
      await refused(await steps.approvals(session, HIGH_BILL.specHash, signers(house)), "InvalidSignature");
      await refused(await steps.approvals(session, BILL.specHash, signers(house), 9n), "Expired");
      await refused([...good].reverse(), "SignersUnsorted");
      await refused([good[0], good[0], good[1]] as typeof good, "SignersUnsorted");
      await refused(await steps.approvals(session, BILL.specHash, [["REGISTRAR", offices.REGISTRAR[0] as Wallet]]), "NotAnApprover");
      await refused(await steps.approvals(session, BILL.specHash, [["SPEAKER", offices.REGULATOR[0] as Wallet]]), "NotClerk", clerks);
      await refused(await steps.approvals(session, BILL.specHash, [["REGULATOR", await account("stranger")]]), "NotClerk", clerks);
      const speaker = offices.SPEAKER[0] as Wallet;
      const swapped = good.map((s) => (s.clerk === speaker.address ? { ...s, office: Office.REGULATOR } : s));
      await refused(swapped, "InvalidSignature");
    });

    it("takes an unsigned approval from the clerk who calls", async () => {
      const house = await loadLegislature();
      const { legislation, steps, offices } = house;
      const session = await steps.toCodified(BILL);
      const speaker = offices.SPEAKER[0] as Wallet;
      const signatures = (await steps.approvals(session, BILL.specHash, signers(house))).map((s) =>
        s.clerk === speaker.address ? { ...s, signature: "0x" } : s,
      );
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures)).to.be.revertedWithCustomError(
        legislation,
        "InvalidSignature",
      );
      await legislation.connect(speaker).approve(session, BILL.law, BILL.docHash, signatures);
    });

    it("spends each signer's envelope", async () => {
      const house = await loadLegislature();
      const { legislation, clerks, steps, offices } = house;
      const session = await steps.toCodified(BILL);
      await clerks.setEnvelope(Office.REGULATOR, [], 8);
      const signatures = await steps.approvals(session, BILL.specHash, signers(house));
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures)).to.be.revertedWithCustomError(
        clerks,
        "OutsideEnvelope",
      );
      const { selector } = legislation.interface.getFunction("approve");
      await clerks.setEnvelope(Office.REGULATOR, [selector], 8);
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures))
        .to.emit(clerks, "EnvelopeConsumed")
        .withArgs(Office.REGULATOR, (offices.REGULATOR[0] as Wallet).address, selector, session, 1);
    });

    it("deploys nothing but the winner", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const session = await steps.toCodified(BILL);
      const signatures = await steps.approvals(session, HIGH_BILL.specHash, signers(house));
      await expect(legislation.approve(session, HIGH_BILL.law, HIGH_BILL.docHash, signatures))
        .to.be.revertedWithCustomError(legislation, "SpecMismatch")
        .withArgs(session, BILL.specHash, HIGH_BILL.specHash);
    });

    it("waits for enough seated adjudicators", async () => {
      const house = await loadLegislature();
      const { legislation, roster, steps, adjudicators } = house;
      const session = await steps.toCodified(BILL);
      const signatures = await steps.approvals(session, BILL.specHash, signers(house));
      await roster.connect(adjudicators[0] as Wallet).resign();
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures))
        .to.be.revertedWithCustomError(legislation, "TooFewAdjudicators")
        .withArgs(6);
    });

    it("waits until the watchdog has released the panel", async () => {
      const house = await loadLegislature();
      const { legislation, watchdog, steps, adjudicators } = house;
      const session = await steps.toCodified(BILL);
      const signatures = await steps.approvals(session, BILL.specHash, signers(house));
      const suspect = (adjudicators[0] as Wallet).address;
      for (let i = 0; i < 20; i++) await watchdog.note([suspect], 1, i < 4);
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures)).to.be.revertedWithCustomError(
        watchdog,
        "FrozenByWatchdog",
      );
      await watchdog.release();
      await legislation.approve(session, BILL.law, BILL.docHash, signatures);
    });

    it("comes too late after its stage, which then expires with a refund", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const session = await steps.toCodified(BILL);
      const signatures = await steps.approvals(session, BILL.specHash, signers(house));
      const { deadline } = await legislation.sessionOf(session);
      await time.setNextBlockTimestamp(deadline + 1n);
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures))
        .to.be.revertedWithCustomError(legislation, "TooLate")
        .withArgs(session, deadline);
      await legislation.expire(session);
      await legislation.withdraw(session);
    });

    it("clones the version of the template that was latest when the session opened", async () => {
      const house = await loadLegislature();
      const { legislation, templates, steps } = house;
      const session = await steps.toCodified(BILL);
      const name = await legislation.template();
      const before = await templates.latestVersion(name);
      await templates.publish(name, await ethers.deployContract("MissionProbe"), hash("audit"));
      await legislation.approve(session, BILL.law, BILL.docHash, await steps.approvals(session, BILL.specHash, signers(house)));
      const { mission } = await legislation.sessionOf(session);
      expect((await templates.missionOf(mission)).version).to.equal(before);
      const next = await steps.open();
      expect((await legislation.sessionOf(next)).rules.template).to.equal(before + 1n);
    });
  });

  describe("approveCodification", () => {
    /** The adjudicator's signed act, relayed by anyone. */
    async function audit(house: Legislature, session: bigint, specHash: string) {
      const { adjudication, adjudicators, signOrder } = house;
      const action = {
        action: 19,
        mission: ethers.ZeroAddress,
        node: 0,
        target: ethers.ZeroAddress,
        data: AbiCoder.defaultAbiCoder().encode(["uint256"], [session]),
        because: "read it",
        caseHash: specHash,
        salt: 0n,
        deadline: 2n ** 40n - 1n,
      };
      const adjudicator = adjudicators[0] as Wallet;
      const signature = await signOrder(action, adjudicator);
      return adjudication.act(action, [{ adjudicator: adjudicator.address, signature }]);
    }

    it("lets a HIGH-risk law pass, by an adjudicator's signature", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const session = await steps.toCodified(HIGH_BILL);
      const signatures = await steps.approvals(session, HIGH_BILL.specHash, signers(house));
      await expect(legislation.approve(session, HIGH_BILL.law, HIGH_BILL.docHash, signatures))
        .to.be.revertedWithCustomError(legislation, "CodificationAuditMissing")
        .withArgs(session);
      await expect(audit(house, session, HIGH_BILL.specHash))
        .to.emit(legislation, "CodificationAudited")
        .withArgs(session, HIGH_BILL.specHash);
      expect((await legislation.sessionOf(session)).audited).to.equal(true);
      await legislation.approve(session, HIGH_BILL.law, HIGH_BILL.docHash, signatures);
    });

    it("is worth one missing co-signature, whose ever, once the co-signers' time is over", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const [speaker, one, two] = [...signers(house)] as [Signer, Signer, Signer];
      for (const given of [
        [speaker, one],
        [one, two],
      ] as Signer[][]) {
        const session = await steps.toCodified(BILL);
        const signatures = await steps.approvals(session, BILL.specHash, given);
        await audit(house, session, BILL.specHash);
        const { deadline } = await legislation.sessionOf(session);
        await time.setNextBlockTimestamp(deadline - REVIEW);
        await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures))
          .to.be.revertedWithCustomError(legislation, "MissingApproval")
          .withArgs(session, 2, 3);
        const single = await steps.approvals(session, BILL.specHash, [speaker]);
        await time.setNextBlockTimestamp(deadline - REVIEW + 1n);
        await expect(legislation.approve(session, BILL.law, BILL.docHash, single))
          .to.be.revertedWithCustomError(legislation, "MissingApproval")
          .withArgs(session, 1, 2);
        await legislation.approve(session, BILL.law, BILL.docHash, signatures);
      }
    });

    it("replaces nothing by mere waiting", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const session = await steps.toCodified(BILL);
      const signatures = await steps.approvals(session, BILL.specHash, signers(house, 1));
      await time.increase(APPROVAL + 10n);
      await expect(legislation.approve(session, BILL.law, BILL.docHash, signatures))
        .to.be.revertedWithCustomError(legislation, "MissingApproval")
        .withArgs(session, 2, 3);
    });

    it("belongs to adjudication, judges the winner, and follows codification", async () => {
      const house = await loadLegislature();
      const { legislation, steps, account, as } = house;
      const session = await steps.toValidated(BILL);
      const governor = legislation.connect(await as("ADJUDICATION"));
      const stranger = await account("stranger");
      await expect(legislation.connect(stranger).approveCodification(session, BILL.specHash))
        .to.be.revertedWithCustomError(legislation, "NotGovernor")
        .withArgs(stranger.address);
      await expect(governor.approveCodification(session, BILL.specHash)).to.be.revertedWithCustomError(legislation, "WrongState");
      await legislation.connect(codifier(house)).codify(session, [await steps.delegate(session, BILL.specHash)]);
      await expect(governor.approveCodification(session, HIGH_BILL.specHash))
        .to.be.revertedWithCustomError(legislation, "SpecMismatch")
        .withArgs(session, BILL.specHash, HIGH_BILL.specHash);
      await time.increase(APPROVAL + REVIEW + 1n);
      await expect(governor.approveCodification(session, BILL.specHash)).to.be.revertedWithCustomError(legislation, "TooLate");
    });
  });

  it("holds exactly what its sessions hold, whatever becomes of them", async () => {
    const house = await loadLegislature();
    const { legislation, token, sponsor, steps, addresses } = house;
    const sum = async (): Promise<bigint> => {
      let total = 0n;
      for (let session = 1n; session <= (await legislation.sessionCount()); session++)
        total += (await legislation.sessionOf(session)).deposit;
      return total;
    };
    const check = async () => expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(await sum());
    const approved = await steps.toCodified(BILL);
    const cancelled = await steps.open(tokens(50));
    await check();
    await legislation.approve(approved, BILL.law, BILL.docHash, await steps.approvals(approved, BILL.specHash, signers(house)));
    await check();
    await legislation.connect(sponsor).cancel(cancelled);
    await check();
    await legislation.withdraw(cancelled);
    await check();
  });

  it("deploys an eight-node law for at most 1,150,000 gas: clone, escrow, node words, market, three signatures", async () => {
    const house = await loadLegislature();
    const { legislation, steps } = house;
    const bill = billOf(lawOf(Array.from({ length: 8 }, () => node({ budget: tokens(40) }))));
    const session = await steps.toCodified(bill);
    const sent = await legislation.approve(session, bill.law, bill.docHash, await steps.approvals(session, bill.specHash, signers(house)));
    const receipt = await ethers.provider.getTransactionReceipt(sent.hash);
    expect(Number(receipt?.gasUsed)).to.be.at.most(1_150_000);
  });
});
