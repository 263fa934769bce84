import { expect } from "chai";
import { caseName } from "../../../orchestrator/city/humans/case-desk.ts";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import type { Address, Hex } from "../../../orchestrator/primitives/hex.ts";

describe("a case's name in the queue", () => {
  const common = { chainId: 31_337, adjudication: addressSchema.parse(`0x${"11".repeat(20)}`), caseHash: `0x${"22".repeat(32)}` as Hex };
  const missions = ["00", "01"].map((last) => addressSchema.parse(`0xd304657b${"00".repeat(15)}${last}`));
  const appealOn = (mission: Address, attempt: number) =>
    caseName({ kind: "appeal", ...common, mission, node: 7, attempt, label: "report", appeals: [], quality: 1, risk: 0, excerpt: "" });
  const suspensionOf = (mission: Address) => caseName({ kind: "suspension", ...common, mission, facts: [], divergences: [] });

  it("tells two missions apart whose addresses begin with the same four bytes", () => {
    expect(new Set(missions.map(suspensionOf))).to.have.lengthOf(2);
    expect(new Set(missions.map((mission) => appealOn(mission, 0)))).to.have.lengthOf(2);
  });

  it("tells the attempts of a node apart, whose appeals may wait at once", () => {
    const [mission] = missions as [Address, Address];
    expect([0, 1].map((attempt) => appealOn(mission, attempt))).to.deep.equal(
      [0, 1].map((attempt) => `appeal-d304657b${"00".repeat(16)}-7-${attempt}`),
    );
  });
});
