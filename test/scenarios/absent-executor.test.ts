import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import type { Sandbox } from "../../orchestrator/execution/sandbox/run.ts";
import { workOutput } from "../../orchestrator/gateway/commands/work.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { serveOptions } from "../gateway/gateway-city.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What silence costs, smallest unit (Table 19). */
const ABSENCE = "50000000";

/** The machine of one executor is dead: the first run of a service gives nothing. */
function deadAtFirst(sandbox: Sandbox): Sandbox {
  let isFirst = true;
  return {
    run: async (request) => {
      if (!isFirst) return sandbox.run(request);
      isFirst = false;
      const { trail, meters, elapsedMs } = await sandbox.run(request);
      return { status: "failed", kind: "crash", details: "the machine is dead", trail, meters, elapsedMs };
    },
  };
}

describe("scenario: an executor that never answers", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let gateway: Gateway | undefined;
  const silent = () => outcome.nodes.filter(({ attempts }) => attempts > 1);

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "16");
    const { csv } = smallInputs(directory(), CALM_ROWS);
    outcome = await carryOutIn({ ...city, sandbox: deadAtFirst(city.sandbox) }, smallMission(csv), { id: "silent", home });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  it("loses its time, and 50 of its stake", () => {
    expect(silent()).to.have.length(1);
    const [node] = silent();
    const [absent] = node?.executors ?? [];
    expect(absent).to.deep.include({ result: "failed", slashed: ABSENCE, paid: "0" });
    expect(outcome.slashed).to.equal(ABSENCE);
  });

  it("is replaced by an agent of another principal, who is paid", () => {
    const [node] = silent();
    expect(node).to.deep.include({ state: "COMPLETED", attempts: 2 });
    const [absent, redone] = node?.executors ?? [];
    const principal = (name = "") => memberOf(city.society, "producer", name).principal;
    expect(principal(redone?.agent)).to.not.equal(principal(absent?.agent));
    expect(redone).to.deep.include({ result: "agreed", slashed: "0" });
    expect(BigInt(redone?.paid ?? "0") > 0n).to.equal(true);
  });

  it("does not stop the mission, nor a unit of its money", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.every(({ state }) => state === "COMPLETED")).to.equal(true);
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.settlement.closed).to.equal(true);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("and who replaced it find in the gateway what became of their award", async () => {
    gateway = await serveGateway(city, serveOptions);
    const [node] = silent();
    const fates = await Promise.all(
      (node?.executors ?? []).map(async ({ agent, attempt }) => {
        const { account } = memberOf(city.society, "producer", agent);
        const answer = await fetch(`${gateway?.url}/v1/agents/${account.address}/work`);
        const { slots } = workOutput.parse(await answer.json());
        const number = outcome.nodes.findIndex(({ label }) => label === node?.label);
        const own = slots.find((slot) => slot.node === number && slot.attempt === attempt - 1);
        return [own?.result, own?.isClaimed];
      }),
    );
    expect(fates).to.deep.equal([
      ["failed", false],
      ["agreed", true],
    ]);
  });
});
