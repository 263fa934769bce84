import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { encodeActionData } from "../../../../orchestrator/protocol/actions.ts";
import { permit } from "../../../support/authorization.ts";
import { directly, ethers, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  Action,
  HOUR,
  type Mission,
  type MissionOptions,
  MissionState,
  NodeState,
  openMission,
  openMissionIn,
  Result,
  TASK,
} from "../../../support/mission-fixture.ts";

const EVIDENCE = id("evidence");
/** Twice maxHumanReviewTimeout: after that an appeal nobody resolved holds nothing back. */
const UNRESOLVED = 7200;
/** Of a slot's lock, all. */
const WHOLE = 2n ** 64n - 1n;

describe("Appeals", () => {
  let mission: Mission;
  const awarded = async (options: MissionOptions = {}) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
  };
  const cleared = async (options: MissionOptions = {}, result: number = Result.PASS, score = 10_000) => {
    await awarded(options);
    await mission.run(0, { result, score });
  };
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);
  const wealthOf = (account: string) => mission.city.wealthOf(account);
  const heldBy = async (account: string) => (await mission.city.producers.stakeOf(account)).held;
  const appealAs = async (who: Wallet, bond = tokens(10), attempt = 0) => {
    await mission.city.token.mint(who.address, bond);
    await mission.city.token.connect(who).approve(mission.address, bond);
    return mission.contract.connect(who).appeal(0, attempt, EVIDENCE, directly(who));
  };
  const executor = async () => (await mission.executorOf(0)).agent;

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  const ruling = (over: Partial<Record<"attempt" | "filed" | "upheld" | "share" | "culprits", number>> & { slash?: bigint } = {}) =>
    encodeActionData("RESOLVE_APPEAL", [{ attempt: 0, filed: 1, upheld: 1, share: 0, slash: 0n, culprits: 0, ...over }]);
  const resolve = (over: Parameters<typeof ruling>[0] = {}) => mission.override(Action.RESOLVE_APPEAL, 0, ruling(over));

  describe("appeal", () => {
    it("pulls a bond, blocks the claim, and lapses when nobody resolves it", async () => {
      await cleared();
      const { sponsor } = mission.city;
      await expect(appealAs(sponsor)).to.emit(mission.contract, "AppealFiled").withArgs(0, sponsor.address, 0, EVIDENCE, tokens(10));
      const [open, until] = await mission.contract.appealsOf(0, 0);
      expect([open, until]).to.deep.equal([1n, (await mission.city.now()) + BigInt(UNRESOLVED)]);
      await networkHelpers.time.increase(HOUR);
      await refused(mission.contract.claim([0]), "WindowOpen");
      await networkHelpers.time.increase(UNRESOLVED);
      const before = await wealthOf(sponsor.address);
      await expect(mission.contract.claim([0]))
        .to.emit(mission.contract, "BondReturned")
        .withArgs(0, sponsor.address, tokens(10));
      expect(await wealthOf(sponsor.address)).to.equal(before + tokens(10));
    });

    it("asks a share of a dear slot's price", async () => {
      await awarded({ nodes: [{ ...TASK, budget: tokens(1000) }] });
      await mission.run(0);
      const { sponsor } = mission.city;
      await expect(appealAs(sponsor, tokens(50)))
        .to.emit(mission.contract, "AppealFiled")
        .withArgs(0, sponsor.address, 0, EVIDENCE, tokens(50));
      expect((await mission.contract.ledger()).bonds).to.equal(tokens(50));
    });

    it("is for the sponsor, the executors and the panel, once each, in time", async () => {
      await cleared();
      const { agent } = await mission.executorOf(0);
      const [verifier] = await mission.contract.countedOf(0);
      await appealAs(agent);
      await appealAs(mission.city.verifiers.get(verifier ?? "") ?? agent);
      await refused(appealAs(agent), "AlreadyAppealed");
      await refused(mission.contract.appeal(0, 0, EVIDENCE, directly(mission.city.deployer)), "NotAppealable");
      await networkHelpers.time.increase(HOUR);
      await refused(appealAs(mission.city.sponsor), "WindowClosed");
      await networkHelpers.time.increase(UNRESOLVED);
      await mission.contract.claim([0]);
    });

    it("holds back a slash too, also after the node was reopened", async () => {
      await cleared({}, Result.FAIL);
      const { agent } = await mission.executorOf(0);
      await mission.contract.reopen(0);
      await appealAs(agent);
      await networkHelpers.time.increase(HOUR);
      await refused(mission.contract.claim([0]), "WindowOpen");
      await networkHelpers.time.increase(UNRESOLVED);
      await mission.contract.claim([0]);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(9850));
      expect(await wealthOf(agent.address)).to.equal(tokens(10));
    });

    it("names its attempt: one that failed is appealed beside its successor, by its own executors", async () => {
      await cleared({}, Result.FAIL);
      const first = await executor();
      await mission.contract.reopen(0);
      for (const worker of [1, 2, 3]) await mission.bid(0, worker);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.run(0);
      const second = await executor();
      await refused(appealAs(second), "NotAppealable");
      await refused(appealAs(first, tokens(10), 1), "NotAppealable");
      await refused(appealAs(mission.city.sponsor, tokens(10), 2), "NotAppealable");
      await appealAs(first);
      await appealAs(second, tokens(10), 1);
      await networkHelpers.time.increase(HOUR + BigInt(UNRESOLVED));
      await mission.contract.claim([0]);
      expect(await heldBy(first.address)).to.equal(tokens(9850));
      expect(await wealthOf(second.address)).to.equal(tokens(97) + tokens(20));
    });

    it("comes too late for a slash that a human settled: nobody would settle its bond", async () => {
      await cleared({}, Result.FAIL);
      const { agent } = await mission.executorOf(0);
      await appealAs(mission.city.sponsor);
      await resolve({ share: 0, slash: 0n });
      await refused(appealAs(agent), "NotAppealable");
      expect((await mission.contract.ledger()).bonds).to.equal(0);
    });

    it("concerns decisions only", async () => {
      await awarded();
      await refused(appealAs(mission.city.sponsor), "NotAppealable");
    });
  });

  describe("by signature", () => {
    const stranger = () => mission.city.account("stranger");
    const allowed = (who: Wallet, bond = tokens(10)) => mission.city.fund(who, mission.address, bond);
    const relayed = async (auth: Awaited<ReturnType<Mission["signedAppeal"]>>, attempt = 0, evidence = EVIDENCE, node = 0) =>
      mission.contract.connect(await stranger()).appeal(node, attempt, evidence, auth);
    /** Its allowance by signature (ERC-2612), as anybody hands it in. */
    const permitted = async (who: Wallet, value: bigint) => {
      const { token } = mission.city;
      return token.connect(await stranger()).permit(...(await permit(token, who, mission.address, value)));
    };
    /** A contract wallet at that address, which takes this key's word (ERC-1271). */
    const wallet = async (address: string, owner: string) => {
      const code = await ethers.provider.getCode(await ethers.deployContract("OwnedWallet", [owner]));
      await networkHelpers.setCode(address, code);
    };

    it("is its party's, whoever hands it in: the party's bond, by its permit, and no coin of its own", async () => {
      await cleared();
      const agent = await executor();
      await mission.city.token.mint(agent.address, tokens(10));
      await networkHelpers.setBalance(agent.address, 0);
      await permitted(agent, tokens(10));
      await expect(relayed(await mission.signedAppeal(agent)))
        .to.emit(mission.contract, "AppealFiled")
        .withArgs(0, agent.address, 0, EVIDENCE, tokens(10));
      expect(await mission.city.token.balanceOf(agent.address)).to.equal(0);
      expect(await mission.city.token.allowance(agent.address, mission.address)).to.equal(0);
      await resolve();
      expect(await mission.city.treasury.creditOf(agent.address)).to.equal(tokens(10));
    });

    it("is of the sponsor, and of a panel member whose verdict counted", async () => {
      await cleared();
      const [verifier = ""] = await mission.contract.countedOf(0);
      for (const party of [mission.city.sponsor, mission.city.verifiers.get(verifier) as Wallet]) {
        await allowed(party);
        await relayed(await mission.signedAppeal(party));
      }
      expect((await mission.contract.appealsOf(0, 0)).open).to.equal(2);
      const nobody = await stranger();
      await allowed(nobody);
      await refused(relayed(await mission.signedAppeal(nobody)), "NotAppealable");
      await networkHelpers.time.increase(HOUR + BigInt(UNRESOLVED));
      await mission.contract.claim([0]);
    });

    it("is of what was signed: this mission, node, attempt, text and appellant, until its deadline", async () => {
      await cleared({ nodes: [TASK, TASK] });
      await mission.run(1);
      const { sponsor } = mission.city;
      const agent = await executor();
      for (const party of [sponsor, agent]) await allowed(party, tokens(100));
      const auth = await mission.signedAppeal(sponsor);
      const other = await openMissionIn(mission.city, {}, 2n);
      for (const call of [
        () => relayed(auth, 0, id("another text")),
        () => relayed(auth, 1),
        () => relayed(auth, 0, EVIDENCE, 1),
        () => relayed({ ...auth, agent: agent.address }),
        () => relayed({ ...auth, deadline: auth.deadline + 1n }),
        () => relayed({ ...auth, signature: "0x" }),
        async () => relayed(await other.signedAppeal(sponsor)),
        async () => relayed(await mission.signedAppeal(agent, { appellant: sponsor.address })),
        async () => relayed(await mission.signedAppeal(sponsor, { appellant: agent.address })),
      ])
        await refused(call(), "InvalidSignature");
      await refused(relayed(await mission.signedAppeal(sponsor, { deadline: (await mission.city.now()) - 1n })), "Expired");
      expect((await mission.contract.ledger()).bonds).to.equal(0);
      await relayed(auth);
      await networkHelpers.time.increase(HOUR + BigInt(UNRESOLVED));
      await mission.contract.claim([0]);
    });

    it("serves once: not again after a ruling, and never for another attempt", async () => {
      await cleared({}, Result.FAIL);
      const agent = await executor();
      const { sponsor } = mission.city;
      await allowed(agent, tokens(100));
      await allowed(sponsor, tokens(100));
      const auth = await mission.signedAppeal(sponsor, { deadline: 2n ** 40n - 1n });
      await relayed(auth);
      await refused(relayed(auth), "AlreadyAppealed");
      await mission.contract.reopen(0);
      for (const worker of [1, 2, 3]) await mission.bid(0, worker);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.run(0);
      await refused(relayed(auth, 1), "InvalidSignature");
      await resolve({ upheld: 0, slash: WHOLE, culprits: 1 });
      await refused(relayed(auth), "AlreadyAppealed");
      // Recorded work stays open to others; who has appealed has.
      const next = await mission.signedAppeal(sponsor, { attempt: 1, deadline: 2n ** 40n - 1n });
      await relayed(next, 1);
      await resolve({ attempt: 1, upheld: 0 });
      await refused(relayed(next, 1), "AlreadyAppealed");
      await refused(mission.contract.connect(sponsor).appeal(0, 1, EVIDENCE, directly(sponsor)), "AlreadyAppealed");
      expect(await mission.city.token.balanceOf(sponsor.address)).to.be.greaterThanOrEqual(tokens(80));
    });

    it("leaves nothing behind while its bond is lacking, and is filed when it is there", async () => {
      await cleared();
      const { sponsor, token } = mission.city;
      const auth = await mission.signedAppeal(sponsor);
      await expect(relayed(auth)).to.be.revertedWithCustomError(token, "ERC20InsufficientAllowance");
      await token.connect(sponsor).approve(mission.address, tokens(10));
      await expect(relayed(auth)).to.be.revertedWithCustomError(token, "ERC20InsufficientBalance");
      expect((await mission.contract.appealsOf(0, 0)).open).to.equal(0);
      expect((await mission.contract.ledger()).bonds).to.equal(0);
      await token.mint(sponsor.address, tokens(10));
      await relayed(auth);
      expect((await mission.contract.ledger()).bonds).to.equal(tokens(10));
    });

    it("is not spoilt by whoever uses permit or signature first: it is filed, of the same party", async () => {
      await cleared();
      const agent = await executor();
      await mission.city.token.mint(agent.address, tokens(10));
      const auth = await mission.signedAppeal(agent);
      await permitted(agent, tokens(10));
      await mission.contract.connect(mission.city.deployer).appeal(0, 0, EVIDENCE, auth);
      await refused(relayed(auth), "AlreadyAppealed");
      const [filed] = await mission.contract.queryFilter(mission.contract.filters.AppealFiled());
      expect(filed?.args.appellant).to.equal(agent.address);
    });

    it("is a contract wallet's as sponsor; of an executor it takes its own key only, whatever code stands at its address", async () => {
      await cleared();
      const { sponsor } = mission.city;
      const agent = await executor();
      const owner = await mission.city.account("owner");
      await allowed(sponsor);
      await allowed(agent);
      await wallet(sponsor.address, owner.address);
      await wallet(agent.address, owner.address);
      await refused(relayed(await mission.signedAppeal(owner, { appellant: agent.address })), "InvalidSignature");
      await relayed(await mission.signedAppeal(agent));
      await refused(relayed(await mission.signedAppeal(await stranger(), { appellant: sponsor.address })), "InvalidSignature");
      await relayed(await mission.signedAppeal(owner, { appellant: sponsor.address }));
      await refused(relayed(await mission.signedAppeal(sponsor)), "AlreadyAppealed");
    });
  });

  describe("RESOLVE_APPEAL", () => {
    it("takes a share back while nothing has left, and the bond goes back", async () => {
      await cleared();
      const { sponsor } = mission.city;
      await appealAs(sponsor);
      expect(await mission.contract.state()).to.equal(MissionState.COMPLETED);
      const call = resolve({ share: 5000 });
      await expect(call).to.emit(mission.contract, "AppealResolved").withArgs(0, 0, 1, 5000, 0, 0);
      await expect(call).to.emit(mission.contract, "BondReturned").withArgs(0, sponsor.address, tokens(10));
      await expect(call)
        .to.emit(mission.contract, "Reassessed")
        .withArgs(0, 0, (await executor()).address, 48_500_000n, 0, tokens(2), tokens(1), 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(48_500_000n);
      expect((await mission.contract.appealsOf(0, 0))[0]).to.equal(0);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await wealthOf((await executor()).address)).to.equal(48_500_000n);
      await mission.contract.close();
      const ledger = await mission.contract.ledger();
      expect([ledger.paid, ledger.fees, ledger.insurance, ledger.refunded]).to.deep.equal([48_500_000n, tokens(2), tokens(1), 48_500_000n]);
    });

    it("raises a share from the price that was held back for it, whatever was refunded before", async () => {
      await cleared({}, Result.PASS, 8000);
      const agent = await executor();
      await appealAs(agent);
      await refused(mission.contract.refund(), "NothingToRefund");
      await resolve({ share: 10_000 });
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      // The bond came back too.
      expect(await wealthOf(agent.address)).to.equal(tokens(97) + tokens(10));
    });

    it("counts with the reputation at the award, whatever came after", async () => {
      mission = await (await openMission()).activate();
      for (const { agent } of mission.city.workers) await mission.city.producers.adjustReputation(agent.address, -200, EVIDENCE);
      await mission.awardAll();
      const agent = await executor();
      await mission.city.producers.adjustReputation(agent.address, 600, EVIDENCE);
      await mission.run(0);
      await appealAs(mission.city.sponsor);
      await resolve({ share: 5000 });
      // ψ(300) = 0.9 of 48.5.
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(43_650_000n);
    });

    it("frees an executor from fees when nothing is left to earn", async () => {
      await cleared();
      await appealAs(mission.city.sponsor);
      await resolve({ share: 0 });
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      const ledger = await mission.contract.ledger();
      expect([ledger.paid, ledger.fees, ledger.insurance, ledger.refundable]).to.deep.equal([0n, 0n, 0n, tokens(100)]);
    });

    it("rejects: the decision stands and the bond goes to insurance", async () => {
      await cleared();
      await appealAs(mission.city.sponsor);
      const insurance = await mission.city.treasury.insuranceBalance();
      const call = resolve({ upheld: 0, share: 1, slash: 1n, culprits: 1 });
      await expect(call).to.emit(mission.contract, "BondForfeited").withArgs(0, mission.city.sponsor.address, tokens(10));
      expect(await mission.city.treasury.insuranceBalance()).to.equal(insurance + tokens(10));
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(tokens(97));
      expect(await heldBy((await executor()).address)).to.equal(tokens(10_000));
    });

    it("tells upheld appeals from rejected ones", async () => {
      await cleared();
      const agent = await executor();
      await appealAs(mission.city.sponsor);
      await appealAs(agent);
      const call = resolve({ filed: 2, upheld: 0b01, share: 9000 });
      await expect(call).to.emit(mission.contract, "BondReturned").withArgs(0, mission.city.sponsor.address, tokens(10));
      await expect(call).to.emit(mission.contract, "BondForfeited").withArgs(0, agent.address, tokens(10));
      expect((await mission.contract.ledger()).bonds).to.equal(0);
    });

    it("slashes a culprit of recorded work, up to 500 and once", async () => {
      await cleared();
      const agent = await executor();
      await appealAs(mission.city.sponsor);
      await expect(resolve({ slash: tokens(501), culprits: 1 })).to.be.revertedWithCustomError(mission.city.execution, "LockExceeded");
      await refused(resolve({ slash: tokens(1), culprits: 2 }), "NotCommitted");
      const call = resolve({ slash: tokens(500), culprits: 1 });
      await expect(call).to.emit(mission.contract, "ExecutorFaulted");
      expect(await heldBy(agent.address)).to.equal(tokens(9500));
      expect(await mission.city.producers.reputationOf(agent.address)).to.equal(450n);
      await appealAs(agent);
      await refused(resolve({ filed: 2, upheld: 2, slash: tokens(500), culprits: 1 }), "AlreadySlashed");
      await resolve({ filed: 2, upheld: 2, share: 100 });
      // Settled by the ruling: the claim pays the share that is left, and neither ends nor scores anything a second time.
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await mission.city.producers.stakeOf(agent.address).then(({ locked }) => locked)).to.equal(0n);
      expect(await mission.city.producers.reputationOf(agent.address)).to.equal(450n);
      expect(await mission.city.treasury.creditOf(agent.address)).to.be.greaterThan(0n);
    });

    it("spares whom a verdict condemned", async () => {
      await cleared({}, Result.FAIL);
      const agent = await executor();
      await appealAs(agent);
      await refused(resolve({ share: 1 }), "ShareOutOfRange");
      const reputation = await mission.city.producers.reputationOf(agent.address);
      expect(await mission.city.producers.openFaultsOf(agent.address)).to.equal(1n);
      await resolve();
      expect(await mission.city.producers.openFaultsOf(agent.address)).to.equal(0n);
      expect(await heldBy(agent.address)).to.equal(tokens(10_000));
      expect(await mission.city.producers.reputationOf(agent.address)).to.equal(reputation);
      expect((await mission.city.producers.stakeOf(agent.address)).locked).to.equal(0);
      expect((await mission.contract.faultOf(0, 0)).settled).to.equal(true);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      await networkHelpers.time.increase(HOUR);
      await refused(mission.contract.claim([0]), "NotRecorded");
      await mission.override(Action.TERMINATE_MISSION, 0);
      await mission.contract.close();
    });

    it("makes a waiting slash smaller, at once", async () => {
      await cleared({}, Result.FAIL);
      const agent = await executor();
      await appealAs(agent);
      const reputation = await mission.city.producers.reputationOf(agent.address);
      await resolve({ slash: tokens(20), culprits: 1 });
      expect(await heldBy(agent.address)).to.equal(tokens(9980));
      expect(await mission.city.producers.reputationOf(agent.address)).to.be.lessThan(reputation);
    });

    it("may uphold a whole slash, and leaves an older one waiting", async () => {
      await cleared({}, Result.FAIL);
      const first = await executor();
      await mission.contract.reopen(0);
      for (const worker of [0, 1, 2, 3]) {
        if (mission.worker(worker).agent.address !== first.address) await mission.bid(0, worker);
      }
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      const second = await executor();
      await mission.run(0, { result: Result.FAIL });
      await appealAs(second, tokens(10), 1);
      await resolve({ attempt: 1, slash: WHOLE, culprits: 1 });
      expect(await heldBy(second.address)).to.equal(tokens(9850));
      expect((await mission.contract.nodeOf(0)).faulted).to.equal(true);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await heldBy(first.address)).to.equal(tokens(9850));
    });

    it("needs an open appeal, heard in full, in time", async () => {
      await cleared();
      await refused(resolve(), "NoOpenAppeal");
      await appealAs(mission.city.sponsor);
      await refused(resolve({ attempt: 1 }), "NoOpenAppeal");
      await refused(resolve({ filed: 2 }), "AppealsDiffer");
      await refused(resolve({ upheld: 2 }), "AppealsDiffer");
      await refused(resolve({ share: 10_001 }), "ShareOutOfRange");
      await networkHelpers.time.increase(UNRESOLVED);
      await refused(resolve(), "WindowClosed");
      await mission.contract.claim([0]);
      expect(await wealthOf((await executor()).address)).to.equal(tokens(97));
    });

    it("is adjudication's", async () => {
      await cleared();
      await appealAs(mission.city.sponsor);
      await refused(
        mission.contract.onOverride(Action.RESOLVE_APPEAL, 0, mission.address, ruling(), await mission.contract.caseHash(0)),
        "NotAdjudication",
      );
    });
  });
});
