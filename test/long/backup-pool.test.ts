import { join } from "node:path";
import { expect } from "chai";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { externalJudges } from "../../orchestrator/city/humans/case-desk.ts";
import { clearingRecordSchema } from "../../orchestrator/execution/clearing-record.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, judgedByKinds, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Whose turn it is does not rule in time: the other seats are asked, and only when they do not rule either does the attempt end (AgentCity B.11). */
describe("scenario: a review that nobody decides in time", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  /** By case: to whom it was shown. */
  const shown: string[] = [];

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "41");
    const { clock } = city.chain;
    // A network's time does not stand still while a queue is polled.
    const desk = externalJudges({
      client: city.client,
      dir: join(home, "embedded"),
      progress: () => {},
      sleep: async () => clock.sleepUntil(clock.now() + 120n),
    });
    let rulings = 0;
    const { report, ...before } = judgedByKinds("Names every work package.");
    const tasks = { ...before, report: { ...report, verifiers: ["human"] } };
    outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv, { deadline: "4h", tasks }), {
      id: "nobody rules",
      home,
      judge: {
        simulated: true,
        async decide(subject) {
          shown.push(subject.escalated ? "backup pool" : "first seat");
          // Of the first attempt nobody decides anything; of the second the backup pool does.
          if (!subject.escalated || rulings++ === 0) return desk.decide(subject);
          return { ruling: "approve", justification: "SIMULATED: read after the first seat had not come." };
        },
      },
    });
  });
  after(() => city?.close());

  it("goes from the first seat to the backup pool, and only then ends the attempt, unslashed", async () => {
    expect(shown).to.deep.equal(["first seat", "backup pool", "first seat", "backup pool"]);
    const mission = city.client.mission(outcome.mission as Address);
    const escalated = await mission.history("ReviewEscalated");
    expect(escalated.map(({ args }) => args.attempt)).to.deep.equal([0, 1]);
    const report = outcome.nodes.find(({ label }) => label === "report")!;
    expect(report).to.include({ state: "COMPLETED", attempts: 2 });
    expect(report.executors.map(({ slashed }) => slashed)).to.deep.equal(["0", "0"]);
  });

  it("is decided by another seat than the one whose turn it was", async () => {
    const node = outcome.nodes.findIndex(({ label }) => label === "report");
    const seats = membersOf(city.society, "adjudicator");
    const acted = await city.client.adjudication.history("OverrideExecuted");
    const signers = acted.flatMap(({ args }) => args.adjudicators);
    expect(signers).to.deep.equal([seats[(node + 1) % seats.length]?.account.address]);
  });

  it("settles nothing of the attempt whose human did not come, though its panel passed it", async () => {
    const node = String(outcome.nodes.findIndex(({ label }) => label === "report"));
    const attempts = async (kind: string) => {
      const entries = await city.log.read({ kind, subject: outcome.mission ?? "" });
      return entries.filter(({ subjects }) => subjects[1] === node).map(({ subjects }) => subjects[2]);
    };
    const [first] = (await city.log.read({ kind: "execution.clearing", subject: outcome.mission ?? "" })).filter(
      ({ subjects }) => subjects[1] === node,
    );
    if (first?.content == null) throw new RangeError("no clearing");
    const { decision } = clearingRecordSchema.parse(city.blocks.getJson(first.content));
    expect(decision).to.include({ performance: "cleared" });
    expect(decision.kinds?.map(({ kind }) => kind)).to.deep.equal(["replay", "human"]);
    expect(await attempts("execution.clearing")).to.deep.equal(["0", "1"]);
    expect(await attempts("execution.settlement")).to.deep.equal(["1"]);
  });

  it("ends complete, every unit accounted for", () => {
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
  });
});
