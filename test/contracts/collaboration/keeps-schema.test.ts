import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { EvidenceClass } from "../../../orchestrator/rules/admissibility.ts";
import { ethers, keyOf, networkHelpers } from "../../support/city-fixture.ts";
import { FOUR_THREE_ONE, HOUR, NodeState, openMission, TASK } from "../../support/mission-fixture.ts";
import { GATE, type Gated, gateOf, openGated } from "../../support/schema-gate.ts";

describe("KeepsSchema", () => {
  let scene: Gated;
  beforeEach(async () => {
    scene = await openGated();
  });
  const refused = (call: Promise<unknown>, error: string, ...values: unknown[]) =>
    expect(call)
      .to.be.revertedWithCustomError(scene.gate, error)
      .withArgs(...values);

  describe("show", () => {
    it("remembers an issuer's word about an output, once, whoever hands it in", async () => {
      const { gate, mission, stated, show } = scene;
      const statement = await stated(0);
      const { obligation, outputHash, schemaHash, issuer } = statement;
      expect(await gate.isShown(obligation, outputHash)).to.equal(false);
      await expect(show(statement)).to.emit(gate, "SchemaKept").withArgs(mission.address, 0, obligation, outputHash, schemaHash, issuer);
      expect(await gate.isShown(obligation, outputHash)).to.equal(true);
      await refused(show(statement), "AlreadyShown", obligation, outputHash);
      expect(await gate.city()).to.equal(mission.city.built.ConstitutionContract);
    });

    it("is about the obligation of now: no other node's, none of another attempt", async () => {
      const { mission, stated, show } = scene;
      const statement = await stated(0);
      const [own, other] = [statement.obligation, await mission.contract.obligationOf(1)];
      await refused(show(await stated(0, { obligation: other })), "WrongObligation", other, own);
      await mission.route(0);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      const later = await stated(0, { obligation: own });
      const entry = await scene.admitted(1);
      await refused(
        scene.gate.show(later, entry, await scene.signed(later)),
        "WrongObligation",
        own,
        await mission.contract.obligationOf(0),
      );
    });

    it("is about a schema of the law, for that node", async () => {
      const { gate, mission, admitted, stated, signed } = scene;
      const [entry, another] = [await admitted(0), id("another schema")];
      const elsewhere = await stated(0, { schemaHash: another });
      for (const shown of [entry, { ...entry, schemaHash: another }, { ...entry, nodes: 2n }])
        await refused(gate.show(elsewhere, shown, await signed(elsewhere)), "SchemaNotInLaw", mission.address, 0, another);
    });

    it("takes issuers alone who may issue at the node's floor", async () => {
      const { mission, stated, show } = scene;
      const { evidence, account } = mission.city;
      const witness = await account("witness");
      const by = async (issuer: Wallet) => show(await stated(0, { issuer: issuer.address }), issuer);
      await refused(by(witness), "IssuerNotRegistered", witness.address, EvidenceClass.ATT);
      await evidence.registerIssuer(
        witness.address,
        keyOf("witness's principal").address,
        (1 << EvidenceClass.WIT) | (1 << EvidenceClass.REC),
      );
      await refused(by(witness), "IssuerNotRegistered", witness.address, EvidenceClass.ATT);
      await evidence.suspend(keyOf("issuer's principal").address, true);
      await refused(by(mission.city.issuer), "IssuerNotRegistered", mission.city.issuer.address, EvidenceClass.ATT);
    });

    it("takes nobody's word who has a part in the mission, or whose principal has", async () => {
      const { mission, stated, show } = scene;
      const { producers, sponsor } = mission.city;
      const { agent } = await mission.executorOf(1);
      const executing = await producers.principalOf(agent.address);
      const parties = [
        await mission.furtherIssuer("of the sponsor", sponsor),
        // It works on the other node.
        await mission.furtherIssuer("of an executor", await mission.city.account(`principal ${await placeOf(executing)}`)),
      ];
      for (const issuer of parties) {
        const principal = await mission.city.evidence.principalOf(issuer.address);
        await refused(show(await stated(0, { issuer: issuer.address }), issuer), "IssuerConflict", issuer.address, principal);
      }
    });

    /** Number of the fixture's principal with this address. */
    async function placeOf(principal: string): Promise<number> {
      for (let place = 0; place < 8; place++) if (keyOf(`principal ${place}`).address === principal) return place;
      throw new Error(`${principal} is no principal of the fixture`);
    }

    it("takes what its issuer signed, in time, about a mission of the city", async () => {
      const { gate, mission, admitted, stated, signed, show } = scene;
      const statement = await stated(0);
      await refused(show(statement, keyOf("somebody")), "InvalidSignature", statement.issuer);
      const other = await stated(0, { outputHash: id("another output") });
      await refused(gate.show(other, await admitted(0), await signed(statement)), "InvalidSignature", statement.issuer);
      const deadline = (await mission.city.now()) - 1n;
      await refused(show(await stated(0, { deadline })), "Expired", deadline);
      const forged = await (await ethers.deployContract("MissionProbe")).getAddress();
      await refused(show(await stated(0, { mission: forged })), "NotGenuine", forged);
    });
  });

  describe("allows", () => {
    it("lets pass what was shown under the node's obligation, and nothing else", async () => {
      const { gate, mission, stated, show } = scene;
      await show(await stated(0));
      const asked = (node: number, output: string) => gate.allows(mission.address, node, output);
      expect(await asked(0, id("output 0"))).to.equal(true);
      expect(await asked(0, id("output 1"))).to.equal(false);
      expect(await asked(1, id("output 0"))).to.equal(false);
    });

    it("opens for a node in its own clearing, and holds back one that nobody measured", async () => {
      const { mission, stated, show } = scene;
      await show(await stated(0));
      for (const node of [0, 1]) await mission.run(node);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect(await mission.stateOf(1)).to.equal(NodeState.PENDING_REVIEW);
      expect((await mission.contract.entitlementOf(1, 0)).paid).to.equal(0);
    });

    it("answers under the least gas that a constitution may allow, in a large law", async () => {
      const nodes = [...FOUR_THREE_ONE, ...Array.from({ length: 120 }, () => TASK)].map((node) => ({ ...node, predicate: GATE }));
      const large = await gateOf(await (await openMission({ nodes, params: { predicateGasLimit: 50_000 } })).activate());
      const output = id("output 0");
      const gas = await large.gate.allows.estimateGas(large.mission.address, 0, output);
      expect(Number(gas) - 21_000).to.be.lessThan(50_000);
    });
  });
});
