import { expect } from "chai";
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { DEVNET } from "../../../../orchestrator/protocol/parameters.ts";
import { ethers, loadWiredCity, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  APPROVAL,
  billOf,
  DEPOSIT,
  GOAL,
  lawOf,
  loadLegislature,
  outOfOffice,
  PROPOSAL,
  REVIEW,
  State,
  setParameter,
} from "../../../support/legislature.ts";

const { time } = networkHelpers;
const BILL = billOf(lawOf());
const MASK = (...states: number[]): number => states.reduce((mask, state) => mask | (1 << state), 0);

/** In `enum MissionState`. */
const [COMPLETED, FAILED, ABORTED] = [5, 6, 7];

describe("LegislativeProcedure: sessions", () => {
  describe("openSession", () => {
    it("pulls the deposit and copies electorate, parameters and rules", async () => {
      const { legislation, token, constitution, templates, sponsor, addresses } = await loadLegislature();
      const params = await constitution.missionParams();
      await expect(legislation.connect(sponsor).openSession(GOAL, DEPOSIT, ZeroAddress))
        .to.emit(legislation, "SessionOpened")
        .withArgs(1, sponsor.address, GOAL, DEPOSIT, 8, params);
      expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(DEPOSIT);
      const session = await legislation.sessionOf(1);
      const at = BigInt(await time.latest());
      expect(session.state).to.equal(State.IDENTIFYING);
      expect([session.candidates, session.ballotSize, session.electorate, session.ballots]).to.deep.equal([1n, 0n, 8n, 0n]);
      expect([session.sponsor, session.parent, session.goalHash]).to.deep.equal([sponsor.address, ZeroAddress, GOAL]);
      expect([session.openedAt, session.deadline, session.deposit]).to.deep.equal([at, at + PROPOSAL, DEPOSIT]);
      expect([session.params, session.mission]).to.deep.equal([params, ZeroAddress]);
      const version = await templates.latestVersion(await legislation.template());
      const fee = tokens(DEVNET.SESSION_FEE);
      expect(session.rules).to.deep.equal([5n, 6000n, 2n, PROPOSAL, APPROVAL, REVIEW, version, fee, 90n, 80n, 1000n, 100n]);
    });

    it("keeps its rules when the constitution changes", async () => {
      const house = await loadLegislature();
      const { legislation, steps } = house;
      const session = await steps.open();
      const before = await legislation.sessionOf(session);
      await setParameter(house, "MIN_SPONSORS", 3);
      await setParameter(house, "TURNOUT_QUORUM", 9000);
      await setParameter(house, "SESSION_FEE", 999);
      await setParameter(house, "PROTOCOL_FEE_RATE", 1);
      await setParameter(house, "LEGISLATIVE_PROPOSAL_TIMEOUT", 3600);
      expect(await legislation.sessionOf(session)).to.deep.equal(before);
      expect((await legislation.sessionOf(await steps.open())).rules.minSponsors).to.equal(3);
    });

    it("refuses agents of the city, no money, a parent that is no mission", async () => {
      const { legislation, voters, offices, sponsor } = await loadLegislature();
      for (const agent of [voters[0], offices.SPEAKER[0]] as Wallet[]) {
        await expect(legislation.connect(agent).openSession(GOAL, DEPOSIT, ZeroAddress))
          .to.be.revertedWithCustomError(legislation, "NotEligible")
          .withArgs(agent.address);
      }
      await expect(legislation.connect(sponsor).openSession(GOAL, 0, ZeroAddress)).to.be.revertedWithCustomError(
        legislation,
        "ZeroDeposit",
      );
      await expect(legislation.connect(sponsor).openSession(GOAL, DEPOSIT, sponsor.address))
        .to.be.revertedWithCustomError(legislation, "UnknownParent")
        .withArgs(sponsor.address);
    });

    it("remembers a genuine parent", async () => {
      const house = await loadLegislature();
      const { address } = await house.probe(77);
      await house.legislation.connect(house.sponsor).openSession(GOAL, DEPOSIT, address);
      expect((await house.legislation.sessionOf(1)).parent).to.equal(address);
    });

    it("counts the laws that failed for a goal, and refuses one more than the first of them allowed", async () => {
      const house = await loadLegislature();
      const legislation = house.legislation.connect(house.sponsor);
      await setParameter(house, "MAX_REFINEMENT_ITERATIONS", 1);
      const params = await house.constitution.missionParams();
      await legislation.openSession(GOAL, DEPOSIT, ZeroAddress);
      const first = await house.probe(1, params);
      await first.become(FAILED);
      await legislation.openSession(GOAL, DEPOSIT, first.address);
      expect((await legislation.sessionOf(2)).epoch).to.equal(1);
      const second = await house.probe(2, params);
      await second.become(ABORTED);
      await expect(legislation.openSession(GOAL, DEPOSIT, second.address))
        .to.be.revertedWithCustomError(legislation, "EpochsExhausted")
        .withArgs(second.address, 2);
      // What was completed is continued, not made good.
      await second.become(COMPLETED);
      await legislation.openSession(GOAL, DEPOSIT, second.address);
      expect((await legislation.sessionOf(3)).epoch).to.equal(0);
    });

    it("needs a procedure in office", async () => {
      const { constitution, sponsor } = await loadLegislature();
      const outsider = await outOfOffice(constitution);
      await expect(outsider.connect(sponsor).openSession(GOAL, DEPOSIT, ZeroAddress)).to.be.revertedWithCustomError(
        outsider,
        "ProcedureRetired",
      );
    });

    it("needs a published template", async () => {
      const { legislation, templates, account } = await loadWiredCity();
      const sponsor = await account("sponsor");
      await expect(legislation.connect(sponsor).openSession(GOAL, DEPOSIT, ZeroAddress))
        .to.be.revertedWithCustomError(templates, "UnknownTemplate")
        .withArgs(await legislation.template(), 0);
    });

    it("refuses a sponsor that has not approved the deposit", async () => {
      const { legislation, account } = await loadLegislature();
      const poor = await account("poor");
      await expect(legislation.connect(poor).openSession(GOAL, DEPOSIT, ZeroAddress)).to.revert(ethers);
    });
  });

  describe("confirmIdentities", () => {
    it("opens proposing, by the Registrar within its time and envelope", async () => {
      const { legislation, clerks, offices, steps } = await loadLegislature();
      const [registrar, speaker] = [offices.REGISTRAR[0], offices.SPEAKER[0]] as [Wallet, Wallet];
      const session = await steps.open();
      await expect(legislation.connect(speaker).confirmIdentities(session, ZeroHash)).to.be.revertedWithCustomError(clerks, "NotClerk");
      const done = legislation.connect(registrar).confirmIdentities(session, id("root"));
      await expect(done).to.emit(legislation, "IdentitiesConfirmed").withArgs(session, id("root"));
      await expect(done).to.emit(legislation, "StateChanged").withArgs(session, State.IDENTIFYING, State.PROPOSING, registrar.address);
      expect((await legislation.sessionOf(session)).deadline).to.equal(BigInt(await time.latest()) + PROPOSAL);
      await expect(legislation.connect(registrar).confirmIdentities(session, ZeroHash))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(session, State.PROPOSING, MASK(State.IDENTIFYING));

      const late = await steps.open();
      const { deadline } = await legislation.sessionOf(late);
      await time.increaseTo(deadline + 1n);
      await expect(legislation.connect(registrar).confirmIdentities(late, ZeroHash))
        .to.be.revertedWithCustomError(legislation, "TooLate")
        .withArgs(late, deadline);
    });

    it("knows no session that was never opened", async () => {
      const { legislation, offices } = await loadLegislature();
      await expect(legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(9, ZeroHash))
        .to.be.revertedWithCustomError(legislation, "UnknownSession")
        .withArgs(9);
    });
  });

  describe("cancel", () => {
    it("ends the session in every stage before approval, for the fee of its day, to the treasury", async () => {
      const house = await loadLegislature();
      const { legislation, treasury, sponsor, steps } = house;
      await setParameter(house, "SESSION_FEE", 7);
      const stages = [
        await steps.open(),
        await steps.toProposing(),
        await steps.toVoting([BILL.specHash]),
        await steps.toTallied(BILL),
        await steps.toValidated(BILL),
        await steps.toCodified(BILL),
      ];
      for (const session of stages) {
        const free = await treasury.freeBalance();
        const { state } = await legislation.sessionOf(session);
        await expect(legislation.connect(sponsor).cancel(session))
          .to.emit(legislation, "StateChanged")
          .withArgs(session, state, State.CANCELLED, sponsor.address);
        expect(await treasury.freeBalance()).to.equal(free + tokens(7));
        expect((await legislation.sessionOf(session)).deposit).to.equal(DEPOSIT - tokens(7));
      }
    });

    it("takes at most the deposit, and no fee where there is none", async () => {
      const house = await loadLegislature();
      const { legislation, sponsor, steps } = house;
      const poor = await steps.open(tokens(3));
      await legislation.connect(sponsor).cancel(poor);
      expect((await legislation.sessionOf(poor)).deposit).to.equal(0);
      await expect(legislation.withdraw(poor)).to.be.revertedWithCustomError(legislation, "NothingToWithdraw").withArgs(poor);
      await setParameter(house, "SESSION_FEE", 0);
      const free = await steps.open();
      await legislation.connect(sponsor).cancel(free);
      expect((await legislation.sessionOf(free)).deposit).to.equal(DEPOSIT);
    });

    it("belongs to the sponsor, and comes too late after the end", async () => {
      const { legislation, sponsor, account, steps } = await loadLegislature();
      const session = await steps.open();
      const stranger = await account("stranger");
      await expect(legislation.connect(stranger).cancel(session))
        .to.be.revertedWithCustomError(legislation, "NotSponsor")
        .withArgs(session, stranger.address);
      await legislation.connect(sponsor).cancel(session);
      await expect(legislation.connect(sponsor).cancel(session)).to.be.revertedWithCustomError(legislation, "WrongState");
    });
  });

  describe("expire", () => {
    it("ends a stage that waited for somebody, after its deadline, by anyone", async () => {
      const { legislation, account, steps } = await loadLegislature();
      const anyone = await account("anyone");
      const stages: [number, () => Promise<bigint>, bigint][] = [
        [State.IDENTIFYING, () => steps.open(), PROPOSAL],
        [State.TALLIED, () => steps.toTallied(BILL), APPROVAL],
        [State.VALIDATED, () => steps.toValidated(BILL), APPROVAL],
        [State.CODIFIED, () => steps.toCodified(BILL), APPROVAL + REVIEW],
      ];
      for (const [state, reach, duration] of stages) {
        const session = await reach();
        const { deadline } = await legislation.sessionOf(session);
        expect(deadline).to.equal(BigInt(await time.latest()) + duration);
        await time.setNextBlockTimestamp(deadline);
        await expect(legislation.expire(session)).to.be.revertedWithCustomError(legislation, "NotYet").withArgs(session, deadline);
        await time.setNextBlockTimestamp(deadline + 1n);
        await expect(legislation.connect(anyone).expire(session))
          .to.emit(legislation, "StateChanged")
          .withArgs(session, state, State.EXPIRED, anyone.address);
        expect((await legislation.sessionOf(session)).deadline).to.equal(0);
      }
    });

    it("leaves alone the stages that anyone can move on", async () => {
      const { legislation, steps } = await loadLegislature();
      const allowed = MASK(State.IDENTIFYING, State.TALLIED, State.VALIDATED, State.CODIFIED);
      for (const [state, session] of [
        [State.PROPOSING, await steps.toProposing()],
        [State.VOTING, await steps.toVoting([BILL.specHash])],
      ] as const) {
        await expect(legislation.expire(session))
          .to.be.revertedWithCustomError(legislation, "WrongState")
          .withArgs(session, state, allowed);
      }
    });
  });

  describe("withdraw", () => {
    it("pays an expired, failed or cancelled session's deposit to its sponsor, once, whoever asks", async () => {
      const { legislation, token, sponsor, steps, addresses } = await loadLegislature();
      const expired = await steps.open();
      const failed = await steps.toProposing();
      const cancelled = await steps.open();
      await legislation.connect(sponsor).cancel(cancelled);
      await time.increase(PROPOSAL + 1n);
      await legislation.expire(expired);
      await legislation.openVoting(failed);
      for (const session of [expired, failed, cancelled]) {
        const { deposit } = await legislation.sessionOf(session);
        const had = await token.balanceOf(sponsor.address);
        await expect(legislation.withdraw(session)).to.emit(legislation, "DepositWithdrawn").withArgs(session, sponsor.address, deposit);
        expect(await token.balanceOf(sponsor.address)).to.equal(had + deposit);
        await expect(legislation.withdraw(session)).to.be.revertedWithCustomError(legislation, "NothingToWithdraw").withArgs(session);
      }
      expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(0);
    });

    it("pays nothing while the session lives", async () => {
      const { legislation, steps } = await loadLegislature();
      for (const session of [await steps.open(), await steps.toTallied(BILL), await steps.toCodified(BILL)]) {
        await expect(legislation.withdraw(session)).to.be.revertedWithCustomError(legislation, "WrongState");
      }
    });
  });

  describe("lapse", () => {
    /** A session in which only the listed producers vote, tallied after the deadline. */
    async function tallied(house: Awaited<ReturnType<typeof loadLegislature>>, voters: readonly number[]): Promise<void> {
      const session = await house.steps.toVoting([BILL.specHash]);
      const ballots = await Promise.all(voters.map((i) => house.steps.ballot(session, house.voters[i] as Wallet, [0, 1])));
      await house.legislation.castBallots(session, ballots);
      await time.increase(PROPOSAL + 1n);
      await house.legislation.tally(session);
    }

    it("takes out who missed the last three tallied sessions, and only those", async () => {
      const house = await loadLegislature();
      const { legislation, voters, producers, steps } = house;
      const [absent, once, present] = [voters[7], voters[6], voters[0]] as [Wallet, Wallet, Wallet];
      await tallied(house, [0, 1, 2, 3, 4]);
      await tallied(house, [0, 1, 2, 3, 6]);
      await expect(legislation.lapse(absent.address)).to.be.revertedWithCustomError(legislation, "StillAttending").withArgs(absent.address);
      // Below quorum nothing is counted.
      await tallied(house, [0, 1, 2]);
      await expect(legislation.lapse(absent.address)).to.be.revertedWithCustomError(legislation, "StillAttending");
      await tallied(house, [0, 1, 2, 3, 4]);
      for (const attending of [once, present]) {
        await expect(legislation.lapse(attending.address))
          .to.be.revertedWithCustomError(legislation, "StillAttending")
          .withArgs(attending.address);
      }
      await expect(legislation.lapse(absent.address)).to.emit(producers, "AgentLapsed");
      expect((await legislation.sessionOf(await steps.open())).electorate).to.equal(voters.length - 1);
    });

    it("spares who was not yet there, and who attends again", async () => {
      const house = await loadLegislature();
      const { legislation } = house;
      await tallied(house, [0, 1, 2, 3, 4]);
      await tallied(house, [0, 1, 2, 3, 4]);
      const late = (await house.register("late")).agent;
      await tallied(house, [0, 1, 2, 3, 4, 5]);
      await expect(legislation.lapse(late.address)).to.be.revertedWithCustomError(legislation, "StillAttending");
      const absent = house.voters[7] as Wallet;
      await legislation.lapse(absent.address);
      await house.producers.connect(absent).attend(absent.address);
      await expect(legislation.lapse(absent.address)).to.be.revertedWithCustomError(legislation, "StillAttending");
    });
  });
});
