import { expect } from "chai";
import { AbiCoder, keccak256, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { packRanking } from "../../../../orchestrator/rules/condorcet.ts";
import { depth, jaccard, tau } from "../../../../orchestrator/rules/rank-correlation.ts";
import { networkHelpers } from "../../../support/city-fixture.ts";
import {
  APPROVAL,
  billOf,
  hash,
  type Legislature,
  lawOf,
  loadLegislature,
  REVIEW,
  State,
  setParameter,
} from "../../../support/legislature.ts";

const { time } = networkHelpers;
const BILL = billOf(lawOf());
const SPECS = [BILL.specHash, hash("B"), hash("C")];
const RULE_ON_BLOC = 26;
/** Voters 0–2 alike, 3 swaps its last two, 4–7 against them. */
const ORDERS = [
  [1, 2, 3, 0],
  [1, 2, 3, 0],
  [1, 2, 3, 0],
  [1, 2, 0, 3],
  [3, 0, 2, 1],
  [2, 0, 1, 3],
  [0, 3, 1, 2],
  [1, 0, 2, 3],
];

let house: Legislature;
async function fresh(): Promise<void> {
  house = await loadLegislature();
}
const voter = (index: number): Wallet => house.voters[index] as Wallet;
const addressesOf = (...indices: number[]) => indices.map((i) => voter(i).address);
const asRegulator = () => house.legislation.connect(house.offices.REGULATOR[0] as Wallet);
/** With gas named: an estimate made a second earlier may miss that the stage is prolonged. */
const flag = (session: bigint, leader: number, ...members: number[]) =>
  asRegulator().flagBloc(session, voter(leader).address, addressesOf(...members), { gasLimit: 2_000_000 });

/** All eight voted on no law and three bills; the first bill wins. */
async function voted(orders: readonly (readonly number[])[] = ORDERS): Promise<bigint> {
  const session = await house.steps.toVoting(SPECS);
  await house.steps.vote(session, orders);
  return session;
}

/** The same, tallied, validated, codified. */
async function codified(): Promise<bigint> {
  const { legislation, steps, offices } = house;
  const session = await voted();
  await legislation.tally(session);
  await legislation.validate(session, BILL.law, BILL.docHash, steps.witnesses());
  await legislation.connect(offices.CODIFIER[0] as Wallet).codify(session, [await steps.delegate(session, BILL.specHash)]);
  return session;
}

async function approve(session: bigint) {
  const { legislation, offices, steps } = house;
  const signers = [
    ["SPEAKER", offices.SPEAKER[0]],
    ["REGULATOR", offices.REGULATOR[0]],
    ["REGULATOR", offices.REGULATOR[1]],
  ] as ["SPEAKER" | "REGULATOR", Wallet][];
  return legislation.approve(session, BILL.law, BILL.docHash, await steps.approvals(session, BILL.specHash, signers));
}

describe("LegislativeProcedure.flagBloc", () => {
  beforeEach(fresh);

  describe("when the caller is not a Regulator", () => {
    it("it should revert with NotClerk", async () => {
      const { legislation, clerks, offices } = house;
      const session = await voted();
      for (const caller of [offices.SPEAKER[0], voter(0)] as Wallet[]) {
        await expect(legislation.connect(caller).flagBloc(session, voter(0).address, addressesOf(1))).to.be.revertedWithCustomError(
          clerks,
          "NotClerk",
        );
      }
    });
  });

  describe("when no vote was opened, or the session is over", () => {
    it("it should revert with WrongState", async () => {
      const { legislation, sponsor, steps } = house;
      const cancelled = await voted();
      await legislation.connect(sponsor).cancel(cancelled);
      for (const session of [await steps.toProposing(), await steps.toDebate(SPECS), cancelled]) {
        await expect(flag(session, 0, 1)).to.be.revertedWithCustomError(legislation, "WrongState");
      }
    });
  });

  describe("when the leader is a member, there is no member, or there are more than 64", () => {
    it("it should revert with InvalidBloc", async () => {
      const { legislation } = house;
      const session = await voted();
      for (const members of [[], [0], [1, 0], Array(65).fill(1)]) {
        await expect(flag(session, 0, ...members))
          .to.be.revertedWithCustomError(legislation, "InvalidBloc")
          .withArgs(voter(0).address, members.length, 64);
      }
      await flag(session, 0, ...Array(64).fill(1));
    });
  });

  describe("when leader or member did not vote, or is no producer", () => {
    it("it should revert with NotVoted", async () => {
      const { legislation, offices } = house;
      const session = await voted(ORDERS.slice(0, 4));
      const speaker = (offices.SPEAKER[0] as Wallet).address;
      for (const [leader, member, absent] of [
        [voter(7).address, voter(0).address, voter(7).address],
        [voter(0).address, voter(7).address, voter(7).address],
        [voter(0).address, speaker, speaker],
      ] as const) {
        await expect(asRegulator().flagBloc(session, leader, [member]))
          .to.be.revertedWithCustomError(legislation, "NotVoted")
          .withArgs(session, absent);
      }
    });
  });

  describe("when a member's ranking is not as like the leader's as the session's thresholds ask, in τ or at the top", () => {
    it("it should revert with NotCorrelated, with both measures", async () => {
      const { legislation } = house;
      const session = await voted();
      for (const [member, t, j] of [
        [3, 6666, 10_000],
        [5, 0, 3333],
      ] as const) {
        await expect(flag(session, 0, 1, member))
          .to.be.revertedWithCustomError(legislation, "NotCorrelated")
          .withArgs(session, voter(0).address, voter(member).address, t, j);
      }
      // With a low τ threshold the set of the first two still parts voter 7 from voter 0.
      await setParameter(house, "BLOC_TAU_THRESHOLD", 50);
      const lax = await voted(ORDERS.map((order, i) => (i === 7 ? [1, 3, 2, 0] : order)));
      await expect(flag(lax, 0, 7))
        .to.be.revertedWithCustomError(legislation, "NotCorrelated")
        .withArgs(lax, voter(0).address, voter(7).address, 6666, 3333);
      await flag(lax, 0, 3);
    });
  });

  describe("when everybody named is flagged already", () => {
    it("it should revert with AlreadyFlagged", async () => {
      const { legislation } = house;
      const session = await voted();
      await flag(session, 0, 1);
      for (const [leader, member] of [
        [0, 1],
        [1, 0],
      ] as const) {
        await expect(flag(session, leader, member))
          .to.be.revertedWithCustomError(legislation, "AlreadyFlagged")
          .withArgs(session, voter(leader).address);
      }
    });
  });

  describe("given voters below the critical share", () => {
    it("it should record them and delay nothing", async () => {
      const { legislation } = house;
      await setParameter(house, "CRITICAL_BLOC_SHARE", 3000);
      const session = await codified();
      expect(await legislation.blocOf(session)).to.deep.equal([0n, false, ZeroHash, ZeroHash]);
      const call = flag(session, 0, 1, 1);
      const coder = AbiCoder.defaultAbiCoder();
      const types = ["uint256", "bytes32", "address", "address[]"];
      const caseHash = keccak256(coder.encode(types, [session, ZeroHash, voter(0).address, addressesOf(1, 1)]));
      await expect(call).to.emit(legislation, "BlocFlagged").withArgs(session, voter(0).address, addressesOf(1, 1), 2, caseHash);
      await expect(call).to.not.emit(legislation, "StageProlonged");
      expect(await legislation.blocOf(session)).to.deep.equal([2n, false, caseHash, ZeroHash]);
      await approve(session);
      expect((await legislation.sessionOf(session)).state).to.equal(State.DEPLOYED);
    });
  });

  describe("given voters who hold the critical share", () => {
    it("it should keep the thresholds of the day the session opened", async () => {
      const { legislation } = house;
      const session = await voted();
      for (const name of ["BLOC_TAU_THRESHOLD", "BLOC_JACCARD_THRESHOLD"] as const) await setParameter(house, name, 50);
      await setParameter(house, "CRITICAL_BLOC_SHARE", 5000);
      await expect(flag(session, 0, 3)).to.be.revertedWithCustomError(legislation, "NotCorrelated");
      await flag(session, 0, 1);
      expect((await legislation.blocOf(session)).delayed).to.equal(true);
    });

    it("it should delay approval, however good the signatures", async () => {
      const { legislation } = house;
      // Three of eight are 37.5 %.
      await setParameter(house, "CRITICAL_BLOC_SHARE", 3750);
      const session = await codified();
      await flag(session, 0, 1);
      expect((await legislation.blocOf(session)).delayed).to.equal(false);
      await flag(session, 1, 2);
      const { flagged, delayed, caseHash } = await legislation.blocOf(session);
      expect([flagged, delayed]).to.deep.equal([3n, true]);
      await expect(approve(session)).to.be.revertedWithCustomError(legislation, "AwaitingRuling").withArgs(session, caseHash);
    });

    it("it should give a CODIFIED session its full time again, once", async () => {
      const { legislation } = house;
      const session = await codified();
      const { deadline } = await legislation.sessionOf(session);
      await time.increaseTo(deadline - 10n);
      const call = await flag(session, 0, 1);
      const prolonged = BigInt(await time.latest()) + APPROVAL + REVIEW;
      await expect(call).to.emit(legislation, "StageProlonged").withArgs(session, prolonged);
      expect((await legislation.sessionOf(session)).deadline).to.equal(prolonged);
      await time.increaseTo(prolonged - 10n);
      await expect(flag(session, 0, 2)).to.not.emit(legislation, "StageProlonged");
      expect((await legislation.sessionOf(session)).deadline).to.equal(prolonged);
    });

    it("it should let the session expire if nobody rules", async () => {
      const { legislation } = house;
      const session = await codified();
      await flag(session, 0, 1);
      const { deadline } = await legislation.sessionOf(session);
      await time.increaseTo(deadline + 1n);
      await expect(approve(session)).to.be.revertedWithCustomError(legislation, "TooLate");
      await legislation.expire(session);
      await legislation.withdraw(session);
    });
  });
});

describe("LegislativeProcedure.ruleOnBloc", () => {
  beforeEach(fresh);

  const caseOf = async (session: bigint) => (await house.legislation.blocOf(session)).caseHash;

  describe("when the caller is not the governor", () => {
    it("it should revert with NotGovernor", async () => {
      const { legislation } = house;
      const session = await codified();
      await flag(session, 0, 1);
      await expect(legislation.connect(voter(0)).ruleOnBloc(session, await caseOf(session), true))
        .to.be.revertedWithCustomError(legislation, "NotGovernor")
        .withArgs(voter(0).address);
    });
  });

  describe("when the vote is not tallied, or the session over", () => {
    it("it should revert with WrongState", async () => {
      const { legislation } = house;
      const session = await voted();
      await flag(session, 0, 1);
      const mask = (1 << State.TALLIED) | (1 << State.VALIDATED) | (1 << State.CODIFIED);
      await expect(legislation.ruleOnBloc(session, await caseOf(session), true))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(session, State.VOTING, mask);
      await legislation.tally(session);
      await legislation.ruleOnBloc(session, await caseOf(session), false);
      await expect(legislation.ruleOnBloc(session, await caseOf(session), true))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(session, State.FAILED, mask);
    });
  });

  describe("when nothing is delayed", () => {
    it("it should revert with NothingToRule", async () => {
      const { legislation } = house;
      await setParameter(house, "CRITICAL_BLOC_SHARE", 3000);
      const session = await codified();
      const refused = async () =>
        expect(legislation.ruleOnBloc(session, await caseOf(session), false))
          .to.be.revertedWithCustomError(legislation, "NothingToRule")
          .withArgs(session);
      await refused();
      await flag(session, 0, 1);
      await refused();
      await flag(session, 0, 2);
      await legislation.ruleOnBloc(session, await caseOf(session), true);
      await refused();
    });
  });

  describe("when more was flagged than the ruling names", () => {
    it("it should revert with StaleBloc", async () => {
      const { legislation } = house;
      const session = await codified();
      await flag(session, 0, 1);
      const judged = await caseOf(session);
      await flag(session, 0, 2);
      await expect(legislation.ruleOnBloc(session, judged, true))
        .to.be.revertedWithCustomError(legislation, "StaleBloc")
        .withArgs(session, judged, await caseOf(session));
    });
  });

  describe("given a release", () => {
    it("it should let the law be approved, with time to do it", async () => {
      const { legislation } = house;
      const session = await codified();
      await flag(session, 0, 1);
      const { deadline } = await legislation.sessionOf(session);
      await time.increaseTo(deadline - 10n);
      await expect(legislation.ruleOnBloc(session, await caseOf(session), true))
        .to.emit(legislation, "BlocRuled")
        .withArgs(session, await caseOf(session), true);
      expect((await legislation.sessionOf(session)).deadline).to.equal(BigInt(await time.latest()) + APPROVAL);
      expect(await legislation.blocOf(session)).to.deep.equal([2n, false, await caseOf(session), await caseOf(session)]);
      await approve(session);
    });

    it("it should hold for those voters: as many more delay again", async () => {
      const { legislation } = house;
      const delayed = async (session: bigint) => (await legislation.blocOf(session)).delayed;
      await setParameter(house, "CRITICAL_BLOC_SHARE", 2000);
      const session = await codified();
      await flag(session, 0, 1);
      await legislation.ruleOnBloc(session, await caseOf(session), true);
      await flag(session, 0, 2);
      expect(await delayed(session)).to.equal(false);
      await approve(session);
      // Now one of eight is a critical share.
      await setParameter(house, "CRITICAL_BLOC_SHARE", 1000);
      const strict = await codified();
      await flag(strict, 0, 1);
      await legislation.ruleOnBloc(strict, await caseOf(strict), true);
      await flag(strict, 0, 2);
      expect(await delayed(strict)).to.equal(true);
      await expect(approve(strict)).to.be.revertedWithCustomError(legislation, "AwaitingRuling");
    });
  });

  describe("given a void", () => {
    it("it should fail the session, whose deposit goes back", async () => {
      const { legislation, deployer } = house;
      const session = await codified();
      await flag(session, 0, 1);
      const call = legislation.ruleOnBloc(session, await caseOf(session), false);
      await expect(call).to.emit(legislation, "StateChanged").withArgs(session, State.CODIFIED, State.FAILED, deployer.address);
      await expect(call)
        .to.emit(legislation, "BlocRuled")
        .withArgs(session, await caseOf(session), false);
      await expect(legislation.withdraw(session)).to.emit(legislation, "DepositWithdrawn");
    });
  });

  describe("given two adjudicators' RULE_ON_BLOC", () => {
    async function act(session: bigint, release: boolean, signers: readonly Wallet[]) {
      const { adjudication } = house;
      const message = {
        action: RULE_ON_BLOC,
        mission: ZeroAddress,
        node: 0,
        target: ZeroAddress,
        data: AbiCoder.defaultAbiCoder().encode(["uint256", "bool"], [session, release]),
        because: "why",
        caseHash: await caseOf(session),
        salt: 0n,
        deadline: 2n ** 40n - 1n,
      };
      const signatures = [];
      for (const signer of signers) {
        const signature = await house.signOrder(message, signer);
        signatures.push({ adjudicator: signer.address, signature });
      }
      return adjudication.act(message, signatures);
    }

    it("it should execute what they signed, release or void", async () => {
      const { legislation, adjudicators } = house;
      for (const [release, state] of [
        [true, State.CODIFIED],
        [false, State.FAILED],
      ] as const) {
        const session = await codified();
        await flag(session, 0, 1);
        await expect(act(session, release, adjudicators.slice(0, 2)))
          .to.emit(legislation, "BlocRuled")
          .withArgs(session, await caseOf(session), release);
        expect((await legislation.sessionOf(session)).state).to.equal(state);
      }
    });

    it("it should refuse one signature, and whose principal sponsors the session", async () => {
      const { adjudication, adjudicators, account, addresses, legislation } = house;
      const session = await codified();
      await flag(session, 0, 1);
      await expect(act(session, true, adjudicators.slice(0, 1)))
        .to.be.revertedWithCustomError(adjudication, "NotEnoughSignatures")
        .withArgs(1, 2);
      const conflicted = await account("adjudicator 0");
      const principal = await account("adjudicator 0's principal");
      await house.fund(principal, addresses.LEGISLATION, 1000n);
      await legislation.connect(principal).openSession(hash("goal"), 1000n, ZeroAddress);
      const own = await legislation.sessionCount();
      const signers = adjudicators.filter(({ address }) => address === conflicted.address);
      const other = adjudicators.find(({ address }) => address !== conflicted.address) as Wallet;
      const both = [...signers, other].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
      await expect(act(own, true, both))
        .to.be.revertedWithCustomError(adjudication, "Conflicted")
        .withArgs(conflicted.address, ZeroAddress);
    });
  });
});

describe("LegislativeProcedure.correlationOf", () => {
  beforeEach(fresh);

  describe("when one of the two did not vote", () => {
    it("it should revert with NotVoted", async () => {
      const { legislation } = house;
      const session = await voted(ORDERS.slice(0, 2));
      await expect(legislation.correlationOf(session, voter(0).address, voter(5).address))
        .to.be.revertedWithCustomError(legislation, "NotVoted")
        .withArgs(session, voter(5).address);
    });
  });

  describe("given two recorded rankings", () => {
    it("it should tell τ and Jaccard of the top as the rule computes them", async () => {
      const { legislation } = house;
      const session = await voted();
      for (const [i, order] of ORDERS.entries()) {
        for (const [j, other] of ORDERS.entries()) {
          const [a, b] = [packRanking(order), packRanking(other)];
          expect(await legislation.correlationOf(session, voter(i).address, voter(j).address)).to.deep.equal([
            BigInt(tau(a, b, 4)),
            BigInt(jaccard(a, b, 4, depth(4))),
          ]);
        }
      }
    });
  });
});
