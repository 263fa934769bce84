import { expect } from "chai";
import { id, MaxUint256, sha256, toUtf8Bytes, type Wallet, ZeroAddress } from "ethers";
import { evidenceRoles, institutionNames } from "../../../orchestrator/protocol/actions.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { ethers, Kind, keyOf, networkHelpers, Office, Standing, tokens } from "../../support/city-fixture.ts";
import { seatPrincipal } from "../../support/judges.ts";
import { librariesOf } from "../../support/mission-fixture.ts";
import { openPanel, type Panel } from "../../support/panel.ts";

/** What institutions keep of a reason. */
const WHY = sha256(toUtf8Bytes("why"));
const ATT = 4;
const role = (name: (typeof evidenceRoles)[number]): number => evidenceRoles.indexOf(name);

/** In the order that `act` wants. */
const sorted = (...wallets: readonly Wallet[]) => [...wallets].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));

describe("Actions of the override panel", () => {
  let panel: Panel;

  beforeEach(async () => {
    panel = await openPanel();
  });

  /** Refused for want of one signature; done with enough. */
  async function needs(count: number, message: Awaited<ReturnType<Panel["wide"]>>, signers: readonly Wallet[] = panel.seats) {
    const { act, contract } = panel;
    await expect(act(message, ...signers.slice(0, count - 1)))
      .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
      .withArgs(count - 1, count);
    expect(await contract.signaturesFor(message)).to.equal(count);
    return act(message, ...signers.slice(0, count));
  }

  const conflictedIs = async (judge: Wallet, message: Awaited<ReturnType<Panel["wide"]>>) =>
    expect(panel.act(message, ...sorted(judge, ...panel.others(judge).slice(0, 1))))
      .to.be.revertedWithCustomError(panel.contract, "Conflicted")
      .withArgs(judge.address, ZeroAddress);

  /** An adjudicator, its principal, and who else may sign. */
  async function interested() {
    const { city, others } = panel;
    const judge = keyOf("adjudicator 0");
    return { judge, owner: await city.account("adjudicator 0's principal"), free: others(judge) };
  }
  describe("AMEND_PARAMETER", () => {
    it("takes two signatures, one where the risk is not HIGH and nothing is protected, and never leaves the range", async () => {
      const { city, wide, act } = panel;
      const fairness = parameterIndex("MIN_FAIRNESS_SCORE");
      const fee = parameterIndex("SESSION_FEE");
      await expect(needs(1, await wide("AMEND_PARAMETER", ZeroAddress, fee, 11n)))
        .to.emit(city.constitution, "ParameterSet")
        .withArgs(fee, 10, 11, WHY);
      for (const score of [700n, 600n]) await needs(2, await wide("AMEND_PARAMETER", ZeroAddress, fairness, score));
      await needs(2, await wide("AMEND_PARAMETER", ZeroAddress, parameterIndex("PROTOCOL_FEE_RATE"), 250n));
      const quorum = parameterIndex("ADJUDICATOR_QUORUM");
      await needs(2, await wide("AMEND_PARAMETER", ZeroAddress, quorum, 5n));
      expect(await city.constitution.param(quorum)).to.equal(5);
      await needs(2, await wide("AMEND_PARAMETER", ZeroAddress, quorum, 7n));
      await expect(act(await wide("AMEND_PARAMETER", ZeroAddress, quorum, 8n), ...panel.seats))
        .to.be.revertedWithCustomError(panel.contract, "QuorumAboveSeats")
        .withArgs(8, 7);
      // 2f + 1 with f = 2 is the floor.
      await expect(act(await wide("AMEND_PARAMETER", ZeroAddress, quorum, 4n), ...panel.seats))
        .to.be.revertedWithCustomError(city.constitution, "ParameterOutOfRange")
        .withArgs(quorum, 4, 5, 20);
    });
  });

  describe("ADJUST_REPUTATION", () => {
    it("moves an agent's reputation; nobody moves that of its own principal's", async () => {
      const { city, wide } = panel;
      const { judge, owner, free } = await interested();
      const { agent } = await city.register("judged", { principal: owner });
      const message = await wide("ADJUST_REPUTATION", agent.address, -100n);
      await conflictedIs(judge, message);
      const before = await city.producers.reputationOf(agent.address);
      await needs(2, message, free);
      expect(await city.producers.reputationOf(agent.address)).to.equal(before - 100n);
    });

    it("moves 100 points at most, and 200 of a principal's agents in 30 days", async () => {
      const { city, wide, act, contract, seats } = panel;
      const owner = await city.account("principal of two");
      const [one, two] = [await city.register("one", { principal: owner }), await city.register("two", { principal: owner })];
      const adjust = async ({ agent }: typeof one, delta: bigint) =>
        act(await wide("ADJUST_REPUTATION", agent.address, delta), ...seats.slice(0, 2));
      const refused = (call: Promise<unknown>, most: number, points: number) =>
        expect(call).to.be.revertedWithCustomError(contract, "ReputationCapExceeded").withArgs(most, points);
      await refused(adjust(one, 101n), 100, 101);
      await adjust(one, -60n);
      await adjust(two, 100n);
      await refused(adjust(one, -41n), 40, 41);
      await adjust(one, -40n);
      await refused(adjust(two, 1n), 0, 1);
      // In steps of ten days: what an order moved is forgotten after 30 days at the earliest, after 40 at the latest.
      await networkHelpers.time.increase(30 * 86_400);
      await refused(adjust(two, 1n), 0, 1);
      await networkHelpers.time.increase(10 * 86_400);
      await adjust(two, -100n);
      expect(await city.producers.reputationOf(two.agent.address)).to.equal(500);
    });
  });

  describe("SLASH", () => {
    it("takes stake for treasury and insurance, and bars for ever when told so", async () => {
      const { city, wide, act, seats } = panel;
      const { agent } = await city.register("culprit");
      await needs(2, await wide("SLASH", agent.address, tokens(101) + 1n, false));
      expect((await city.producers.stakeOf(agent.address)).held).to.equal(tokens(5000) - tokens(101) - 1n);
      const half = (tokens(101) + 1n) / 2n;
      expect(await city.treasury.freeBalance()).to.equal(half);
      expect(await city.treasury.insuranceBalance()).to.equal(tokens(101) + 1n - half);
      expect(await city.producers.isEligible(agent.address, Kind.PRODUCER)).to.equal(true);
      await act(await wide("SLASH", agent.address, 0n, true), ...seats.slice(0, 2));
      expect(await city.producers.isEligible(agent.address, Kind.PRODUCER)).to.equal(false);
      expect((await city.producers.agentOf(agent.address)).banned).to.equal(true);
    });

    it("is refused to whose principal answers for the agent, also through a sub-agent, also when it joined after the signature", async () => {
      const { city, wide, signed, contract } = panel;
      const { judge, owner, free } = await interested();
      const agent = await city.account("late agent");
      const message = await wide("SLASH", agent.address, tokens(1), false);
      const signers = sorted(judge, ...free.slice(0, 1));
      const signatures = await Promise.all(signers.map((signer) => signed(message, signer)));
      // Nobody knows the agent yet: nobody is conflicted, and nothing can be taken.
      await expect(contract.act(message, signatures)).to.be.revertedWithCustomError(city.producers, "NotRegistered");
      const { agent: creator } = await city.register("creator", { principal: owner });
      await city.fund(creator, city.addresses.PRODUCERS, tokens(5000));
      const sub = await city.subBinding(agent, creator);
      await city.producers.registerSubAgent(sub.message, sub.did, sub.byCreator, sub.byAgent);
      expect(await city.producers.principalOf(agent.address)).to.equal(owner.address);
      await expect(contract.act(message, signatures))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(judge.address, ZeroAddress);
    });
  });

  describe("FREEZE_PRINCIPAL", () => {
    it("stops a principal's whole portfolio, what joins later included, and is lifted the same way", async () => {
      const { city, wide, act, seats } = panel;
      const { producers, clerks, evidence } = city;
      const owner = await city.account("owner");
      const { agent } = await city.register("worker", { principal: owner });
      const bench = await city.account("owner of verifiers");
      const { agent: verifier } = await city.register("verifier", { kind: Kind.VERIFIER, principal: bench });
      await evidence.registerVerifier(verifier.address, 100);
      const account = keyOf("many roles").address;
      await evidence.registerIssuer(account, owner.address, 1 << ATT);
      await evidence.registerRunner(account, owner.address);
      await evidence.registerMonitor(account, owner.address);
      const clerk = keyOf("clerk").address;
      await clerks.appoint(Office.REGISTRAR, clerk, owner.address);
      const standing = async (late?: string) => [
        await producers.isEligible(agent.address, Kind.PRODUCER),
        await producers.isEligible(verifier.address, Kind.VERIFIER),
        await evidence.mayIssue(account, ATT),
        await evidence.isRunner(account),
        await evidence.isMonitor(account),
        await clerks.isClerk(Office.REGISTRAR, clerk),
        await evidence.drawPanel(WHY, 1, [], MaxUint256).then(
          () => true,
          () => false,
        ),
        late === undefined || (await producers.isEligible(late, Kind.PRODUCER)),
      ];
      expect(await standing()).to.deep.equal(Array(8).fill(true));
      await expect(needs(2, await wide("FREEZE_PRINCIPAL", owner.address, true)))
        .to.emit(producers, "PrincipalFrozen")
        .withArgs(owner.address, true);
      await act(await wide("FREEZE_PRINCIPAL", bench.address, true), ...seats.slice(0, 2));
      const { agent: late } = await city.register("late", { principal: owner });
      const lateIssuer = keyOf("late issuer").address;
      await evidence.registerIssuer(lateIssuer, owner.address, 1 << ATT);
      expect(await standing(late.address)).to.deep.equal(Array(8).fill(false));
      expect(await evidence.mayIssue(lateIssuer, ATT)).to.equal(false);
      for (const { address } of [owner, bench]) await act(await wide("FREEZE_PRINCIPAL", address, false), ...seats.slice(0, 2));
      expect(await standing(late.address)).to.deep.equal(Array(8).fill(true));
      expect(await evidence.mayIssue(lateIssuer, ATT)).to.equal(true);
    });

    it("silences no adjudicator, and no adjudicator lifts its own principal's", async () => {
      const { city, wide, act } = panel;
      const { judge, owner, free } = await interested();
      await conflictedIs(judge, await wide("FREEZE_PRINCIPAL", owner.address, false));
      await act(await wide("FREEZE_PRINCIPAL", owner.address, true), ...free.slice(0, 2));
      await act(await panel.override("FREEZE"), judge);
      expect(await city.roster.isActive(judge.address)).to.equal(true);
    });
  });

  describe("SLASH that bars and FREEZE_PRINCIPAL", () => {
    /** Ten voters: three of one principal, one each of the others. */
    const electorate = async () => {
      const { city } = panel;
      const owner = await city.account("owner of three");
      for (const name of ["first", "second", "third"]) await city.register(name, { principal: owner });
      const others: Wallet[] = [];
      for (let i = 0; i < 7; i++) others.push((await city.register(`voter ${i}`)).agent);
      return { owner, others };
    };
    const barred = (agent: Wallet | undefined) => panel.wide("SLASH", agent?.address ?? "", 0n, true);
    const asked = async (message: Awaited<ReturnType<typeof barred>>) => Number(await panel.contract.signaturesFor(message));

    it("take two thirds of the seats beyond a tenth of the voters, those struck within nine days included", async () => {
      const { city, wide } = panel;
      const { owner, others } = await electorate();
      expect(await city.producers.votersOf(owner.address)).to.equal(3);
      expect(await asked(await wide("FREEZE_PRINCIPAL", owner.address, true))).to.equal(5);
      await needs(2, await barred(others[0]));
      await needs(5, await barred(others[1]));
      // Nine voters are left of whom two were struck: lifting something takes what it took.
      await needs(5, await wide("FREEZE_PRINCIPAL", owner.address, true));
      expect(await city.producers.votersOf(owner.address)).to.equal(0);
      await needs(2, await wide("FREEZE_PRINCIPAL", owner.address, false));
      await networkHelpers.time.increase(9 * 86_400);
      expect(await asked(await barred(others[2]))).to.equal(5);
      await networkHelpers.time.increase(3 * 86_400);
      await needs(2, await barred(others[2]));
    });

    it("take two signatures where nobody loses a vote, and two where one does", async () => {
      const { city, wide, act, seats } = panel;
      const lone = await city.register("lone voter");
      const verifier = await city.register("no voter", { kind: Kind.VERIFIER });
      await needs(2, await wide("FREEZE_PRINCIPAL", lone.principal.address, true));
      // It was struck with its principal.
      await needs(2, await barred(lone.agent));
      await needs(2, await barred(lone.agent));
      await needs(2, await barred(verifier.agent));
      await needs(2, await wide("SLASH", verifier.agent.address, 0n, false));
      await city.constitution.seal();
      const novice = await city.register("novice");
      await act(await barred(novice.agent), ...seats.slice(0, 2));
      expect((await city.producers.agentOf(novice.agent.address)).banned).to.equal(true);
    });

    it("allow a smaller share where the constitution does, and no larger one", async () => {
      const { city, wide, act, seat } = panel;
      const { others } = await electorate();
      for (let i = 7; i < 17; i++) others.push((await city.register(`voter ${i}`)).agent);
      const share = parameterIndex("CRITICAL_BLOC_SHARE");
      const amend = async (value: bigint) => act(await wide("AMEND_PARAMETER", ZeroAddress, share, value), seat(0), seat(1));
      await needs(2, await barred(others[0]));
      // A tenth of twenty are two.
      expect(await asked(await barred(others[1]))).to.equal(2);
      await amend(500n);
      expect(await asked(await barred(others[1]))).to.equal(5);
      await amend(5000n);
      await needs(2, await barred(others[1]));
      expect(await asked(await barred(others[2]))).to.equal(5);
    });
  });

  describe("APPOINT_CLERK and SET_ENVELOPE", () => {
    it("give an office, what it may call, and take the office away", async () => {
      const { city, wide, act, seats } = panel;
      const clerk = keyOf("new speaker").address;
      await needs(2, await wide("APPOINT_CLERK", clerk, Office.SPEAKER, keyOf("new principal").address));
      expect(await city.clerks.isClerk(Office.SPEAKER, clerk)).to.equal(true);
      await needs(2, await wide("SET_ENVELOPE", ZeroAddress, Office.SPEAKER, 3, ["0x12345678"]));
      expect(await city.clerks.isPermitted(Office.SPEAKER, "0x12345678")).to.equal(true);
      // A frozen clerk can be dismissed, too.
      await act(await wide("FREEZE_PRINCIPAL", keyOf("new principal").address, true), ...seats.slice(0, 2));
      await act(await wide("APPOINT_CLERK", clerk, Office.SPEAKER, ZeroAddress), ...seats.slice(0, 2));
      expect(await city.clerks.appointedTo(Office.SPEAKER)).to.equal(0);
    });

    it("are refused to whose principal is to hold the office", async () => {
      const { judge, owner } = await interested();
      await conflictedIs(judge, await panel.wide("APPOINT_CLERK", keyOf("new speaker").address, Office.SPEAKER, owner.address));
    });
  });

  describe("SET_MANDATE", () => {
    it("has an operation done by another service", async () => {
      const { city, wide } = panel;
      const { agent } = await city.register("maker of compilers");
      const { service } = await city.offerService(agent, "compiler");
      await needs(2, await wide("SET_MANDATE", ZeroAddress, Office.CODIFIER, id("compile"), service, true, WHY));
      expect((await city.management.mandateOf(id("compile"))).service).to.equal(service);
    });

    it("is refused to whose principal's service it is", async () => {
      const { city, wide } = panel;
      const { judge, owner } = await interested();
      const { agent } = await city.register("adjudicator's maker", { principal: owner });
      const { service } = await city.offerService(agent, "compiler");
      await conflictedIs(judge, await wide("SET_MANDATE", ZeroAddress, Office.CODIFIER, id("compile"), service, true, WHY));
    });
  });

  describe("REGISTER_ISSUER", () => {
    it("gives each role in evidence, and takes all of a compromised account", async () => {
      const { city, wide, act, seats } = panel;
      const { evidence } = city;
      const [account, owner] = [keyOf("account").address, keyOf("account's principal").address];
      const { agent: verifier } = await city.register("verifier", { kind: Kind.VERIFIER });
      const two = seats.slice(0, 2);
      await needs(2, await wide("REGISTER_ISSUER", account, role("ISSUER"), owner, 1 << ATT));
      await act(await wide("REGISTER_ISSUER", account, role("RUNNER"), owner, 0), ...two);
      await act(await wide("REGISTER_ISSUER", account, role("MONITOR"), owner, 0), ...two);
      await act(await wide("REGISTER_ISSUER", verifier.address, role("VERIFIER"), ZeroAddress, 77), ...two);
      expect([await evidence.mayIssue(account, ATT), await evidence.isRunner(account), await evidence.isMonitor(account)]).to.deep.equal([
        true,
        true,
        true,
      ]);
      expect(await evidence.weightOf(verifier.address)).to.equal(77);
      await act(await wide("REGISTER_ISSUER", account, role("NONE"), ZeroAddress, 0), ...two);
      await act(await wide("REGISTER_ISSUER", verifier.address, role("NONE"), ZeroAddress, 0), ...two);
      expect([await evidence.mayIssue(account, ATT), await evidence.isRunner(account), await evidence.isMonitor(account)]).to.deep.equal([
        false,
        false,
        false,
      ]);
      expect(await evidence.verifierCount()).to.equal(0);
      const orders = await ethers.getContractAt("Orders", panel.contract);
      await expect(act(await wide("REGISTER_ISSUER", account, role("ISSUER"), owner, 256 + 1), ...two)).to.be.revertedWithCustomError(
        orders,
        "SafeCastOverflowedUintDowncast",
      );
    });

    it("is refused to whose principal is to answer for the account, or does", async () => {
      const { judge, owner } = await interested();
      const account = keyOf("crony").address;
      await conflictedIs(judge, await panel.wide("REGISTER_ISSUER", account, role("RUNNER"), owner.address, 0));
      await panel.city.evidence.registerRunner(account, owner.address);
      await conflictedIs(judge, await panel.wide("REGISTER_ISSUER", account, role("NONE"), ZeroAddress, 0));
    });
  });

  describe("PUBLISH_TEMPLATE", () => {
    it("adds a version; what exists never changes", async () => {
      const { city, wide } = panel;
      const template = await (await ethers.deployContract("MissionProbe")).getAddress();
      const name = id("template");
      await expect(needs(2, await wide("PUBLISH_TEMPLATE", template, name, id("audit"))))
        .to.emit(city.templates, "TemplatePublished")
        .withArgs(name, 1, template, await city.now(), id("audit"));
    });
  });

  describe("ADMIT_ADJUDICATOR", () => {
    it("takes two thirds of the seats, rounded up, one seat per principal, and the candidate's own stake", async () => {
      const { city, wide, act, seats } = panel;
      const candidate = await city.account("candidate");
      const message = await wide("ADMIT_ADJUDICATOR", candidate.address, keyOf("a new principal").address);
      await expect(act(message, ...seats.slice(0, 5))).to.be.revertedWithCustomError(city.token, "ERC20InsufficientAllowance");
      await city.fund(candidate, city.addresses.ROSTER, tokens(5000));
      await needs(5, message);
      expect(await city.roster.isActive(candidate.address)).to.equal(true);
      const second = await city.account("second candidate");
      await city.fund(second, city.addresses.ROSTER, tokens(5000));
      // Eight seats: six.
      const again = await wide("ADMIT_ADJUDICATOR", second.address, keyOf("a new principal").address);
      await expect(act(again, ...seats.slice(0, 5)))
        .to.be.revertedWithCustomError(panel.contract, "NotEnoughSignatures")
        .withArgs(5, 6);
      await expect(act(again, ...seats.slice(0, 6))).to.be.revertedWithCustomError(city.roster, "PrincipalAlreadySeated");
    });
  });

  describe("AMEND_CONSTITUTION", () => {
    it("announces with a supermajority, takes back, and lets anybody enact when the time has come", async () => {
      const { city, wide, act, seats } = panel;
      const { constitution } = city;
      const replacement = await (await ethers.deployContract("MissionProbe")).getAddress();
      const legislation = institutionNames.indexOf("LEGISLATION");
      await needs(5, await wide("AMEND_CONSTITUTION", replacement, legislation));
      await act(await wide("AMEND_CONSTITUTION", ZeroAddress, legislation), ...seats.slice(0, 5));
      await expect(constitution.enact(legislation)).to.be.revertedWithCustomError(constitution, "NothingAnnounced");
      await act(await wide("AMEND_CONSTITUTION", replacement, legislation), ...seats.slice(0, 5));
      const anybody = constitution.connect(await city.account("anybody"));
      await expect(anybody.enact(legislation)).to.be.revertedWithCustomError(constitution, "NotYet");
      const { effectiveFrom } = await constitution.amendmentOf(legislation);
      await networkHelpers.time.increaseTo(effectiveFrom);
      await anybody.enact(legislation);
      expect(await constitution.at(legislation)).to.equal(replacement);
      expect(await constitution.standingOf(legislation, city.addresses.LEGISLATION)).to.equal(Standing.RETIRED);
      // A mission keeps what it began under.
      expect((await city.templates.missionOf(panel.mission.address)).legislation).to.equal(city.addresses.LEGISLATION);
    });

    it("passes the panel's power to its successor, and leaves none behind", async () => {
      const { city, contract, wide, act, seats, override, seat } = panel;
      const adjudication = institutionNames.indexOf("ADJUDICATION");
      const successor = await ethers.deployContract("AdjudicationProcedure", [await city.constitution.getAddress()], {
        libraries: await librariesOf("AdjudicationProcedure"),
      });
      await act(await wide("AMEND_CONSTITUTION", await successor.getAddress(), adjudication), ...seats.slice(0, 5));
      await networkHelpers.time.increaseTo((await city.constitution.amendmentOf(adjudication)).effectiveFrom);
      await city.constitution.enact(adjudication);
      const parameter = await wide("AMEND_PARAMETER", ZeroAddress, parameterIndex("SESSION_FEE"), 11n);
      await expect(act(parameter, seat(0))).to.be.revertedWithCustomError(city.constitution, "NotGovernor");
      const signature = await city.signOrder(await override("FREEZE"), seat(0), await successor.getAddress());
      const message = await override("FREEZE");
      await expect(contract.act(message, [{ adjudicator: seat(0).address, signature }])).to.be.revertedWithCustomError(
        contract,
        "InvalidSignature",
      );
    });
  });

  describe("IMPEACH", () => {
    it("takes seat and stake at two thirds of the seats, the target not signing; its signatures are void at once", async () => {
      const { city, contract, wide, override, signed, act, seat, others } = panel;
      const target = seat(2);
      const message = await wide("IMPEACH", target.address);
      const left = others(target);
      const pending = await override("FREEZE");
      const early = await signed(pending, target);
      await expect(act(message, ...panel.seats.slice(0, 5)))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(target.address, ZeroAddress);
      const call = needs(5, message, left);
      await expect(call).to.emit(city.roster, "Impeached").withArgs(target.address, tokens(5000), WHY);
      expect(await city.roster.activeCount()).to.equal(6);
      expect((await city.producers.agentOf(target.address)).banned).to.equal(true);
      expect(await city.treasury.freeBalance()).to.equal(tokens(2500));
      expect(await city.treasury.insuranceBalance()).to.equal(tokens(2500));
      await expect(contract.act(pending, [early]))
        .to.be.revertedWithCustomError(contract, "NotAdjudicator")
        .withArgs(target.address);
      await expect(city.roster.connect(target).withdrawStake()).to.be.revertedWithCustomError(city.roster, "NothingToWithdraw");
      await city.fund(target, city.addresses.ROSTER, tokens(5000));
      await expect(act(await wide("ADMIT_ADJUDICATOR", target.address, keyOf("other principal").address), ...left))
        .to.be.revertedWithCustomError(city.roster, "WasImpeached")
        .withArgs(target.address);
    });

    it("reaches the stake of who resigned before", async () => {
      const { city, wide, act, seat, others } = panel;
      await city.roster.connect(seat(0)).resign();
      await act(await wide("IMPEACH", seat(0).address), ...others(seat(0)).slice(0, 4));
      expect(await city.roster.stakeOf(seat(0).address)).to.equal(0);
      await expect(act(await wide("IMPEACH", seat(0).address), ...others(seat(0)))).to.be.revertedWithCustomError(
        city.roster,
        "NothingAtStake",
      );
    });

    it("is beyond half of the seats: two of three cannot, when the third does not sign", async () => {
      const { city, wide, act, seats, seat } = panel;
      for (const leaving of seats.slice(3)) await city.roster.connect(leaving).resign();
      const message = await wide("IMPEACH", seat(0).address);
      await expect(act(message, seat(1)))
        .to.be.revertedWithCustomError(panel.contract, "NotEnoughSignatures")
        .withArgs(1, 2);
      await act(message, seat(1), seat(2));
    });
  });

  describe("senior adjudicator", () => {
    const SENIOR = parameterIndex("SENIOR_ADJUDICATOR_ENABLED");
    beforeEach(async () => {
      await panel.city.constitution.setParam(SENIOR, 1, WHY);
    });

    const stopped = () => panel.override("CLEAR_EMERGENCY_STOP");
    /** Leaves `count` seats, among them who was seated first. */
    async function shrink(count: number) {
      const { city, seats } = panel;
      const senior = await city.roster.senior();
      const rest = seats.filter(({ address }) => address !== senior);
      for (const leaving of rest.slice(count - 1)) await city.roster.connect(leaving).resign();
      const first = seats.find(({ address }) => address === senior);
      if (first === undefined) throw new Error("nobody is senior");
      return { senior: first, others: rest.slice(0, count - 1) };
    }

    it("is who has held a seat longest, if the constitution wants one", async () => {
      const { city } = panel;
      expect(await city.roster.senior()).to.equal(keyOf("adjudicator 0").address);
      expect((await city.roster.seats()).length).to.equal(7);
      await city.roster.connect(keyOf("adjudicator 0")).resign();
      expect(await city.roster.senior()).to.equal(keyOf("adjudicator 1").address);
      expect(await city.roster.seats()).to.deep.equal([1, 2, 3, 4, 5, 6].map((i) => keyOf(`adjudicator ${i}`).address));
      await city.constitution.setParam(SENIOR, 0, WHY);
      expect(await city.roster.senior()).to.equal(ZeroAddress);
    });

    it("signs alone on a mission only when fewer than half of the quorum are unconflicted, and is named for it", async () => {
      const { contract, act } = panel;
      const { senior, others } = await shrink(4);
      await expect(act(await stopped(), senior))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(1, 2);
      const [third, ...left] = others;
      if (third === undefined) throw new Error("nobody left");
      await panel.city.roster.connect(third).resign();
      for (const other of left) {
        await expect(act(await stopped(), other)).to.be.revertedWithCustomError(contract, "NotEnoughSignatures");
      }
      const message = await stopped();
      const digest = await contract.digestOf(message);
      await expect(act(message, senior)).to.emit(contract, "UnilateralOverride").withArgs(digest, senior.address, message.mission);
      expect(await contract.unaudited()).to.deep.equal([digest, senior.address]);
    });

    it("never takes stake alone", async () => {
      const { contract, act, override } = panel;
      const { senior } = await shrink(3);
      await expect(act(await override("FAULT_SLOTS"), senior))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(1, 2);
    });

    it("counts who is unconflicted in the mission, not who is seated", async () => {
      const { city, contract, act, mission, seats } = panel;
      const senior = keyOf("adjudicator 0");
      for (const i of [1, 2, 3, 4]) {
        const owner = await city.account(`adjudicator ${i}'s principal`);
        await seatPrincipal(city, mission.address, owner);
      }
      expect(seats.length).to.equal(7);
      expect(await city.roster.unconflictedIn(mission.address)).to.equal(3);
      await expect(act(await stopped(), senior)).to.emit(contract, "UnilateralOverride");
    });

    it("has no second until two others audited the first, and never acts alone on the city", async () => {
      const { city, contract, wide, act } = panel;
      const { senior, others } = await shrink(3);
      const message = await stopped();
      const digest = await contract.digestOf(message);
      await act(message, senior);
      await expect(act(await stopped(), senior))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(1, 2);
      const audit = (of: string) => wide("AUDIT_UNILATERAL", senior.address, of);
      await expect(act(await audit(digest), ...sorted(senior, ...others.slice(0, 1))))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(senior.address, ZeroAddress);
      await expect(act(await audit(WHY), ...others))
        .to.be.revertedWithCustomError(contract, "NothingToAudit")
        .withArgs(WHY);
      await expect(act({ ...(await audit(digest)), target: keyOf("else").address }, ...others)).to.be.revertedWithCustomError(
        contract,
        "NothingToAudit",
      );
      await expect(act(await audit(digest), ...others))
        .to.emit(contract, "UnilateralAudited")
        .withArgs(digest, senior.address, WHY);
      expect(await contract.unaudited()).to.deep.equal([`0x${"00".repeat(32)}`, ZeroAddress]);
      await expect(act(await stopped(), senior)).to.emit(contract, "UnilateralOverride");
      const { agent } = await city.register("culprit");
      await expect(act(await wide("SLASH", agent.address, 1n, false), senior)).to.be.revertedWithCustomError(
        contract,
        "NotEnoughSignatures",
      );
    });
  });
});
