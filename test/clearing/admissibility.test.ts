import { expect } from "chai";
import { extendAdmissibility, joinAll, meetAll, RAILS_ADMISSIBILITY } from "../../orchestrator/clearing/admissibility.ts";
import { evidenceClasses } from "../../orchestrator/protocol/evidence.ts";
import { EvidenceClass, geq, join, meet } from "../../orchestrator/rules/admissibility.ts";
import { defineLattice } from "../../orchestrator/rules/lattice.ts";
import { RuleError } from "../../orchestrator/rules/rule-error.ts";

const code = (name: string): string | undefined => (Object.entries(EvidenceClass).find(([key]) => key === name) ?? [])[0];

describe("admissibility by name", () => {
  it("is the order that the chain computes with", () => {
    for (const a of evidenceClasses) {
      for (const b of evidenceClasses) {
        expect(RAILS_ADMISSIBILITY.geq(a, b)).to.equal(geq(EvidenceClass[a], EvidenceClass[b]));
        expect(RAILS_ADMISSIBILITY.meet(a, b)).to.equal(evidenceClasses[meet(EvidenceClass[a], EvidenceClass[b])]);
        expect(RAILS_ADMISSIBILITY.join(a, b)).to.equal(evidenceClasses[join(EvidenceClass[a], EvidenceClass[b])]);
      }
    }
    expect(evidenceClasses.map(code)).to.deep.equal([...evidenceClasses]);
  });

  it("takes a chain for its weakest link and a panel for its strongest, and nothing for nothing", () => {
    expect(meetAll(RAILS_ADMISSIBILITY, ["ATT", "WIT", "REC"])).to.equal("SIGN");
    expect(joinAll(RAILS_ADMISSIBILITY, ["WIT", "REC"])).to.equal("ATT");
    expect([meetAll(RAILS_ADMISSIBILITY, []), joinAll(RAILS_ADMISSIBILITY, [])]).to.deep.equal(["SELF", "SELF"]);
  });

  it("takes a class that it does not know for a self-report, and no class for above it", () => {
    expect(RAILS_ADMISSIBILITY.meet("ATT", "ABSOLUTE")).to.equal("SELF");
    expect(RAILS_ADMISSIBILITY.geq("ABSOLUTE", "SIGN")).to.be.false;
    expect(RAILS_ADMISSIBILITY.geq("PROOF", "ABSOLUTE")).to.be.false;
  });
});

describe("an extended order", () => {
  it("takes a notary above a witness and a regulator above an attestation", () => {
    const order = extendAdmissibility([
      ["WIT", "NOTARY"],
      ["NOTARY", "ATT"],
      ["ATT", "REGULATOR"],
      ["REGULATOR", "PROOF"],
    ]);
    expect([order.meet("NOTARY", "REC"), order.join("NOTARY", "REC"), order.meet("NOTARY", "WIT")]).to.deep.equal(["SIGN", "ATT", "WIT"]);
    expect([order.geq("REGULATOR", "ATT"), order.geq("ATT", "REGULATOR"), order.geq("NOTARY", "REC")]).to.deep.equal([true, false, false]);
    expect(order.elements).to.have.length(8);
  });

  const REFUSED = {
    Cycle: [["PROOF", "SELF"]],
    NotBounded: [["PROOF", "BEYOND"]],
    NoMeet: [
      ["WIT", "LEFT"],
      ["REC", "LEFT"],
      ["WIT", "RIGHT"],
      ["REC", "RIGHT"],
      ["LEFT", "ATT"],
      ["RIGHT", "ATT"],
    ],
    CanonicalOrderChanged: [["WIT", "REC"]],
  } as const;
  for (const [error, covers] of Object.entries(REFUSED)) {
    it(`is refused with ${error}`, () => expect(() => extendAdmissibility(covers)).to.throw(RuleError, error));
  }

  it("is refused without one join", () => {
    const tops = ["LEFT", "RIGHT"].flatMap((side) => [["a", side] as const, ["b", side] as const, [side, "top"] as const]);
    const covers = [["bottom", "a"] as const, ["bottom", "b"] as const, ...tops];
    expect(() => defineLattice<string>({ bottom: "bottom", top: "top" }, covers)).to.throw(RuleError, /NoMeet|NoJoin/);
  });
});
