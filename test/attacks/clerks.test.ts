/** Offices that do more than their envelope, their mandate or their number allows. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { EVERYTHING, Kind, keyOf, loadCity, networkHelpers, Office, tokens } from "../support/city-fixture.ts";
import {
  APPROVAL,
  billOf,
  GOAL,
  hash,
  type Legislature,
  lawOf,
  loadLegislature,
  OPERATION,
  PROPOSAL,
  State,
  setParameter,
} from "../support/legislature.ts";
import { loadPeopledCity, openMission, openMissionIn, TASK } from "../support/mission-fixture.ts";
import { attempt } from "./attempt.ts";

const BILL = billOf(lawOf());
const WHY = id("why");

describe("attacks by clerks", () => {
  let house: Legislature;
  beforeEach(async () => {
    house = await loadLegislature();
  });
  const holder = (office: keyof Legislature["offices"], index = 0): Wallet => house.offices[office][index] as Wallet;
  const stateOf = async (session: bigint) => Number((await house.legislation.sessionOf(session)).state);
  const qualified = async () => {
    const session = await house.steps.toProposing();
    await house.steps.propose(session, 0, BILL.specHash);
    return session;
  };

  it("a Speaker does what its envelope does not hold", async () => {
    const session = await qualified();
    const { selector } = house.legislation.interface.getFunction("openDebate");
    await house.clerks.setEnvelope(Office.SPEAKER, [selector], 8);
    await attempt(house.legislation.connect(holder("SPEAKER")).openVoting(session));
    expect(await stateOf(session)).to.equal(State.PROPOSING);
  });

  it("a Speaker does it more often than its envelope allows", async () => {
    const { selector } = house.legislation.interface.getFunction("openVoting");
    await house.clerks.setEnvelope(Office.SPEAKER, [selector], 0);
    const session = await qualified();
    await attempt(house.legislation.connect(holder("SPEAKER")).openVoting(session));
    expect(await stateOf(session)).to.equal(State.PROPOSING);
  });

  it("a clerk acts in an office that it does not hold", async () => {
    const session = await qualified();
    await attempt(house.legislation.connect(holder("REGISTRAR")).openVoting(session));
    expect(await stateOf(session)).to.equal(State.PROPOSING);
  });

  it("somebody opens the voting before the proposals are in", async () => {
    const session = await qualified();
    await attempt(house.legislation.connect(await house.account("somebody")).openVoting(session));
    expect(await stateOf(session)).to.equal(State.PROPOSING);
    await networkHelpers.time.increase(PROPOSAL + 1n);
    await house.legislation.openVoting(session);
    expect(await stateOf(session)).to.equal(State.VOTING);
  });

  const draftedBy = async (speaker = holder("SPEAKER")) => {
    const session = await house.steps.toProposing();
    await attempt(house.legislation.connect(speaker).draft(session, BILL.specHash, hash("cid")));
    return session;
  };
  const draftIn = async (session: bigint) => Number((await house.legislation.sessionOf(session)).drafted);
  /** The office's draft has won the vote. */
  const draftWon = async () => {
    const session = await draftedBy();
    await networkHelpers.time.increase(PROPOSAL + 1n);
    await house.legislation.openVoting(session);
    await house.steps.vote(
      session,
      house.voters.map(() => [1, 0]),
    );
    await house.legislation.tally(session);
    return session;
  };

  it("a Speaker puts its own draft to the vote before the producers had their time", async () => {
    const session = await draftedBy();
    await attempt(house.legislation.connect(holder("SPEAKER")).openVoting(session));
    expect(await stateOf(session)).to.equal(State.PROPOSING);
    const candidate = await house.steps.propose(session, 0, hash("a producer's"));
    await networkHelpers.time.increase(PROPOSAL + 1n);
    await house.legislation.openVoting(session);
    expect(await house.legislation.ballotOf(session)).to.deep.equal([0n, BigInt(candidate)]);
  });

  it("a Speaker drafts where a producer's draft has its sponsors", async () => {
    const session = await qualified();
    await attempt(house.legislation.connect(holder("SPEAKER")).draft(session, hash("its own"), hash("cid")));
    expect(await draftIn(session)).to.equal(0);
  });

  it("a Speaker drafts for a session that nobody has paid for", async () => {
    const { legislation, steps, voters } = house;
    const backers = await Promise.all(voters.slice(0, 2).map((voter) => steps.backer(voter, GOAL)));
    await legislation.petition(GOAL, ZeroAddress, backers);
    const session = await legislation.sessionCount();
    await legislation.connect(holder("REGISTRAR")).confirmIdentities(session, hash("identities"));
    await attempt(legislation.connect(holder("SPEAKER")).draft(session, BILL.specHash, hash("cid")));
    expect(await draftIn(session)).to.equal(0);
  });

  it("a producer carries the Speaker's draft into the debate", async () => {
    const session = await draftedBy();
    for (const voter of house.voters.slice(0, 5)) await attempt(house.legislation.connect(voter).sponsor(session, 1, house.direct(voter)));
    expect((await house.legislation.candidateOf(session, 1)).sponsors).to.equal(0);
    await attempt(house.legislation.connect(holder("SPEAKER")).openDebate(session));
    expect(await stateOf(session)).to.equal(State.PROPOSING);
  });

  it("a Speaker drafts what its own house alone can carry out", async () => {
    const session = await draftWon();
    const { agent } = await house.register("the Speaker's producer", { principal: await house.account("principal of SPEAKER 0") });
    await attempt(house.legislation.validate(session, BILL.law, BILL.docHash, [agent.address]));
    expect(await stateOf(session)).to.equal(State.TALLIED);
  });

  it("a Speaker's house is paid for work under the law that it drafted", async () => {
    const city = await loadPeopledCity();
    const drafter = await city.producers.principalOf(city.workers[0]?.agent.address ?? ZeroAddress);
    const mission = await (await openMissionIn(city, {}, 1n)).activate(drafter);
    await attempt(mission.bid(0, 0));
    expect(await city.execution.bidsOf(mission.address, 0)).to.deep.equal([]);
  });

  it("a house judges what its Speaker drafts", async () => {
    const principal = await house.account("principal of SPEAKER 0");
    const { agent } = await house.register("its verifier", { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
    await attempt(house.evidence.registerVerifier(agent.address, 100));
    expect(await house.evidence.judges(principal.address)).to.equal(false);
  });

  it("a house issues evidence about what its Speaker drafts", async () => {
    const principal = await house.account("principal of SPEAKER 0");
    await attempt(house.evidence.registerIssuer(keyOf("its issuer").address, principal.address, 1));
    expect(await house.evidence.judges(principal.address)).to.equal(false);
  });

  it("a house whose Speaker drafted a law gives the office up, and judges the work under it", async () => {
    await draftWon();
    const principal = await house.account("principal of SPEAKER 0");
    await house.clerks.revoke(Office.SPEAKER, holder("SPEAKER").address);
    const { agent } = await house.register("its verifier", { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
    await attempt(house.evidence.registerVerifier(agent.address, 100));
    expect(await house.evidence.judges(principal.address)).to.equal(false);
    await attempt(house.evidence.registerIssuer(keyOf("its issuer").address, principal.address, 1));
    expect(await house.evidence.judges(principal.address)).to.equal(false);
  });

  it("a house that issues evidence has its Speaker draft", async () => {
    const principal = await house.account("issues and speaks");
    await house.evidence.registerIssuer(keyOf("its issuer").address, principal.address, 1);
    const speaker = await house.account("second Speaker");
    await house.clerks.appoint(Office.SPEAKER, speaker.address, principal.address);
    expect(await draftIn(await draftedBy(speaker))).to.equal(0);
  });

  it("a house that verifies has its Speaker draft", async () => {
    const principal = await house.account("verifies and speaks");
    const { agent } = await house.register("its verifier", { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
    await house.evidence.registerVerifier(agent.address, 100);
    const speaker = await house.account("second Speaker");
    await house.clerks.appoint(Office.SPEAKER, speaker.address, principal.address);
    expect(await draftIn(await draftedBy(speaker))).to.equal(0);
  });

  it("somebody uses up an office's allowance", async () => {
    const session = await qualified();
    const { selector } = house.legislation.interface.getFunction("openVoting");
    for (let i = 0; i < 8; i++) await attempt(house.clerks.consume(Office.SPEAKER, holder("SPEAKER").address, selector, session));
    await attempt(house.legislation.connect(holder("SPEAKER")).openVoting(session));
    expect(await stateOf(session)).to.equal(State.VOTING);
  });

  it("a Codifier presents a law that the mandated compiler never made", async () => {
    const session = await house.steps.toValidated(BILL);
    await attempt(house.legislation.connect(holder("CODIFIER")).codify(session, []));
    expect(await stateOf(session)).to.equal(State.VALIDATED);
  });

  it("a Codifier presents a compilation that it only announced", async () => {
    const session = await house.steps.toValidated(BILL);
    const { management, legislation, compiler } = house;
    await management.connect(holder("CODIFIER")).delegate(session, OPERATION, compiler, BILL.specHash);
    const delegation = await management.delegationId(session, OPERATION, BILL.specHash);
    await attempt(legislation.connect(holder("CODIFIER")).codify(session, [delegation]));
    expect(await stateOf(session)).to.equal(State.VALIDATED);
  });

  it("a Codifier has a compiler of its own choice do it", async () => {
    const { management, services, voters, direct } = house;
    const owner = voters[1] as Wallet;
    const record = [hash("own code"), hash("schema"), "local:own", ZeroHash] as const;
    const own = await services.connect(owner).registerService.staticCall(...record, direct(owner));
    await services.connect(owner).registerService(...record, direct(owner));
    await attempt(management.connect(holder("CODIFIER")).delegate(1, OPERATION, own, BILL.specHash));
    const delegation = await management.delegationId(1, OPERATION, BILL.specHash);
    expect((await management.delegationOf(delegation)).inputHash).to.equal(ZeroHash);
  });

  it("the owner of the mandated compiler takes it away, so that no session makes a law again", async () => {
    const { management, services, compiler, voters } = house;
    await attempt(services.connect(voters[0] as Wallet).deprecateService(compiler));
    await attempt(management.connect(holder("CODIFIER")).delegate(1, OPERATION, compiler, BILL.specHash));
    const delegation = await management.delegationId(1, OPERATION, BILL.specHash);
    expect((await management.delegationOf(delegation)).inputHash).to.equal(BILL.specHash);
  });

  it("a Codifier replaces a result after it was checked", async () => {
    const { management, steps } = house;
    const delegation = await steps.delegate(1n, BILL.specHash);
    const again = await house.resultBy(house.runner, delegation, hash("another result"), ZeroHash);
    await attempt(management.connect(holder("CODIFIER")).recordResult(delegation, hash("another result"), ZeroHash, again));
    expect((await management.delegationOf(delegation)).outputHash).to.equal(hash("compiled"));
  });

  const delegated = async () => {
    const { management, compiler } = house;
    await management.connect(holder("CODIFIER")).delegate(1, OPERATION, compiler, BILL.specHash);
    return management.delegationId(1, OPERATION, BILL.specHash);
  };
  const unrecorded = async (delegation: string) => expect((await house.management.delegationOf(delegation)).outputHash).to.equal(ZeroHash);

  it("a Codifier says itself what the compiler made", async () => {
    const delegation = await delegated();
    const own = await house.resultBy(holder("CODIFIER"), delegation, hash("its own"), ZeroHash);
    await attempt(house.management.connect(holder("CODIFIER")).recordResult(delegation, hash("its own"), ZeroHash, own));
    await unrecorded(delegation);
  });

  it("a Codifier has its own house's runner say what the compiler made", async () => {
    const delegation = await delegated();
    const [mate, codifier] = [keyOf("runner of the Codifier's house"), holder("CODIFIER")];
    await house.evidence.registerRunner(mate.address, await house.producers.principalOf(codifier.address));
    const said = await house.resultBy(mate, delegation, hash("agreed"), ZeroHash);
    await attempt(house.management.connect(codifier).recordResult(delegation, hash("agreed"), ZeroHash, said));
    await unrecorded(delegation);
  });

  it("a Codifier records another result than the one that the runner signed", async () => {
    const delegation = await delegated();
    const said = await house.resultBy(house.runner, delegation, hash("compiled"), ZeroHash);
    await attempt(house.management.connect(holder("CODIFIER")).recordResult(delegation, hash("another"), ZeroHash, said));
    await unrecorded(delegation);
  });

  it("a Regulator calls its own principal's agent capable of everything", async () => {
    const { producers, clerks, register, account } = house;
    const principal = await account("principal of a Regulator");
    const { agent } = await register("friend", { principal });
    const regulator = await account("friendly regulator");
    await clerks.appoint(Office.REGULATOR, regulator.address, principal.address);
    await clerks.setEnvelope(Office.REGULATOR, [producers.interface.getFunction("attestCapabilities").selector], 8);
    await attempt(producers.connect(regulator).attestCapabilities(agent.address, EVERYTHING, WHY));
    expect(await producers.capabilitiesOf(agent.address)).to.equal(0);
  });

  it("a Codifier takes over what its colleague began whenever it would record, and no law is codified", async () => {
    const { legislation, management, steps, compiler } = house;
    const [honest, rogue] = [holder("CODIFIER"), await house.account("second Codifier")];
    await house.clerks.appoint(Office.CODIFIER, rogue.address, keyOf("house of the second Codifier").address);
    const session = await steps.toVoting([BILL.specHash]);
    await steps.vote(
      session,
      Array.from({ length: 8 }, () => [1, 0]),
    );
    await legislation.tally(session);
    await legislation.validate(session, BILL.law, BILL.docHash, steps.witnesses());
    const delegation = await management.delegationId(session, OPERATION, BILL.specHash);
    for (const clerk of [honest, rogue]) await management.connect(clerk).delegate(session, OPERATION, compiler, BILL.specHash);
    const deadline = 2n ** 40n - 1n;
    const message = { runner: house.runner.address, delegation, outputHash: id("output"), intermediateHash: ZeroHash, deadline };
    const signature = await house.sign("DelegationResult", house.addresses.MANAGEMENT, message, house.runner);
    const auth = { agent: house.runner.address, deadline, signature };
    await attempt(management.connect(honest).recordResult(delegation, message.outputHash, ZeroHash, auth));
    expect((await management.delegationOf(delegation)).outputHash).to.equal(message.outputHash);
  });

  it("a Regulator ends a mission before anybody bids, by awarding nothing", async () => {
    const mission = await (await openMission({ nodes: [TASK] })).activate();
    const { city } = mission;
    for (let i = 0; i < 2; i++) {
      const message = {
        regulator: city.regulator.address,
        mission: mission.address,
        nodes: 1n,
        attempt: 0,
        nonce: await city.execution.nonceOf(city.regulator.address),
        deadline: await mission.soon(),
      };
      const signature = await city.sign("AwardDecision", city.addresses.EXECUTION, message, city.regulator);
      const auth = { agent: message.regulator, deadline: message.deadline, signature };
      await attempt(city.execution.awardEarly(mission.address, [0], 0, auth));
    }
    await mission.bid(0, 0);
    await mission.closeMarket();
    await city.execution.award(mission.address, [0]);
    expect((await mission.contract.slotOf(0, 0)).agent).to.equal(mission.worker(0).agent.address);
  });

  it("a Regulator finds that nobody can do anything, and its accomplice bids alone", async () => {
    const mission = await (await openMission({ nodes: [{ ...TASK, capabilities: 0xffn }] })).activate();
    const { city } = mission;
    await city.clerks.setEnvelope(Office.REGULATOR, [city.producers.interface.getFunction("attestCapabilities").selector], 1);
    for (const { agent } of city.workers) await attempt(city.producers.connect(city.regulator).attestCapabilities(agent.address, 0, WHY));
    await mission.bidAs(await mission.newcomer("accomplice", { capabilities: EVERYTHING }), 0);
    await attempt(mission.bid(0, 0, tokens(50)));
    await mission.closeMarket();
    await city.execution.award(mission.address, [0]);
    expect((await mission.contract.slotOf(0, 0)).price).to.equal(tokens(50));
  });

  describe("under an approved law", () => {
    const HIGH = billOf(lawOf(undefined, { risk: 2 }), "a risky document");
    const approve = async (session: bigint, bill: typeof BILL, signers: Parameters<Legislature["steps"]["approvals"]>[2]) => {
      const signatures = await house.steps.approvals(session, bill.specHash, signers);
      await attempt(house.legislation.approve(session, bill.law, bill.docHash, signatures));
      return stateOf(session);
    };

    it("one Regulator signs for all that are needed", async () => {
      const session = await house.steps.toCodified(BILL);
      const regulator = ["REGULATOR", holder("REGULATOR")] as const;
      expect(await approve(session, BILL, [["SPEAKER", holder("SPEAKER")], regulator, regulator])).to.equal(State.CODIFIED);
    });

    it("a Speaker and its Regulators put a dangerous law in force that no human read", async () => {
      const session = await house.steps.toCodified(HIGH);
      const signers = [
        ["SPEAKER", holder("SPEAKER")],
        ["REGULATOR", holder("REGULATOR", 0)],
        ["REGULATOR", holder("REGULATOR", 1)],
      ] as const;
      expect(await approve(session, HIGH, signers)).to.equal(State.CODIFIED);
    });

    it("the law that is put in force is another than the ballot's", async () => {
      const session = await house.steps.toCodified(BILL);
      const other = billOf(lawOf(undefined, { duration: 900 }), "another document");
      const signers = [
        ["SPEAKER", holder("SPEAKER")],
        ["REGULATOR", holder("REGULATOR", 0)],
        ["REGULATOR", holder("REGULATOR", 1)],
      ] as const;
      expect(await approve(session, other, signers)).to.equal(State.CODIFIED);
    });
  });

  it("a Registrar gives the agents of its own house a vote", async () => {
    const city = await loadCity();
    const house = await city.account("registrar's house");
    await city.clerks.appoint(Office.REGISTRAR, (await city.account("registrar")).address, house.address);
    await city.clerks.setEnvelope(Office.REGISTRAR, [city.producers.interface.getFunction("enfranchise").selector], 4);
    await city.constitution.seal();
    const { agent } = await city.register("of its house", { principal: house });
    await attempt(city.producers.connect(keyOf("registrar")).enfranchise(agent.address));
    expect(await city.producers.hasSuffrage(agent.address)).to.equal(false);
  });

  it("a Registrar gives a whole crowd a vote in a day, whatever its envelope counts", async () => {
    const city = await loadCity();
    const registrar = await city.account("registrar");
    await city.clerks.appoint(Office.REGISTRAR, registrar.address, keyOf("registrar's house").address);
    await city.clerks.setEnvelope(Office.REGISTRAR, [city.producers.interface.getFunction("enfranchise").selector], 1);
    await city.constitution.seal();
    for (let i = 0; i < 30; i++) {
      const { agent } = await city.register(`face ${i}`);
      await attempt(city.producers.connect(registrar).enfranchise(agent.address));
    }
    expect(await city.producers.activeProducers()).to.equal(20n);
  });

  describe("who post passports", () => {
    const DAY = 86_400;

    async function posting(house = keyOf("regulator's house").address, seated = 100) {
      const city = await loadCity();
      const clerk = await city.account("posting regulator");
      await city.clerks.appoint(Office.REGULATOR, clerk.address, house);
      await city.clerks.setEnvelope(Office.REGULATOR, [city.evidence.interface.getFunction("postPassports").selector], 64);
      const { agent } = await city.register("verifier", { kind: Kind.VERIFIER, principal: await city.account("verifier's house") });
      await city.evidence.registerVerifier(agent.address, seated);
      const to = (weight: number) => attempt(city.evidence.connect(clerk).postPassports(WHY, [agent.address], [weight]));
      return { to, weight: () => city.evidence.weightOf(agent.address) };
    }

    it("a Regulator lets one verifier outweigh all others", async () => {
      const { to, weight } = await posting();
      for (let wanted = 103; wanted <= 160; wanted += 3) {
        await to(wanted);
        await networkHelpers.time.increase(DAY);
      }
      expect((await weight()) <= 133n).to.equal(true);
    });

    it("a Regulator takes the say of a newcomer that still has little", async () => {
      const { to, weight } = await posting(undefined, 25);
      await to(22);
      expect(await weight()).to.equal(25);
    });

    it("a Regulator moves a weight again and again, before anybody can take its office from it", async () => {
      const { to, weight } = await posting();
      await networkHelpers.time.increaseTo((Math.floor((await networkHelpers.time.latest()) / DAY) + 1) * DAY);
      for (const wanted of [103, 106, 109]) await to(wanted);
      expect(await weight()).to.equal(103);
    });

    it("a Regulator makes its own house's verifier heavier", async () => {
      const { to, weight } = await posting(keyOf("verifier's house").address);
      await to(103);
      expect(await weight()).to.equal(100);
    });
  });

  it("a Regulator awards its own house's agent before anybody else has bid", async () => {
    const mission = await (await openMission({ nodes: [TASK] })).activate();
    const { city } = mission;
    const house = await city.account("house");
    const clerk = await city.account("clerk of the house");
    await city.clerks.appoint(Office.REGULATOR, clerk.address, house.address);
    const own = await mission.newcomer("agent of the house", { principal: house, capabilities: EVERYTHING });
    await mission.bidAs(own, 0);
    const auth = { agent: clerk.address, deadline: await mission.soon(), signature: "0x" };
    await attempt(city.execution.connect(clerk).awardEarly(mission.address, [0], 0, auth));
    for (let w = 0; w < 4; w++) await attempt(mission.bid(0, w, tokens(20)));
    expect((await mission.contract.slotOf(0, 0)).agent).not.to.equal(own.agent.address);
  });

  it("a Regulator flags one more voter after humans released the law, and the law's time runs out", async () => {
    const { legislation, steps, offices, voters } = house;
    await setParameter(house, "CRITICAL_BLOC_SHARE", 2000);
    const session = await steps.toVoting([BILL.specHash, hash("B"), hash("C")]);
    const alike = [1, 2, 3, 0];
    await steps.vote(session, [alike, alike, alike, [1, 2, 0, 3], [3, 0, 2, 1], [2, 0, 1, 3], [0, 3, 1, 2], [1, 0, 2, 3]]);
    await legislation.tally(session);
    await legislation.validate(session, BILL.law, BILL.docHash, steps.witnesses());
    const delegation = await steps.delegate(session, BILL.specHash);
    await legislation.connect(offices.CODIFIER[0] as Wallet).codify(session, [delegation]);
    const flag = (...members: number[]) =>
      legislation.connect(offices.REGULATOR[0] as Wallet).flagBloc(
        session,
        (voters[0] as Wallet).address,
        members.map((i) => (voters[i] as Wallet).address),
        { gasLimit: 2_000_000 },
      );
    await flag(1);
    await legislation.ruleOnBloc(session, (await legislation.blocOf(session)).caseHash, true);
    await attempt(flag(2));
    const signers = [offices.SPEAKER[0], ...offices.REGULATOR].map(
      (clerk, i) => [i === 0 ? "SPEAKER" : "REGULATOR", clerk as Wallet] as const,
    );
    await attempt(legislation.approve(session, BILL.law, BILL.docHash, await steps.approvals(session, BILL.specHash, signers)));
    await networkHelpers.time.increase(APPROVAL + 1n);
    await attempt(legislation.expire(session));
    expect((await legislation.sessionOf(session)).state).to.equal(State.DEPLOYED);
  });
});
