import { expect } from "chai";
import type { Case } from "../../orchestrator/adjudication/case.ts";
import { isSimulated, SimulationRefused, simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";

const HASH = `0x${"0".repeat(64)}` as const;

function subject(quality: number, risk: number): Case {
  return {
    mission: `0x${"1".repeat(40)}`,
    node: 0,
    label: "report",
    caseHash: HASH,
    reason: "human tier",
    quality,
    risk,
    excerpt: "",
    approval: "0x",
  };
}

describe("simulatedJudge", () => {
  const judge = simulatedJudge(31337);

  it("approves at the paper's thresholds and rejects beyond either (AgentCity D.5)", async () => {
    expect((await judge.decide(subject(0.6, 0.8))).ruling).to.equal("approve");
    expect((await judge.decide(subject(0.59, 0))).ruling).to.equal("reject");
    expect((await judge.decide(subject(1, 0.81))).ruling).to.equal("reject");
  });

  it("says in every justification that no human decided", async () => {
    for (const quality of [0, 1]) expect(isSimulated((await judge.decide(subject(quality, 0))).justification)).to.equal(true);
    expect(isSimulated("I read it.")).to.equal(false);
  });

  it("does not exist anywhere but on a devnet", () => {
    expect(() => simulatedJudge(10)).to.throw(SimulationRefused);
  });
});
