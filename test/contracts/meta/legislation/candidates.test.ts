import { expect } from "chai";
import { type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { randomStream } from "../../../../orchestrator/primitives/random.ts";
import { networkHelpers } from "../../../support/city-fixture.ts";
import { hash, type Legislature, loadLegislature, PROPOSAL, State, setParameter } from "../../../support/legislature.ts";

const { time } = networkHelpers;
const SPEC = hash("spec");
const CID = hash("cid");
const DEADLINE = 2n ** 40n - 1n;

const voter = (house: Legislature, index: number): Wallet => house.voters[index] as Wallet;

describe("LegislativeProcedure: candidates", () => {
  describe("propose", () => {
    it("numbers candidates from one; the proposer is the first sponsor", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct } = house;
      const session = await steps.toProposing();
      const author = voter(house, 0);
      const done = legislation.connect(author).propose(session, SPEC, CID, direct(author));
      await expect(done).to.emit(legislation, "Proposed").withArgs(session, 1, author.address, SPEC, CID);
      await expect(done).to.emit(legislation, "Sponsored").withArgs(session, 1, author.address);
      const principal = await house.producers.principalOf(author.address);
      expect(await legislation.candidateOf(session, 1)).to.deep.equal([SPEC, principal, author.address, 1n, false]);
      expect(await legislation.candidateOf(session, 0)).to.deep.equal([ZeroHash, ZeroAddress, ZeroAddress, 0n, false]);
      expect((await legislation.sessionOf(session)).candidates).to.equal(2);
    });

    it("takes the agent's signature from anyone, bound to session, content and time", async () => {
      const house = await loadLegislature();
      const { legislation, steps, sign, addresses } = house;
      const session = await steps.toProposing();
      const agent = voter(house, 0);
      const message = { session, agent: agent.address, specHash: SPEC, cid: CID, deadline: DEADLINE };
      const signature = await sign("Propose", addresses.LEGISLATION, message, agent);
      const auth = { agent: agent.address, deadline: DEADLINE, signature };
      const refused = (...args: Parameters<typeof legislation.propose>) =>
        expect(legislation.propose(...args))
          .to.be.revertedWithCustomError(legislation, "InvalidSignature")
          .withArgs(agent.address);
      await refused(session, hash("other"), CID, auth);
      await refused(session, SPEC, hash("other"), auth);
      await refused(session, SPEC, CID, { ...auth, deadline: DEADLINE - 1n });
      await refused(await steps.toProposing(), SPEC, CID, auth);
      await refused(session, SPEC, CID, { ...auth, signature: "0x" });
      await expect(legislation.propose(session, SPEC, CID, { ...auth, deadline: 1 }))
        .to.be.revertedWithCustomError(legislation, "Expired")
        .withArgs(1);
      await legislation.propose(session, SPEC, CID, auth);
      await expect(legislation.propose(session, SPEC, CID, auth))
        .to.be.revertedWithCustomError(legislation, "AlreadyProposed")
        .withArgs(session, agent.address);
    });

    it("belongs to eligible producers of an earlier block", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct, producers, offices, account, register } = house;
      const session = await steps.toProposing();
      const late = (await register("late")).agent;
      const [banned, lapsed, leaving] = [voter(house, 0), voter(house, 1), voter(house, 2)];
      await producers.ban(banned.address, hash("reason"));
      await producers.connect(leaving).deregister(leaving.address);
      for (const agent of [late, banned, offices.SPEAKER[0] as Wallet, await account("stranger")]) {
        await expect(legislation.connect(agent).propose(session, SPEC, CID, direct(agent)))
          .to.be.revertedWithCustomError(legislation, "NotEligible")
          .withArgs(agent.address);
      }
      // Notice and a lapse are for sessions that open after them.
      await legislation.connect(leaving).propose(session, SPEC, CID, direct(leaving));
      await producers.connect(await house.as("LEGISLATION")).lapse(lapsed.address);
      await legislation.connect(lapsed).propose(session, SPEC, CID, direct(lapsed));
      const next = await steps.toProposing();
      for (const agent of [lapsed, leaving]) {
        await expect(legislation.connect(agent).propose(next, SPEC, CID, direct(agent)))
          .to.be.revertedWithCustomError(legislation, "NotEligible")
          .withArgs(agent.address);
      }
    });

    it("ends with the stage", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct } = house;
      const agent = voter(house, 0);
      const opened = await steps.open();
      await expect(legislation.connect(agent).propose(opened, SPEC, CID, direct(agent)))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(opened, State.IDENTIFYING, 1 << State.PROPOSING);
      const session = await steps.toProposing();
      const { deadline } = await legislation.sessionOf(session);
      await time.setNextBlockTimestamp(deadline + 1n);
      await expect(legislation.connect(agent).propose(session, SPEC, CID, direct(agent)))
        .to.be.revertedWithCustomError(legislation, "TooLate")
        .withArgs(session, deadline);
    });
  });

  describe("sponsor", () => {
    it("counts each sponsor once and notices a second principal", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct } = house;
      const session = await steps.toProposing();
      await steps.propose(session, 0, SPEC, 1);
      // Producers 0 and 4 share a principal.
      for (const [index, pluralistic] of [
        [4, false],
        [1, true],
        [5, true],
      ] as const) {
        await expect(legislation.connect(voter(house, index)).sponsor(session, 1, direct(voter(house, index))))
          .to.emit(legislation, "Sponsored")
          .withArgs(session, 1, voter(house, index).address);
        expect((await legislation.candidateOf(session, 1)).pluralistic).to.equal(pluralistic);
      }
      expect((await legislation.candidateOf(session, 1)).sponsors).to.equal(4);
      await expect(legislation.connect(voter(house, 1)).sponsor(session, 1, direct(voter(house, 1))))
        .to.be.revertedWithCustomError(legislation, "AlreadySponsored")
        .withArgs(session, voter(house, 1).address, 1);
      await expect(legislation.connect(voter(house, 0)).sponsor(session, 1, direct(voter(house, 0)))).to.be.revertedWithCustomError(
        legislation,
        "AlreadySponsored",
      );
    });

    it("allows three, the own proposal included", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct } = house;
      const session = await steps.toProposing();
      for (let i = 0; i < 4; i++) await steps.propose(session, i, hash(`spec ${i}`), 1);
      const agent = voter(house, 3);
      for (const candidate of [1, 2]) await legislation.connect(agent).sponsor(session, candidate, direct(agent));
      await expect(legislation.connect(agent).sponsor(session, 3, direct(agent)))
        .to.be.revertedWithCustomError(legislation, "SponsorshipsExhausted")
        .withArgs(session, agent.address, 3);
      const idle = voter(house, 7);
      for (const candidate of [1, 2, 3]) await legislation.connect(idle).sponsor(session, candidate, direct(idle));
      await expect(legislation.connect(idle).propose(session, SPEC, CID, direct(idle))).to.be.revertedWithCustomError(
        legislation,
        "SponsorshipsExhausted",
      );
    });

    it("takes a signature, and knows neither the status quo nor a missing candidate", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct, sign, addresses } = house;
      const session = await steps.toProposing();
      await steps.propose(session, 0, SPEC, 1);
      const agent = voter(house, 1);
      for (const candidate of [0, 2]) {
        await expect(legislation.connect(agent).sponsor(session, candidate, direct(agent)))
          .to.be.revertedWithCustomError(legislation, "UnknownCandidate")
          .withArgs(session, candidate);
      }
      const message = { session, agent: agent.address, candidate: 1, deadline: DEADLINE };
      const signature = await sign("Sponsor", addresses.LEGISLATION, message, agent);
      const auth = { agent: agent.address, deadline: DEADLINE, signature };
      await expect(legislation.sponsor(session, 1, { ...auth, agent: voter(house, 2).address })).to.be.revertedWithCustomError(
        legislation,
        "InvalidSignature",
      );
      await legislation.sponsor(session, 1, auth);
    });

    it("belongs to the electorate, in its stage", async () => {
      const house = await loadLegislature();
      const { legislation, steps, direct } = house;
      const session = await steps.toProposing();
      await steps.propose(session, 0, SPEC, 1);
      const late = (await house.register("late")).agent;
      await expect(legislation.connect(late).sponsor(session, 1, direct(late)))
        .to.be.revertedWithCustomError(legislation, "NotEligible")
        .withArgs(late.address);
      await time.increase(PROPOSAL + 1n);
      await expect(legislation.connect(voter(house, 1)).sponsor(session, 1, direct(voter(house, 1)))).to.be.revertedWithCustomError(
        legislation,
        "TooLate",
      );
    });
  });

  describe("openVoting", () => {
    it("puts the status quo and every qualified candidate on the ballot, in candidate order", async () => {
      const house = await loadLegislature();
      const { legislation, steps, offices } = house;
      const speaker = offices.SPEAKER[0] as Wallet;
      const session = await steps.toProposing();
      await steps.propose(session, 0, hash("A"), 5);
      await steps.propose(session, 5, hash("too few"), 4);
      await steps.propose(session, 1, hash("B"), 5);
      const done = await legislation.connect(speaker).openVoting(session);
      const info = await legislation.sessionOf(session);
      await expect(done).to.emit(legislation, "VotingOpened").withArgs(session, [0, 1, 3], info.tieSeed, info.deadline);
      expect(await legislation.ballotOf(session)).to.deep.equal([0n, 1n, 3n]);
      expect([info.state, info.candidates, info.ballotSize]).to.deep.equal([BigInt(State.VOTING), 4n, 3n]);
      expect(info.tieSeed).not.to.equal(ZeroHash);
      expect(info.deadline).to.equal(BigInt(await time.latest()) + PROPOSAL);
    });

    it("wants sponsors of two principals, and as many as the rules say", async () => {
      const house = await loadLegislature();
      const { legislation, steps, offices, direct } = house;
      await setParameter(house, "MIN_SPONSORS", 3);
      const session = await steps.toProposing();
      const [a, b] = [voter(house, 0), voter(house, 4)];
      const third = (await house.register("third", { principal: await house.account("principal 0") })).agent;
      await legislation.connect(a).propose(session, SPEC, CID, direct(a));
      await legislation.connect(b).sponsor(session, 1, direct(b));
      await expect(legislation.connect(third).sponsor(session, 1, direct(third))).to.be.revertedWithCustomError(legislation, "NotEligible");
      const next = await steps.toProposing();
      for (const [i, agent] of [a, b, third].entries()) {
        if (i === 0) await legislation.connect(agent).propose(next, SPEC, CID, direct(agent));
        else await legislation.connect(agent).sponsor(next, 1, direct(agent));
      }
      const speaker = legislation.connect(offices.SPEAKER[0] as Wallet);
      await expect(speaker.openVoting(next)).to.be.revertedWithCustomError(legislation, "NoCandidates").withArgs(next);
      await legislation.connect(voter(house, 1)).sponsor(next, 1, direct(voter(house, 1)));
      await speaker.openVoting(next);
      expect(await legislation.ballotOf(next)).to.deep.equal([0n, 1n]);
    });

    it("belongs to the Speaker before the timeout, to anyone after it", async () => {
      const house = await loadLegislature();
      const { legislation, steps, clerks, offices, account } = house;
      const anyone = await account("anyone");
      const session = await steps.toProposing();
      await steps.propose(session, 0, SPEC);
      for (const other of [anyone, offices.REGULATOR[0] as Wallet]) {
        await expect(legislation.connect(other).openVoting(session)).to.be.revertedWithCustomError(clerks, "NotClerk");
      }
      await time.increase(PROPOSAL + 1n);
      await legislation.connect(anyone).openVoting(session);
      expect((await legislation.sessionOf(session)).state).to.equal(State.VOTING);
    });

    it("fails a session that nobody's candidate qualified for, only after the timeout", async () => {
      const house = await loadLegislature();
      const { legislation, steps, offices, deployer } = house;
      const session = await steps.toProposing();
      await steps.propose(session, 0, SPEC, 4);
      await expect(legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(session)).to.be.revertedWithCustomError(
        legislation,
        "NoCandidates",
      );
      await time.increase(PROPOSAL + 1n);
      await expect(legislation.openVoting(session))
        .to.emit(legislation, "StateChanged")
        .withArgs(session, State.PROPOSING, State.FAILED, deployer.address);
    });

    it("keeps the fifteen best sponsored, the earlier on equal numbers", async () => {
      const house = await loadLegislature();
      const { legislation, direct, steps, offices } = house;
      await setParameter(house, "MIN_SPONSORS", 3);
      const crowd: Wallet[] = [...house.voters];
      while (crowd.length < 20)
        crowd.push((await house.register(`crowd ${crowd.length}`, { principal: await house.account(`crowd ${crowd.length % 4}`) })).agent);
      const session = await steps.toProposing();
      const at = (i: number) => crowd[i % crowd.length] as Wallet;
      for (let i = 0; i < 18; i++) await legislation.connect(at(i)).propose(session, hash(`spec ${i}`), CID, direct(at(i)));
      // Everybody sponsors the two candidates after its own; the last ones wrap around to 1 and 2.
      for (let i = 0; i < 18; i++) {
        for (const step of [1, 2]) await legislation.connect(at(i)).sponsor(session, ((i + step) % 18) + 1, direct(at(i)));
      }
      // Two idle producers raise candidates 16, 17 and 18 above the rest.
      for (const idle of [at(18), at(19)]) {
        for (const candidate of [16, 17, 18]) await legislation.connect(idle).sponsor(session, candidate, direct(idle));
      }
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(session);
      const expected = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18].map(BigInt);
      expect(await legislation.ballotOf(session)).to.deep.equal(expected);
    });

    it("makes the same ballot in whatever order its sponsors come", async () => {
      const house = await loadLegislature();
      const { legislation, direct, steps, offices } = house;
      await setParameter(house, "MIN_SPONSORS", 3);
      const crowd: { readonly agent: Wallet; readonly principal: string }[] = [];
      for (let i = 0; i < 24; i++) {
        const principal = await house.account(`landlord ${i % 5}`);
        crowd.push({ agent: (await house.register(`crowd ${i}`, { principal })).agent, principal: principal.address });
      }
      for (let round = 0; round < 3; round++) {
        const random = randomStream(`ballots ${round}`);
        const session = await steps.toProposing();
        const proposals: { readonly proposer: number; readonly sponsors: Set<number> }[] = [];
        const support = async (by: number, candidate: number) => {
          const { agent } = crowd[by] as (typeof crowd)[number];
          await legislation.connect(agent).sponsor(session, candidate, direct(agent));
          proposals[candidate - 1]?.sponsors.add(by);
        };
        const given = new Map<number, number>();
        for (const by of random.shuffle([...crowd.keys(), ...crowd.keys(), ...crowd.keys()])) {
          const { agent } = crowd[by] as (typeof crowd)[number];
          const own = given.get(by) ?? 0;
          given.set(by, own + 1);
          if (own === 0 && proposals.length < 20) {
            await legislation.connect(agent).propose(session, hash(`spec ${proposals.length}`), CID, direct(agent));
            proposals.push({ proposer: by, sponsors: new Set([by]) });
            continue;
          }
          const open = [...proposals.keys()].filter((place) => !proposals[place]?.sponsors.has(by));
          if (open.length > 0) await support(by, random.pick(open) + 1);
        }
        const principalOf = (of: number) => crowd[of]?.principal;
        const best = [...proposals.entries()]
          .filter(
            ([, { proposer, sponsors }]) => sponsors.size >= 3 && [...sponsors].some((one) => principalOf(one) !== principalOf(proposer)),
          )
          .sort(([a, one], [b, other]) => other.sponsors.size - one.sponsors.size || a - b)
          .slice(0, 15)
          .map(([place]) => place + 1);
        await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(session);
        const expected = [0, ...best.sort((a, b) => a - b)].map(BigInt);
        expect(await legislation.ballotOf(session)).to.deep.equal(expected);
      }
    });
  });
});
