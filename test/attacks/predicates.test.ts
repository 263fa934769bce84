/** Gates, proof verifiers and evidence that answer badly, dearly, or for somebody. */
import { expect } from "chai";
import { id } from "ethers";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { ethers, keyOf, networkHelpers, tokens } from "../support/city-fixture.ts";
import { type Mission, NodeState, openMission, packed, TASK } from "../support/mission-fixture.ts";
import { type Gated, openGated } from "../support/schema-gate.ts";
import { attempt } from "./attempt.ts";

const PREDICATE = 7;
/** Of `OracleHarness`. */
const Mood = { YES: 0, NO: 1, OTHER_WORD: 3, FLOOD: 5, BURN: 6, CAREFUL: 7 } as const;

describe("attacks through predicates and evidence", () => {
  let mission: Mission;
  const oracle = async (mood: number) => {
    const contract = await ethers.deployContract("OracleHarness");
    await contract.getFunction("become")(mood);
    return contract;
  };
  const committed = async (node: Partial<typeof TASK> = {}, evidence: Partial<Mission["evidence"]> = {}) => {
    mission = await (await (await openMission({ nodes: [{ ...TASK, ...node }] })).activate()).awardAll();
    mission.evidence = { ...mission.evidence, ...evidence };
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
  };
  /** Committed under predicate 7, which answers in `mood`. */
  const gated = async (mood: number) => {
    await committed({ predicate: PREDICATE });
    await mission.city.execution.approvePredicate(PREDICATE, await oracle(mood));
  };
  /** Of the last block, which held one transaction, carried out or refused. */
  const spent = async (): Promise<number> => Number((await ethers.provider.getBlock("latest"))?.gasUsed);
  const clearing = async (mood: number): Promise<number> => {
    await gated(mood);
    await attempt(mission.contract.clear(packed(await mission.clearOrder(0)), { gasLimit: 12_000_000 }));
    return spent();
  };

  it("a predicate burns all the gas that the relayer brought", async () => {
    expect(await clearing(Mood.BURN)).to.be.lessThan(2_000_000);
  });

  it("a predicate answers with a flood that the mission has to copy", async () => {
    // The predicate pays 28,000 for its own memory; as much again would be the mission's.
    expect((await clearing(Mood.FLOOD)) - (await clearing(Mood.NO))).to.be.lessThan(45_000);
  });

  it("an answer that is neither yes nor no is taken for a yes", async () => {
    await clearing(Mood.OTHER_WORD);
    expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
  });

  it("a relayer brings too little gas for the predicate to agree", async () => {
    await gated(Mood.CAREFUL);
    const order = await mission.clearOrder(0);
    const enough = await mission.contract.clear.estimateGas(packed(order));
    for (let gasLimit = enough; gasLimit > (enough * 2n) / 5n; gasLimit -= 25_000n) {
      const snapshot = await networkHelpers.takeSnapshot();
      await attempt(mission.contract.clear(packed(order), { gasLimit }));
      expect(await mission.stateOf(0)).to.be.oneOf([NodeState.COMPLETED, NodeState.PENDING_VERIFICATION]);
      await snapshot.restore();
    }
  });

  it("an executor claims a proof that its verifier rejects", async () => {
    const contract = await ethers.deployContract("OracleHarness");
    await contract.getFunction("become")(Mood.NO);
    const issuer = await contract.getAddress();
    await committed({ floor: EvidenceClass.PROOF }, { issuer, class: EvidenceClass.PROOF });
    await mission.city.evidence.registerIssuer(issuer, keyOf("prover's principal").address, 1 << EvidenceClass.PROOF);
    await attempt(mission.contract.clear(packed(await mission.clearOrder(0))));
    expect((await mission.contract.ledger()).entitled).to.equal(0);
  });

  it("an issuer signs above the classes it is registered for", async () => {
    const witness = await (await openMission()).city.account("witness");
    await committed({}, { issuer: witness.address });
    await mission.city.evidence.registerIssuer(witness.address, keyOf("witness's principal").address, 1 << EvidenceClass.WIT);
    const order = await mission.clearOrder(0);
    await attempt(mission.contract.clear(packed({ ...order, items: [await mission.item(0, 0, witness)] })));
    expect((await mission.contract.ledger()).entitled).to.equal(0);
  });

  it("evidence is made after the commitment, when it is known what is asked", async () => {
    await committed();
    const order = await mission.clearOrder(0);
    const [item] = order.items;
    if (item === undefined) throw new Error("no item");
    const late = { ...item, payload: id("made later") as `0x${string}` };
    const list = { issuer: late.issuer, items: [{ ...late, obligation: await mission.contract.obligationOf(0) }] };
    const signature = await mission.city.sign("Evidences", mission.address, list, mission.city.issuer);
    await attempt(mission.contract.clear(packed({ ...order, items: [{ ...late, signature }] })));
    expect((await mission.contract.ledger()).entitled).to.equal(0);
  });

  it("everybody makes the mission call whatever they like, as the mission", async () => {
    await committed();
    const thief = keyOf("thief").address;
    const call = mission.city.token.interface.encodeFunctionData("transfer", [thief, tokens(100)]);
    await attempt(mission.contract.getFunction("probe").send(mission.city.addresses.TOKEN, call));
    expect(await mission.city.token.balanceOf(thief)).to.equal(0);
    expect(await mission.city.token.balanceOf(mission.address)).to.equal(tokens(100));
  });

  describe("where an issuer says whether an output keeps its schema", () => {
    /** Whether the gate lets the node's output pass after an issuer's word was handed in. */
    const opened = async ({ mission: { address }, gate }: Gated, node = 0) => gate.allows(address, node, id(`output ${node}`));

    it("an executor's own house says that its output keeps the schema", async () => {
      const scene = await openGated();
      const { agent } = await scene.mission.executorOf(0);
      const principal = await scene.mission.city.producers.principalOf(agent.address);
      const issuer = await scene.mission.city.account("its issuer");
      await scene.mission.city.evidence.registerIssuer(issuer.address, principal, 1 << EvidenceClass.ATT);
      await attempt(scene.show(await scene.stated(0, { issuer: issuer.address }), issuer));
      expect(await opened(scene)).to.equal(false);
    });

    it("somebody whom no adjudicator registered says that an output keeps the schema", async () => {
      const scene = await openGated();
      const somebody = await scene.mission.city.account("somebody");
      await attempt(scene.show(await scene.stated(0, { issuer: somebody.address }), somebody));
      expect(await opened(scene)).to.equal(false);
    });

    it("what an issuer said of one node is handed in for another", async () => {
      const scene = await openGated();
      const said = await scene.stated(0, { outputHash: id("output 1") });
      await attempt(scene.gate.show({ ...said, node: 1 }, await scene.admitted(1), await scene.signed({ ...said, node: 1 })));
      expect(await opened(scene, 1)).to.equal(false);
    });

    it("an issuer's word under another law opens this one's gate", async () => {
      const scene = await openGated();
      const other = { ...(await scene.admitted(0)), schemaHash: id("a laxer schema") };
      const said = await scene.stated(0, { schemaHash: other.schemaHash });
      await attempt(scene.gate.show(said, other, await scene.signed(said)));
      expect(await opened(scene)).to.equal(false);
    });

    it("an issuer's word is handed in long after it ran out", async () => {
      const scene = await openGated();
      const said = await scene.stated(0);
      await networkHelpers.time.increase(3600);
      await attempt(scene.show(said));
      expect(await opened(scene)).to.equal(false);
    });

    it("somebody signs in an issuer's name that an output keeps the schema", async () => {
      const scene = await openGated();
      await attempt(scene.show(await scene.stated(0), keyOf("somebody")));
      expect(await opened(scene)).to.equal(false);
    });
  });
});
