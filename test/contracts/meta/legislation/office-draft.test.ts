import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { Kind, keyOf, networkHelpers, Office, tokens } from "../../../support/city-fixture.ts";
import { billOf, GOAL, hash, type Legislature, lawOf, loadLegislature, PROPOSAL, State } from "../../../support/legislature.ts";
import { loadPeopledCity, openMissionIn } from "../../../support/mission-fixture.ts";

const { time } = networkHelpers;
const BILL = billOf(lawOf(), "the office's document");
const CID = hash("cid of the office's");

const speakerOf = ({ offices }: Legislature) => offices.SPEAKER[0] as Wallet;
const principalOf = (house: Legislature) => house.producers.principalOf(speakerOf(house).address);
const refused = (house: Legislature, call: Promise<unknown>, error: string) =>
  expect(call, error).to.be.revertedWithCustomError(house.legislation, error);

async function drafted(): Promise<Legislature & { session: bigint }> {
  const house = await loadLegislature();
  const session = await house.steps.toProposing();
  await house.legislation.connect(speakerOf(house)).draft(session, BILL.specHash, CID);
  return { ...house, session };
}

/** Everybody prefers the only law on the ballot. */
async function enacted() {
  const house = await drafted();
  const { legislation, steps, voters, session } = house;
  await time.increase(PROPOSAL + 1n);
  await legislation.openVoting(session);
  await steps.vote(
    session,
    voters.map(() => [1, 0]),
  );
  await legislation.tally(session);
  return house;
}

