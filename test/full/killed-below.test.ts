import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { atHome, expectInvariantsAt } from "../support/city-home.ts";
import { outcomeIn, runCli } from "../support/cli.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/**
 * Where the orchestrator dies while a node is a mission of its own: just after the chain opened its session, in the vote of that session
 * (the second one that a process holds or reads back), and just after its parent took back the money.
 */
const STOPS = ["execution:descended", "legislature:ballots-signed@2", "execution:concluded"];

describe("fault: the orchestrator is killed while it leads a mission below a mission", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  let outcome: Outcome;

  before(async () => {
    const home = join(directory(), "home");
    const count = { service: "count", over: "input", tier: 1 };
    const lots = { goal: "Count a lot.", over: "input", tasks: { count }, output: "count" };
    const tasks = { lots, report: { service: "aggregate", after: ["lots"], tier: 1 } };
    const file = join(directory(), "mission.yaml");
    writeFileSync(file, smallMission(smallInputs(directory()).csv, { tasks, deadline: "1d" }));
    const args = ["mission", file, "--seed", "22", "--json"];
    for (const stopAt of STOPS) {
      const killed = await runCli(args, { home, stopAt, limitMs: 300_000 });
      expect(killed, killed.stderr).to.include({ signal: "SIGKILL", stoppedAt: stopAt.split("@")[0] });
    }
    outcome = atHome(home, outcomeIn(await runCli(args, { home, limitMs: 300_000 })));
    await expectInvariantsAt(home, "22", outcome);
  });

  it("goes on each time where it was: one session, one mission below, one attempt", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.map(({ label, state, attempts }) => [label, state, attempts])).to.deep.equal([
      ["lots", "COMPLETED", 1],
      ["report", "COMPLETED", 1],
    ]);
    expect(outcome.children.map(({ path, status, attempt }) => [path, status, attempt])).to.deep.equal([["lots", "completed", 1]]);
    expect([outcome.session, outcome.children[0]?.session]).to.deep.equal(["1", "2"]);
  });

  it("lends once and gets the rest back once", () => {
    const [child] = outcome.children;
    expect(balances(outcome.money)).to.equal(true);
    expect(balances(child!.money)).to.equal(true);
    expect(outcome.money.children).to.equal((BigInt(child!.money.deposit) - BigInt(child!.money.refunded)).toString());
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
