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
    deadline: 0,
    escalated: false,
  };
}

describe("simulatedJudge", () => {
  const judge = simulatedJudge(31337);

  it("approves at the paper's thresholds and rejects beyond either (AgentCity D.5)", async () => {
    expect((await judge.decide(subject(0.6, 0.8))).ruling).to.equal("approve");
    expect((await judge.decide(subject(0.59, 0))).ruling).to.equal("reject");
    expect((await judge.decide(subject(1, 0.81))).ruling).to.equal("reject");
  });

  it("lets nothing out that the law's predicate kept back", async () => {
    const { ruling, justification } = await judge.decide({ ...subject(1, 0), reason: "vetoed" });
    expect(ruling).to.equal("reject");
    expect(justification).to.contain("The gate vetoed it");
  });

  it("voids a vote exactly when another candidate wins without the flagged ballots", async () => {
    const bloc = { session: 1n, caseHash: HASH, blocs: [["P1", "P2", "P3", "P4", "P5"]], flagged: 5, ballots: 40, winner: "4 shards" };
    for (const otherwise of ["4 shards", "5 shards", undefined]) {
      const { release, justification } = await judge.decideBloc({ ...bloc, otherwise });
      expect(release).to.equal(otherwise === "4 shards");
      expect(isSimulated(justification)).to.equal(true);
      expect(justification).to.contain("5 of 40 voters");
    }
  });

  it("says in every justification that no human decided", async () => {
    for (const quality of [0, 1]) expect(isSimulated((await judge.decide(subject(quality, 0))).justification)).to.equal(true);
    expect(isSimulated("I read it.")).to.equal(false);
  });

  it("does not exist anywhere but on a devnet", () => {
    expect(() => simulatedJudge(10)).to.throw(SimulationRefused);
  });
});
