import { expect } from "chai";
import { encodeBytes32String, id, TypedDataEncoder, ZeroAddress, ZeroHash } from "ethers";
import { encodeAbiParameters, type Hex } from "viem";
import { encodeActionData } from "../../../../orchestrator/protocol/actions.ts";
import { typesOf } from "../../../../orchestrator/protocol/typed-data.ts";
import { EvidenceClass, REFUTED } from "../../../../orchestrator/rules/admissibility.ts";
import { nodeCommitmentOf } from "../../../../orchestrator/rules/commitments.ts";
import { faultClasses, faultTypes } from "../../../../orchestrator/rules/faults.ts";
import { Risk } from "../../../../orchestrator/rules/law-codec.ts";
import { decodeClearWave, encodeClearWave } from "../../../../orchestrator/rules/wire.ts";
import { ethers, keyOf, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  Action,
  Clearing,
  type Mission,
  type MissionOptions,
  MissionState,
  NodeState,
  openMission,
  packed,
  Result,
  TASK,
  type VerdictOptions,
} from "../../../support/mission-fixture.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("Verification", () => {
  let mission: Mission;
  const routed = async (options: MissionOptions = {}) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
    await mission.route(0);
  };
  /** Committed, revealed, and one block older. */
  const worked = async (options: MissionOptions = {}) => {
    await routed(options);
    await mission.work(0);
    await networkHelpers.mine();
  };
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("commit and commitOpen", () => {
    it("take the executor's signature, by anyone, once", async () => {
      await routed();
      const { agent } = await mission.executorOf(0);
      const commitment = await mission.commitmentOf(0);
      await expect(mission.commit(0)).to.emit(mission.contract, "Committed").withArgs(0, 0, agent.address, 0, commitment);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      await refused(mission.commit(0), "WrongNodeState");
    });

    it("take the executor itself without a signature", async () => {
      await routed();
      const { agent } = await mission.executorOf(0);
      await mission.contract.connect(agent).commitOpen(0, 0, await mission.opening(0), await mission.soon(), "0x");
      expect(await mission.contract.pledgeOf(0, 0)).to.equal(await mission.commitmentOf(0));
    });

    it("refuse another's word, a late signature, an unknown slot, too many items, no trail, no claim at the floor", async () => {
      await routed();
      const opening = await mission.opening(0);
      const soon = await mission.soon();
      await refused(mission.contract.commitOpen(0, 0, opening, soon, "0x"), "InvalidSignature");
      await refused(mission.contract.commitOpen(0, 0, opening, 1, "0x"), "Expired");
      await refused(mission.contract.commitOpen(0, 1, opening, soon, "0x"), "SlotEmpty");
      const { agent } = await mission.executorOf(0);
      await refused(mission.contract.connect(agent).commitOpen(0, 0, { ...opening, items: 32 }, soon, "0x"), "TooManyItems");
      await refused(mission.contract.connect(agent).commitOpen(0, 0, { ...opening, trailRoot: ZeroHash }, soon, "0x"), "TrailMissing");
      const { floor } = mission.node(0);
      const classes = BigInt(EvidenceClass.WIT);
      for (const low of [
        { ...opening, items: 0 },
        { ...opening, classes },
        { ...opening, classes: classes | (BigInt(floor) << 3n) },
      ])
        await expect(mission.contract.connect(agent).commitOpen(0, 0, low, soon, "0x"))
          .to.be.revertedWithCustomError(mission.contract, "ClaimsTooLittle")
          .withArgs(0, 0, floor);
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0);
    });

    it("belong to their tiers", async () => {
      await routed();
      await refused(mission.contract.commit(0, 0, id("x"), await mission.soon(), "0x"), "WrongTier");
      await refused(mission.contract.reveal(0, 0, await mission.opening(0)), "WrongTier");
      await routed({ nodes: [CONSENSUS] });
      await refused(mission.contract.commitOpen(0, 0, await mission.opening(0), await mission.soon(), "0x"), "WrongTier");
      const { agent } = await mission.executorOf(0);
      await refused(mission.contract.connect(agent).commit(0, 0, ZeroHash, await mission.soon(), "0x"), "NotCommitted");
    });
  });

  describe("reveal", () => {
    it("waits until all have committed, so that nobody copies", async () => {
      await routed({ nodes: [CONSENSUS] });
      await mission.commit(0, 0);
      await refused(mission.commit(0, 0), "AlreadyCommitted");
      await refused(mission.reveal(0, 0), "NotAllCommitted");
      await mission.commit(0, 1);
      await mission.commit(0, 2);
      await mission.reveal(0, 0);
      await refused(mission.reveal(0, 0), "AlreadyRevealed");
      await refused(mission.contract.reveal(0, 1, await mission.opening(0, 2)), "OpeningMismatch");
      await refused(mission.contract.reveal(0, 3, await mission.opening(0, 0)), "NotCommitted");
    });

    it("opens when time is up and enough have committed; the absent lose 50", async () => {
      await routed({ nodes: [CONSENSUS] });
      for (const slot of [1, 2]) await mission.commit(0, slot);
      await networkHelpers.time.increase(60);
      const absent = (await mission.executorOf(0, 0)).agent;
      await mission.reveal(0, 1);
      expect((await mission.city.producers.stakeOf(absent.address)).held).to.equal(tokens(9950));
      await mission.reveal(0, 2);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
    });
  });

  describe("clear", () => {
    it("never in the block of the last commitment", async () => {
      await routed();
      await mission.work(0);
      // A call on the latest block runs in it: the panel is not drawn before the next one.
      await refused(mission.contract.panelOf(0), "TooEarly");
      await networkHelpers.mine();
      expect(await mission.contract.panelOf(0)).to.have.length(1);
    });

    it("records what the panel passed and pays nothing yet", async () => {
      await worked();
      const { agent } = await mission.executorOf(0);
      const call = mission.contract.clear(packed(await mission.clearOrder(0, { score: 9000 })));
      await expect(call).to.emit(mission.contract, "Cleared").withArgs(0, 0, Clearing.PASS, 9000, 9000, EvidenceClass.ATT, 1, 1);
      // base = 97; share 90 %: 87.3; fee 2, insurance 1, the rest is the sponsor's.
      const entitlement = await mission.contract.entitlementOf(0, 0);
      expect(entitlement.paid).to.equal(87_300_000n);
      const ledger = await mission.contract.ledger();
      expect([ledger.paid, ledger.fees, ledger.entitled]).to.deep.equal([0n, 0n, 87_300_000n]);
      // The rest of the price may still be theirs by appeal: it becomes the sponsor's with the claim.
      expect(ledger.refundable).to.equal(0);
      // What is not final moves nothing: stake and reputation stay as they are, too.
      expect(await mission.city.producers.stakeOf(agent.address).then(({ locked }) => locked)).to.equal(tokens(150));
      expect(await mission.city.producers.reputationOf(agent.address)).to.equal(500n);
      expect(await mission.contract.countedOf(0)).to.have.length(1);
    });

    it("hears the drawn panel only, each member once, in time, on this very node", async () => {
      await worked({ nodes: [CONSENSUS] });
      const order = await mission.clearOrder(0, { agreeing: 7 });
      const [first] = order.verdicts;
      if (first === undefined) throw new Error("no verdict");
      const panel = await mission.contract.panelOf(0);
      const outsider = [...mission.city.verifiers.keys()].find((one) => !panel.includes(one)) ?? "";
      const clear = (...verdicts: (typeof order.verdicts)[number][]) => mission.contract.clear(packed({ ...order, verdicts }));
      await refused(clear(await mission.verdict(0, outsider)), "NotOnPanel");
      await refused(clear(first, first), "DuplicateVerdict");
      await refused(clear({ ...first, score: 1 }), "InvalidSignature");
      for (const [other, error] of [
        [{ obligation: id("x") }, "InvalidSignature"],
        [{ commitment: `0x${"11".repeat(32)}` as const }, "InvalidSignature"],
        [{ deadline: 1n }, "Expired"],
      ] as const) {
        const said = { ...first, ...other };
        const list = { verifier: said.verifier, verdicts: [said], deadline: said.deadline };
        const key = mission.city.verifiers.get(said.verifier);
        if (key === undefined) throw new Error("no verifier");
        await refused(clear({ ...said, signature: await mission.city.sign("Verdicts", mission.address, list, key) }), error);
      }
      await refused(clear(first), "PanelIncomplete");
      await refused(mission.contract.clear("0x00"), "EmptyBatch");
      await refused(mission.contract.clear("0x"), "MalformedWave");
      await refused(mission.contract.clear(packed({ ...order, openings: [] })), "LengthMismatch");
      const swapped = [order.openings[1], order.openings[0], order.openings[2]].filter((one) => one !== undefined);
      await refused(mission.contract.clear(packed({ ...order, openings: swapped })), "OpeningMismatch");
      expect((await mission.contract.previewClear(packed(order)))[0]?.result).to.equal(Clearing.PASS);
    });

    it("takes a majority in the last fifth of the panel's time and charges the absent 50", async () => {
      await worked({ nodes: [CONSENSUS] });
      const [absent] = await mission.contract.panelOf(0);
      const held = async () => (await mission.city.producers.stakeOf(absent ?? "")).held;
      await networkHelpers.time.increaseTo((await mission.contract.nodeOf(0)).deadline - 70n);
      await refused(mission.clear(0, { absent: 1 }), "PanelIncomplete");
      await networkHelpers.time.increaseTo((await mission.contract.nodeOf(0)).deadline - 60n);
      const before = await held();
      await mission.clear(0, { absent: 1 });
      expect(await held()).to.equal(before - tokens(50));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("believes evidence as far as it is proven", async () => {
      await worked();
      const order = await mission.clearOrder(0);
      const [item] = order.items;
      if (item === undefined) throw new Error("no item");
      const clear = (one: typeof item) => mission.contract.clear(packed({ ...order, items: [one] }));
      await refused(clear({ ...item, payload: `0x${"11".repeat(32)}` as const }), "ItemNotInEnvelope");
      await refused(clear({ ...item, slot: 2 }), "NotCommitted");
      await refused(clear({ ...item, signature: "0x" }), "InvalidSignature");
      await mission.city.evidence.revoke(mission.city.issuer.address);
      await refused(clear(item), "IssuerNotRegistered");
      const { agent } = await mission.executorOf(0);
      const principal = await mission.city.producers.principalOf(agent.address);
      await mission.city.evidence.registerIssuer(mission.city.issuer.address, principal, 1 << EvidenceClass.ATT);
      await refused(clear(item), "IssuerConflict");
    });

    it("lets nobody silence a verdict by leaving its proofs out", async () => {
      await worked();
      await refused(mission.clear(0, { unproven: true }), "EvidenceMissing");
    });

    it("gives no weight to a claim that nobody proves: no panel could, and the executor loses what being late costs", async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      await mission.route(0);
      await mission.work(0);
      const { agent } = await mission.executorOf(0);
      await networkHelpers.time.increase(250);
      await mission.clear(0, { result: Result.ABSTAIN, basis: 0n, unproven: true });
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      const { held, locked } = await mission.city.producers.stakeOf(agent.address);
      expect([held, locked]).to.deep.equal([tokens(9950), 0n]);
      expect((await mission.contract.nodeOf(0)).faulted).to.equal(false);
    });

    it("gives no weight to a basis of nothing, or of a slot that is none", async () => {
      for (const basis of [0n, 1n | (1n << 32n)]) {
        await worked();
        await expect(mission.contract.clear(packed(await mission.clearOrder(0, { basis })))).to.emit(mission.contract, "PanelRedrawn");
        expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      }
    });

    it("hears an abstention as presence, and pays nothing for it", async () => {
      await worked();
      await expect(mission.clear(0, { result: Result.ABSTAIN })).to.emit(mission.contract, "PanelRedrawn");
      expect(await mission.contract.countedOf(0)).to.deep.equal([]);
    });

    it("hears what answers nothing as presence, whatever it claims to rest on", async () => {
      await worked({ nodes: [{ ...TASK, panelSize: 3 }] });
      const [first, ...others] = (await mission.clearOrder(0)).verdicts;
      if (first === undefined) throw new Error("no verdict");
      const beyond = await mission.verdict(0, first.verifier, { score: 10_001, basis: REFUTED, result: Result.FAIL });
      await mission.contract.clear(packed({ ...(await mission.clearOrder(0)), verdicts: [beyond, ...others] }));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("hears abstentions on a slot that claims evidence with that evidence, or after the deadline: then the slot was late", async () => {
      await worked();
      const { agent } = await mission.executorOf(0);
      const silent = { result: Result.ABSTAIN, unproven: true };
      await refused(mission.clear(0, silent), "SlotUnproven");
      await networkHelpers.time.increase(300);
      await mission.clear(0, silent);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(9950));
    });

    it("leaves what is unsure to a human", async () => {
      await worked();
      await mission.clear(0, { confidence: 5999 });
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    });

    it("pays those in agreement; a dissenter scores 0 unslashed", async () => {
      await worked({ nodes: [CONSENSUS] });
      const dissenter = (await mission.executorOf(0, 2)).agent;
      const rho = await mission.city.producers.reputationOf(dissenter.address);
      await mission.clear(0, { agreeing: 0b011 });
      for (const slot of [0, 1]) expect((await mission.contract.entitlementOf(0, slot)).paid).to.be.greaterThan(0);
      expect((await mission.contract.entitlementOf(0, 2)).paid).to.equal(0);
      expect(await mission.city.producers.reputationOf(dissenter.address)).to.equal(rho);
      await networkHelpers.time.increase(3600);
      await mission.contract.claim([0]);
      const { held, locked } = await mission.city.producers.stakeOf(dissenter.address);
      expect([held, locked]).to.deep.equal([tokens(10_000), 0n]);
      expect(await mission.city.producers.reputationOf(dissenter.address)).to.be.lessThan(rho);
      const winner = (await mission.executorOf(0)).agent;
      expect(await mission.city.producers.reputationOf(winner.address)).to.be.greaterThan(rho);
    });

    it("asks a human about a HIGH node on whose panel a principal sits twice, whatever it decides", async () => {
      for (const result of [Result.PASS, Result.FAIL]) {
        await worked({ nodes: [{ ...TASK, risk: Risk.HIGH, panelSize: 3 }] });
        const { agent } = await mission.executorOf(0);
        const before = await mission.city.producers.stakeOf(agent.address);
        await expect(mission.clear(0, { result })).to.emit(mission.contract, "PanelCrowded").withArgs(0, 0);
        expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
        expect(await mission.city.producers.stakeOf(agent.address)).to.deep.equal(before);
        expect((await mission.contract.ledger()).entitled).to.equal(0);
      }
      for (const node of [
        { ...TASK, risk: Risk.HIGH, panelSize: 2 },
        { ...TASK, risk: Risk.MEDIUM, panelSize: 3 },
      ]) {
        await worked({ nodes: [node] });
        await expect(mission.clear(0)).not.to.emit(mission.contract, "PanelCrowded");
        expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      }
    });

    it("asks a human when too few agree", async () => {
      await worked({ nodes: [CONSENSUS] });
      await mission.clear(0, { agreeing: 0b001 });
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    });

    it("finds the law at fault when executors agree on what is wrong: no further attempt, anybody ends the mission", async () => {
      await worked({ nodes: [CONSENSUS] });
      const order = await mission.clearOrder(0, { result: Result.FAIL });
      await expect(mission.contract.clear(packed(order)))
        .to.emit(mission.contract, "FaultSignalled")
        .withArgs(0, 0, faultTypes.indexOf("CONSENSUS_FAILED"), faultClasses.indexOf("SPECIFICATION"), encodeBytes32String("CLEARED_FAIL"));
      await refused(mission.contract.reopen(0), "IterationsExhausted");
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.FAILED);
    });
  });

  describe("a wave of clearings", () => {
    const wave = async () => {
      await worked({ nodes: [TASK, TASK, TASK] });
      await mission.route(1, 2);
      for (const node of [1, 2]) await mission.work(node);
      await networkHelpers.mine();
      return decodeClearWave(await mission.clearWave([0, 1, 2]));
    };
    const states = async () => Promise.all([0, 1, 2].map((node) => mission.stateOf(node)));
    const skipped = async (bytes: string, node: number, error: string) =>
      expect(mission.contract.clear(bytes))
        .to.emit(mission.contract, "Skipped")
        .withArgs(node, 255, 0, mission.contract.interface.getError(error)?.selector);
    const { COMPLETED, PENDING_VERIFICATION } = NodeState;

    it("has one signature of each issuer and each verifier, and clears all of its nodes", async () => {
      const given = await wave();
      expect(given.issuers).to.have.length(1);
      expect(given.verifiers.length).to.be.lessThan(4);
      await mission.contract.clear(encodeClearWave(given));
      expect(await states()).to.deep.equal([COMPLETED, COMPLETED, COMPLETED]);
    });

    it("passes over a node that cannot be cleared", async () => {
      const given = await wave();
      const orders = given.orders.map((order) => (order.node === 1 ? { ...order, openings: [] } : order));
      await skipped(encodeClearWave({ ...given, orders }), 1, "LengthMismatch");
      expect(await states()).to.deep.equal([COMPLETED, PENDING_VERIFICATION, COMPLETED]);
    });

    it("passes over every node that a false list names, and no other", async () => {
      await wave();
      const orders = [await mission.clearOrder(0), await mission.clearOrder(1), await mission.clearOrder(2)] as const;
      const [, second, third] = orders;
      const forged = { ...second, verdicts: second.verdicts.map((verdict) => ({ ...verdict, score: 1 })) };
      await skipped(packed(orders[0], forged, third), 1, "InvalidSignature");
      expect(await states()).to.deep.equal([COMPLETED, PENDING_VERIFICATION, COMPLETED]);
    });

    it("makes parties of those who sat where something was decided, and of nobody for a node passed over", async () => {
      await wave();
      const judges = [...(await mission.contract.panelOf(0)), ...(await mission.contract.panelOf(2))];
      const [first, second, third] = await Promise.all([0, 1, 2].map((node) => mission.clearOrder(node)));
      if (first === undefined || second === undefined || third === undefined) throw new Error("three nodes");
      const wrong = (order: typeof first) => ({ ...order, verdicts: order.verdicts.map((verdict) => ({ ...verdict, score: 1 })) });
      const { evidence, execution, verifiers } = mission.city;
      const sat = async (judge: string) => (await execution.participationOf(mission.address, await evidence.principalOf(judge))).verifier;
      await skipped(packed(wrong(second), wrong(third)), 1, "InvalidSignature");
      for (const judge of verifiers.keys()) expect(await sat(judge)).to.equal(false);
      await skipped(packed(first, wrong(second), third), 1, "InvalidSignature");
      for (const judge of judges) expect(await sat(judge)).to.equal(true);
    });

    it("believes no item of an issuer's list of which one was changed", async () => {
      const given = await wave();
      const issuers = given.issuers.map((list) => ({ ...list, items: list.items.slice(0, 2) }));
      const changed = encodeClearWave({ ...given, issuers });
      await skipped(changed, 0, "InvalidSignature");
      await skipped(changed, 1, "InvalidSignature");
      expect(await states()).to.deep.equal([PENDING_VERIFICATION, PENDING_VERIFICATION, PENDING_VERIFICATION]);
    });

    it("is heard on one of the nodes that its lists name, the others' entries standing as hashes", async () => {
      const given = await wave();
      const about = await Promise.all(
        [0, 1, 2].map(async (node) => ({
          obligation: await mission.contract.obligationOf(node),
          commitment: nodeCommitmentOf([(await mission.contract.pledgeOf(node, 0)) as Hex]),
          draw: (await mission.contract.nodeOf(node)).drawBlock,
        })),
      );
      const hashOf = (name: "Evidence" | "Verdict", entry: { readonly order: number }) =>
        TypedDataEncoder.from(typesOf(name)).hash({ ...entry, ...about[entry.order] }) as Hex;
      const only = encodeClearWave({
        orders: given.orders.slice(0, 1),
        issuers: given.issuers.map((list) => ({
          ...list,
          items: list.items.map((item) => (typeof item === "string" || item.order === 0 ? item : hashOf("Evidence", item))),
        })),
        verifiers: given.verifiers.map((list) => ({
          ...list,
          verdicts: list.verdicts.map((verdict) =>
            typeof verdict === "string" || verdict.order === 0 ? verdict : hashOf("Verdict", verdict),
          ),
        })),
      });
      await expect(mission.contract.post(only)).to.emit(mission.contract, "Posted").withArgs(0, 0, 1);
      await mission.contract.clear(only);
      expect(await states()).to.deep.equal([COMPLETED, PENDING_VERIFICATION, PENDING_VERIFICATION]);
    });

    it("names a node once", async () => {
      const given = await wave();
      const [first] = given.orders;
      if (first === undefined) throw new Error("no order");
      await expect(mission.contract.clear(encodeClearWave({ ...given, orders: [first, first, ...given.orders.slice(2)] })))
        .to.be.revertedWithCustomError(mission.contract, "MalformedWave")
        .withArgs(1 + 2 + 141);
    });
  });

  describe("post", () => {
    const ordered = async () => {
      await worked({ nodes: [{ ...TASK, panelSize: 3 }] });
      const order = await mission.clearOrder(0);
      const [first, second, third] = order.verdicts;
      if (first === undefined || second === undefined || third === undefined) throw new Error("no verdicts");
      return { order, verdicts: [first, second, third] as const };
    };

    it("keeps each verdict once, of the drawn panel, resting on what is proven with it", async () => {
      const { order, verdicts } = await ordered();
      const [first, second] = verdicts;
      const post = (over: Partial<typeof order>) => mission.contract.post(packed({ ...order, ...over }));
      await refused(post({ verdicts: [first], items: [] }), "EvidenceMissing");
      const panel = await mission.contract.panelOf(0);
      const outsider = [...mission.city.verifiers.keys()].find((one) => !panel.includes(one)) ?? "";
      await refused(post({ verdicts: [await mission.verdict(0, outsider)] }), "NotOnPanel");
      await refused(post({ verdicts: [{ ...first, score: 1 }] }), "InvalidSignature");
      await expect(post({ verdicts: [first] })).to.emit(mission.contract, "Posted");
      await refused(post({ verdicts: [first] }), "DuplicateVerdict");
      const abstains = await mission.verdict(0, second.verifier, { result: Result.ABSTAIN });
      await post({ verdicts: [abstains], items: [] });
    });

    it("is over when the last fifth of the panel's time begins; what it holds is cleared with the rest, as it was posted", async () => {
      const { order, verdicts } = await ordered();
      const [first, second, third] = verdicts;
      await mission.contract.post(packed({ ...order, verdicts: [first] }));
      await networkHelpers.time.increaseTo((await mission.contract.nodeOf(0)).deadline - 60n);
      await refused(mission.contract.post(packed({ ...order, verdicts: [second] })), "WindowClosed");
      const clear = (...heard: (typeof order.verdicts)[number][]) => mission.contract.clear(packed({ ...order, verdicts: heard }));
      await expect(clear(second, third)).to.be.revertedWithCustomError(mission.contract, "VerdictLeftOut").withArgs(0, 1n);
      await refused(clear(await mission.verdict(0, first.verifier, { score: 1 }), second), "VerdictReplaced");
      await clear(first, second);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("is of one draw: another panel is heard anew, and who posted for the former is not charged", async () => {
      const { order, verdicts } = await ordered();
      const [first, second] = verdicts;
      await mission.contract.post(packed({ ...order, verdicts: [first] }));
      const held = async ({ verifier }: { verifier: string }) => (await mission.city.producers.stakeOf(verifier)).held;
      const before = [await held(first), await held(second)];
      await networkHelpers.time.increaseTo((await mission.contract.nodeOf(0)).deadline);
      await mission.contract.redraw(0);
      expect([await held(first), await held(second)]).to.deep.equal([before[0], (before[1] ?? 0n) - tokens(50)]);
      await networkHelpers.time.increase(250);
      await mission.clear(0, { absent: 1 });
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("takes evidence until a human has ruled, and no verdict after the panel", async () => {
      await worked({ nodes: [{ ...TASK, tier: 3 }] });
      const order = await mission.clearOrder(0);
      await mission.clear(0);
      await refused(mission.contract.post(packed(order)), "WrongNodeState");
      await expect(mission.contract.post(packed({ ...order, verdicts: [] }))).to.emit(mission.contract, "Posted");
      await mission.override(Action.REJECT_POP, 0);
      await refused(mission.contract.post(packed({ ...order, verdicts: [] })), "WrongNodeState");
    });
  });

  describe("a refutation", () => {
    const AGAINST = { result: Result.FAIL, basis: REFUTED };
    /** Work for which nobody vouches, and what the panel makes of two issuers' words against it. */
    const disowned = async (options: MissionOptions = {}, verdict: VerdictOptions = AGAINST) => {
      await worked(options);
      const issuers = [mission.city.issuer, await mission.furtherIssuer("second issuer")] as const;
      const order = { ...(await mission.clearOrder(0, { ...verdict, unproven: true })) };
      const words = await Promise.all(issuers.map((issuer) => mission.refutation(0, issuer)));
      return { order, issuers, words };
    };
    const closed = () => networkHelpers.time.increase(250);

    it("by two principals is what a FAIL may rest on, once the executor had its time to show something", async () => {
      const { order, words } = await disowned();
      const call = () => mission.contract.clear(packed({ ...order, items: words }));
      await refused(call(), "SlotUnproven");
      await closed();
      await expect(call()).to.emit(mission.contract, "Cleared").withArgs(0, 0, Clearing.FAIL, 9000, 0, EvidenceClass.ATT, REFUTED, 0);
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("cannot be left out where a verdict names it, nor be one principal's alone", async () => {
      const { order, words } = await disowned();
      await closed();
      await refused(mission.contract.clear(packed(order)), "EvidenceMissing");
      await refused(mission.contract.clear(packed({ ...order, items: words.slice(0, 1) })), "EvidenceMissing");
      const face = await mission.furtherIssuer("second face", keyOf("issuer's principal"));
      const items = [...words.slice(0, 1), await mission.refutation(0, face)];
      await refused(mission.contract.clear(packed({ ...order, items })), "EvidenceMissing");
    });

    it("is of this work, by a word and not a proof, at the floor", async () => {
      const { order, issuers } = await disowned();
      const [issuer] = issuers;
      const prover = await mission.city.account("prover");
      const classes = (1 << EvidenceClass.PROOF) | (1 << EvidenceClass.REC);
      await mission.city.evidence.registerIssuer(prover.address, keyOf("prover's principal").address, classes);
      for (const word of [
        await mission.refutation(0, issuer, { payload: id("other work") }),
        await mission.refutation(0, prover, { class: EvidenceClass.PROOF }),
        await mission.refutation(0, prover, { class: EvidenceClass.REC }),
      ])
        await refused(mission.contract.clear(packed({ ...order, items: [word] })), "NothingRefuted");
      await refused(mission.contract.clear(packed({ ...order, items: [await mission.refutation(0, prover)] })), "IssuerNotRegistered");
    });

    it("is none where several executors work", async () => {
      const { order, words } = await disowned({ nodes: [CONSENSUS] });
      await refused(mission.contract.clear(packed({ ...order, items: words })), "NothingRefuted");
    });

    it("is undecided against what an issuer confirmed: a human decides, unless the others do", async () => {
      const { order, words } = await disowned();
      const items = [...words, await mission.item(0, 0)];
      await mission.contract.clear(packed({ ...order, items }));
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);

      const three = await disowned({ nodes: [{ ...TASK, panelSize: 3 }] });
      const [one, ...others] = three.order.verdicts;
      if (one === undefined) throw new Error("no verdict");
      const praise = await Promise.all(others.map(({ verifier }) => mission.verdict(0, verifier)));
      const heard = { ...three.order, verdicts: [one, ...praise], items: [...three.words, await mission.item(0, 0)] };
      await mission.contract.clear(packed(heard));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("is nothing that praise could rest on, of a panel or a human", async () => {
      const { order, words } = await disowned({}, { basis: REFUTED });
      const items = [...words, await mission.item(0, 0)];
      await expect(mission.contract.clear(packed({ ...order, items }))).to.emit(mission.contract, "PanelRedrawn");
      await networkHelpers.mine();
      await mission.clear(0, { confidence: 0 });
      const data = encodeActionData("APPROVE_POP", [REFUTED, 10_000, [await mission.opening(0)], words]);
      await refused(mission.override(Action.APPROVE_POP, 0, data), "BelowFloor");
    });

    it("that was posted holds, whatever its issuer does afterwards", async () => {
      const { order, issuers, words } = await disowned();
      const call = mission.contract.post(packed({ ...order, items: words }));
      await expect(call).to.emit(mission.contract, "Refuted").withArgs(0, 0);
      await mission.city.evidence.revoke(issuers[1].address);
      await closed();
      await mission.contract.clear(packed(order));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });
  });

  describe("accuse", () => {
    const contradicted = async (over = {}) => {
      await worked();
      const [member = ""] = await mission.contract.panelOf(0);
      const one = await mission.signedVerdict(0, member);
      return { member, one, other: await mission.signedVerdict(0, member, { score: 5000, ...over }) };
    };

    it("takes 500 tokens of a member that gave two answers to one question, once", async () => {
      const { member, one, other } = await contradicted();
      const before = (await mission.city.producers.stakeOf(member)).held;
      await expect(mission.contract.accuse(0, 0, member, one, other))
        .to.emit(mission.contract, "Contradicted")
        .withArgs(0, 0, member, 0);
      expect((await mission.city.producers.stakeOf(member)).held).to.equal(before - tokens(500));
      await refused(mission.contract.accuse(0, 0, member, other, one), "AlreadyAccused");
    });

    it("is still heard when the node is recorded", async () => {
      const { member, one, other } = await contradicted();
      await mission.clear(0);
      await expect(mission.contract.accuse(0, 0, member, one, other)).to.emit(mission.contract, "Contradicted");
    });

    it("needs two answers to the same question, of the same draw, signed by a member", async () => {
      const { member, one, other } = await contradicted();
      const accuse = (first: typeof one, second: typeof one) => mission.contract.accuse(0, 0, member, first, second);
      await refused(accuse(one, one), "NotContradictory");
      await refused(accuse(one, await mission.signedVerdict(0, member, { question: 1 })), "NotContradictory");
      await refused(accuse(one, { ...other, place: 1 }), "NotContradictory");
      await refused(accuse(one, { ...other, verdict: { ...other.verdict, score: 1 } }), "NotContradictory");
      await refused(accuse(one, { ...other, signature: one.signature }), "InvalidSignature");
      await refused(mission.contract.accuse(0, 1, member, one, other), "WrongObligation");
      const outsider = [...mission.city.verifiers.keys()].find((each) => each !== member) ?? "";
      const said = [await mission.signedVerdict(0, outsider), await mission.signedVerdict(0, outsider, { score: 1 })] as const;
      await refused(mission.contract.accuse(0, 0, outsider, ...said), "NotOnPanel");
    });
  });

  describe("redraw", () => {
    it("replaces a panel whose block hash is gone, once", async () => {
      await routed();
      await mission.work(0);
      await refused(mission.contract.redraw(0), "TooEarly");
      await networkHelpers.mine(260, { interval: 0 });
      const { evidence } = mission.city;
      await expect(mission.contract.panelOf(0)).to.be.revertedWithCustomError(evidence, "SeedUnknown");
      await mission.contract.redraw(0);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("leaves a panel as it is whose block hash somebody kept", async () => {
      await routed();
      await mission.work(0);
      await networkHelpers.mine();
      const drawn = [...(await mission.contract.panelOf(0))];
      const { evidence, account } = mission.city;
      await evidence.connect(await account("anybody")).pinSeed((await mission.contract.nodeOf(0)).drawBlock);
      await networkHelpers.mine(260, { interval: 0 });
      await refused(mission.contract.redraw(0), "TooEarly");
      expect([...(await mission.contract.panelOf(0))]).to.deep.equal(drawn);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("leaves a second panel whose block hash is gone to a human", async () => {
      await routed();
      await mission.work(0);
      for (let i = 0; i < 2; i++) {
        await networkHelpers.mine(260, { interval: 0 });
        if (i === 0) await mission.contract.redraw(0);
      }
      await refused(mission.contract.redraw(0), "IterationsExhausted");
      await networkHelpers.time.increase(300);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    });

    it("replaces a silent panel once", async () => {
      await routed();
      await mission.work(0);
      await networkHelpers.time.increase(300);
      await mission.contract.redraw(0);
      await networkHelpers.time.increase(300);
      await refused(mission.contract.redraw(0), "IterationsExhausted");
    });
  });

  const inReview = async (options: MissionOptions = {}) => {
    await worked({ nodes: [{ ...TASK, tier: 3 }], ...options });
    await mission.clear(0);
  };

  describe("a human's decision", () => {
    it("passes the same floor", async () => {
      await inReview();
      const nothing = encodeAbiParameters([{ type: "uint256" }], [0n]);
      await expect(mission.override(Action.APPROVE_POP, 0, nothing)).to.be.revertedWithoutReason(ethers);
      await refused(mission.override(Action.APPROVE_POP, 0, await mission.approval(0, 10_001)), "ShareOutOfRange");
      await refused(mission.override(Action.APPROVE_POP, 0, await mission.approval(0, 10_000, [])), "BelowFloor");
      await mission.override(Action.APPROVE_POP, 0, await mission.approval(0, 5000));
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(48_500_000n);
    });

    it("may reject, unslashed", async () => {
      await inReview();
      const { agent } = await mission.executorOf(0);
      await mission.override(Action.REJECT_POP, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
    });

    it("is about the state that was judged", async () => {
      await inReview();
      const judge = mission.contract.connect(await mission.city.as("ADJUDICATION"));
      const current = await mission.contract.caseHash(0);
      await mission.override(Action.EMERGENCY_STOP, 0);
      for (const judged of [current, ZeroHash]) {
        const late = judge.onOverride(Action.REJECT_POP, 0, ZeroAddress, "0x", judged);
        await expect(late)
          .to.be.revertedWithCustomError(mission.city.adjudication, "StaleCase")
          .withArgs(judged, await mission.contract.caseHash(0));
      }
      const veto = judge.onOverride(Action.VETO_OUTPUT, 0, ZeroAddress, encodeAbiParameters([{ type: "uint8" }], [0]), ZeroHash);
      await expect(veto).to.emit(mission.contract, "Overridden");
    });

    it("is heard from the adjudication only", async () => {
      await inReview();
      await expect(mission.contract.onOverride(Action.REJECT_POP, 0, keyOf("x").address, "0x", await mission.contract.caseHash(0)))
        .to.be.revertedWithCustomError(mission.contract, "NotAdjudication")
        .withArgs(mission.city.deployer.address);
    });

    it("stays recorded when the mission is terminated, and what nobody approved is not", async () => {
      await worked({ nodes: [TASK, { ...TASK, tier: 3 }] });
      await mission.run(1);
      await mission.override(Action.APPROVE_POP, 1, await mission.approval(1));
      await mission.override(Action.TERMINATE_MISSION, 0);
      expect([(await mission.contract.nodeOf(0)).recorded, (await mission.contract.nodeOf(1)).recorded]).to.deep.equal([false, true]);
    });

    it("is recorded at once, and moves no token", async () => {
      await inReview();
      const approved = mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
      await expect(approved).to.emit(mission.contract, "Recorded");
      expect((await mission.contract.nodeOf(0)).recorded).to.equal(true);
      expect((await mission.contract.ledger()).entitled).to.equal(tokens(97));
      expect(await mission.city.token.balanceOf(mission.address)).to.equal(tokens(100));
    });

    it("is recorded before an ended mission is refunded", async () => {
      await inReview({ nodes: [{ ...TASK, tier: 3 }, TASK] });
      await mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
      await mission.override(Action.TERMINATE_MISSION, 0);
      expect((await mission.contract.nodeOf(0)).recorded).to.equal(true);
      await mission.contract.refund();
      expect((await mission.contract.ledger()).refunded).to.equal(tokens(100));
      expect(await mission.imbalance()).to.equal("");
    });
  });

  describe("record", () => {
    it("is no call of a leaf, decided or not", async () => {
      await inReview();
      await refused(mission.contract.record(0), "NoChild");
      await mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
      await refused(mission.contract.record(0), "NoChild");
    });
  });
});