describe("LegislativeProcedure: the Speaker's own draft", () => {
  describe("draft", () => {
    it("is a proposal without sponsors, marked as the office's", async () => {
      const house = await loadLegislature();
      const session = await house.steps.toProposing();
      const speaker = speakerOf(house);
      const done = house.legislation.connect(speaker).draft(session, BILL.specHash, CID);
      const principal = await principalOf(house);
      await expect(done).to.emit(house.legislation, "Proposed").withArgs(session, 1, speaker.address, BILL.specHash, CID);
      await expect(done).to.emit(house.legislation, "Drafted").withArgs(session, 1, principal);
      expect(await house.legislation.candidateOf(session, 1)).to.deep.equal([BILL.specHash, principal, speaker.address, 0n, false]);
      expect((await house.legislation.sessionOf(session)).drafted).to.equal(1);
    });

    it("belongs to the Speaker, once a session, while proposals are taken", async () => {
      const house = await drafted();
      const { legislation, session, voters, steps } = house;
      const by = (who: Wallet, about = session) => legislation.connect(who).draft(about, BILL.specHash, CID);
      await refused(house, by(speakerOf(house)), "AlreadyProposed");
      const other = await steps.toProposing();
      await expect(by(voters[0] as Wallet, other)).to.be.revertedWithCustomError(house.clerks, "NotClerk");
      await refused(house, by(speakerOf(house), await steps.open()), "WrongState");
      await time.increase(PROPOSAL + 1n);
      await refused(house, by(speakerOf(house), other), "TooLate");
    });

    it("is refused where nobody has paid: what producers petition for they draft", async () => {
      const house = await loadLegislature();
      const { legislation, steps, voters, offices } = house;
      const backers = await Promise.all(voters.map((voter) => steps.backer(voter, GOAL)));
      await legislation.petition(GOAL, ZeroAddress, backers.slice(0, 2));
      const session = await legislation.sessionCount();
      await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(session, hash("identities"));
      await refused(house, legislation.connect(speakerOf(house)).draft(session, BILL.specHash, CID), "NotAdopted");
    });

    it("is refused where a producer's draft has its sponsors", async () => {
      const house = await loadLegislature();
      const session = await house.steps.toProposing();
      await house.steps.propose(session, 0, hash("a producer's"));
      await refused(house, house.legislation.connect(speakerOf(house)).draft(session, BILL.specHash, CID), "NotNeeded");
    });

    it("is refused to a house that verifies, or issues evidence", async () => {
      const house = await loadLegislature();
      const { clerks, evidence, legislation, steps, register, account } = house;
      const session = await steps.toProposing();
      const principal = await account("verifies and speaks");
      const verifier = await register("its verifier", { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
      await evidence.registerVerifier(verifier.agent.address, 100);
      const clerk = await account("second Speaker");
      await clerks.appoint(Office.SPEAKER, clerk.address, principal.address);
      await refused(house, legislation.connect(clerk).draft(session, BILL.specHash, CID), "SpeakerJudges");
      const issues = await account("issues and speaks");
      await evidence.registerIssuer(keyOf("its issuer").address, issues.address, 1);
      const another = await account("third Speaker");
      await clerks.appoint(Office.SPEAKER, another.address, issues.address);
      await refused(house, legislation.connect(another).draft(session, BILL.specHash, CID), "SpeakerJudges");
    });
  });

  describe("a Speaker that would rather have its own law", () => {
    it("cannot put it to a debate or a vote before the producers had their time", async () => {
      const house = await drafted();
      const speaking = house.legislation.connect(speakerOf(house));
      await refused(house, speaking.openVoting(house.session), "NoCandidates");
      await refused(house, speaking.openDebate(house.session), "NoCandidates");
    });

    it("loses its place to a draft that finds its sponsors after it", async () => {
      const house = await drafted();
      const candidate = await house.steps.propose(house.session, 0, hash("a producer's"));
      await time.increase(PROPOSAL + 1n);
      await house.legislation.openVoting(house.session);
      expect(await house.legislation.ballotOf(house.session)).to.deep.equal([0n, BigInt(candidate)]);
    });

    it("gets no producer to sponsor it into the debate", async () => {
      const house = await drafted();
      const voter = house.voters[0] as Wallet;
      await refused(house, house.legislation.connect(voter).sponsor(house.session, 1, house.direct(voter)), "UnknownCandidate");
    });

    it("wins nothing where its own house alone could do the work", async () => {
      const house = await enacted();
      const principal = await house.account("principal of SPEAKER 0");
      const { agent } = await house.register("the Speaker's producer", { principal });
      const { legislation, session, validator } = house;
      await expect(legislation.validate(session, BILL.law, BILL.docHash, [agent.address]))
        .to.be.revertedWithCustomError(validator, "WitnessIneligible")
        .withArgs(0, agent.address);
      await legislation.validate(session, BILL.law, BILL.docHash, house.steps.witnesses());
    });

    it("is a party of the mission: its house neither pays for it nor bids", async () => {
      const city = await loadPeopledCity();
      const { agent } = city.workers[0] ?? { agent: { address: ZeroAddress } };
      const drafter = await city.producers.principalOf(agent.address);
      const mission = await (await openMissionIn(city, {}, 1n)).activate(drafter);
      await expect(mission.bid(0, 0)).to.be.revertedWithCustomError(city.execution, "SponsorConflict").withArgs(mission.address, drafter);
      await mission.bid(0, 1);
      expect((await city.execution.participationOf(mission.address, drafter)).sponsor).to.equal(true);
    });
  });

  describe("where no producer's draft found its sponsors", () => {
    it("is put to the vote by anyone, against no law", async () => {
      const house = await drafted();
      const voter = house.voters[0] as Wallet;
      await house.legislation.connect(voter).propose(house.session, hash("alone"), CID, house.direct(voter));
      await time.increase(PROPOSAL + 1n);
      await house.legislation.openVoting(house.session);
      expect(await house.legislation.ballotOf(house.session)).to.deep.equal([0n, 1n]);
      expect((await house.legislation.sessionOf(house.session)).state).to.equal(State.VOTING);
    });

    it("becomes law if the voters want it, and its house a party", async () => {
      const house = await enacted();
      const { legislation, execution, steps, offices, session } = house;
      await legislation.validate(session, BILL.law, BILL.docHash, steps.witnesses());
      await legislation.connect(offices.CODIFIER[0] as Wallet).codify(session, [await steps.delegate(session, BILL.specHash)]);
      const approvals = await steps.approvals(session, BILL.specHash, [
        ["SPEAKER", speakerOf(house)],
        ["REGULATOR", offices.REGULATOR[0] as Wallet],
        ["REGULATOR", offices.REGULATOR[1] as Wallet],
      ]);
      await legislation.approve(session, BILL.law, BILL.docHash, approvals);
      const { mission } = await legislation.sessionOf(session);
      expect((await execution.participationOf(mission, await principalOf(house))).sponsor).to.equal(true);
    });

    it("leaves no law where there is none, or where nobody wants it", async () => {
      const house = await drafted();
      const { legislation, steps, voters, session } = house;
      const empty = await steps.toProposing();
      await time.increase(PROPOSAL + 1n);
      await legislation.openVoting(empty);
      expect((await legislation.sessionOf(empty)).state).to.equal(State.FAILED);
      await legislation.openVoting(session);
      await steps.vote(
        session,
        voters.map(() => [0, 1]),
      );
      await legislation.tally(session);
      expect((await legislation.sessionOf(session)).state).to.equal(State.FAILED);
    });
  });
});
