import { expect } from "chai";
import { compileLaw, goalHashOf, recompileLaw } from "../../orchestrator/client/compile-law.ts";
import { predictMission } from "../../orchestrator/client/predict-mission.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import type { MissionDocument } from "../../orchestrator/protocol/mission-document.ts";
import { admissionLeaf } from "../../orchestrator/rules/admissions.ts";
import { decodeLaw } from "../../orchestrator/rules/law-codec.ts";
import { address } from "../support/goals.ts";
import { hashOf, openLivingCity } from "../support/living-city.ts";
import { specification as document, parseNode, reportNode } from "../support/specification.ts";

describe("the law compiler", () => {
  it("packs what the document says", () => {
    const { header, nodes } = decodeLaw(compileLaw(document).law);
    expect(header).to.deep.equal({
      nodeCount: 2,
      risk: 1,
      duration: 1_800,
      budget: 3_000n,
      outputPredicate: 0,
      anchorInterval: 60,
      goalHash: goalHashOf(document.goal),
      inputHash: document.input.digest,
      // Both nodes admit the same code: one entry, which is the root.
      servicesRoot: admissionLeaf({ codeHash: hashOf("code"), schemaHash: hashOf("schemas"), nodes: 0b11n }),
    });
    expect(nodes[1]).to.deep.equal({
      predecessors: 1n,
      tier: 3,
      redundancy: 1,
      threshold: 1,
      risk: 1,
      floor: 3,
      questions: 3,
      leaf: true,
      band: 2,
      panelSize: 3,
      timeout: 60,
      reviewWindow: 300,
      budget: 2_000n,
      predicate: 0,
      capabilities: 120n << 8n,
      anyCode: false,
    });
  });

  it("gives every change of words another spec, and the same words the same", () => {
    const { specHash } = compileLaw(document);
    const changes: MissionDocument[] = [
      { ...document, title: "2 shards" },
      { ...document, name: "other" },
      { ...document, duration: 1_801 },
      { ...document, output: { ...document.output, format: "json" } },
      { ...document, nodes: [{ ...parseNode, services: ["hash"] }, reportNode] },
      { ...document, nodes: [{ ...parseNode, admits: [{ code: hashOf("other code"), schema: hashOf("schemas") }] }, reportNode] },
      { ...document, nodes: [{ ...parseNode, admits: [{ code: hashOf("code"), schema: hashOf("other schemas") }] }, reportNode] },
    ];
    for (const changed of changes) expect(compileLaw(changed).specHash).to.not.equal(specHash);
    expect(compileLaw(structuredClone(document)).specHash).to.equal(specHash);
  });

  it("recompiles bytes, and refuses other spellings of them", () => {
    const bytes = canonicalBytes(document);
    expect(recompileLaw(bytes)).to.deep.equal(compileLaw(document));
    const spaced = new TextEncoder().encode(` ${new TextDecoder().decode(bytes)}`);
    expect(() => recompileLaw(spaced)).to.throw("not in RFC 8785 form");
    expect(() => recompileLaw(canonicalBytes({ ...document, extra: 1 }))).to.throw("extra");
  });
});

describe("a mission's address", () => {
  it("is predicted off chain as the registry predicts it", async () => {
    const city = await openLivingCity({ producers: 1, principals: 1, verifiers: 0 });
    try {
      const { templates, legislation } = city.client;
      const name = await legislation.template();
      const { implementation } = await templates.templateOf(name, 1);
      for (const [session, args] of [
        [1n, "0x"],
        [2n, "0x1234"],
        [3n, compileLaw(document).law],
      ] as const) {
        expect(predictMission(templates.address, implementation, args, session)).to.equal(await templates.predict(name, 1, args, session));
      }
      const other = predictMission(templates.address, address(5), "0x", 1n);
      expect(other).to.not.equal(predictMission(templates.address, implementation, "0x", 1n));
    } finally {
      await city.chain.close();
    }
  });
});
