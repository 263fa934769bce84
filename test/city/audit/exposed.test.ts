import { expect } from "chai";
import { exposed } from "../../../orchestrator/city/audit/exposed.ts";
import { Inspection } from "../../../orchestrator/city/audit/inspection.ts";
import type { StatedExposure } from "../../../orchestrator/protocol/mission-file-schema.ts";

const FILE = "mission: exposed\nexposure: { irreversibility: 1, authority_risk: 0.5 }\n";
const missing = (exposure: StatedExposure | undefined, file = FILE) => {
  const seen = new Inspection({ name: "ROOTS", file: "log.ndjson" });
  exposed(exposure === undefined ? {} : { exposure }, file, seen);
  return seen.result().findings.map(({ subject }) => subject);
};

describe("what a mission file states to be at stake", () => {
  it("is in its law, input by input, or the audit names what is less", () => {
    expect(missing({ irreversibility: 1, authority_risk: 0.5 })).to.deep.equal([]);
    // Part of the goal that no task answers counts without being stated.
    expect(missing({ irreversibility: 1, authority_risk: 0.5, intent_ambiguity: 0.2 })).to.deep.equal([]);
    expect(missing({ irreversibility: 0.9, authority_risk: 0.5 })).to.deep.equal(["exposure: irreversibility"]);
    expect(missing(undefined)).to.deep.equal(["exposure: authority_risk", "exposure: irreversibility"]);
    expect(missing(undefined, "mission: plain\n")).to.deep.equal([]);
  });
});
