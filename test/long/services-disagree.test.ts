import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { endingSchema } from "../../orchestrator/execution/ending.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Three formulas that measure different things: no law makes them agree (review H5). */
describe("scenario: services that inherently disagree", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let spent: bigint;

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "41");
    const purse = await purseOf(city);
    const text = smallMission(smallInputs(directory()).csv, { tasks: readAndEstimate(1), output: { task: "estimate", format: "json" } });
    outcome = await carryOutIn(city, text, { id: "formulas", home });
    spent = purse - (await purseOf(city));
  });
  after(() => city?.close());

  it("end the mission after one law, with field, items, values, and the share that was reached", async () => {
    expect(outcome.status).to.equal("failed");
    expect(outcome.epochs).to.have.length(1);
    expect(await city.client.legislation.sessionCount()).to.equal(1n);
    const [entry] = await city.log.read({ kind: "execution.ending", subject: outcome.mission ?? "" });
    const ending = endingSchema.parse(parseJsonBytes(city.blocks.get(entry!.content!)));
    expect(ending.code).to.equal("ServicesDisagree");
    expect(ending.disagreement).to.deep.include({ field: "value", needed: 10_000 });
    const values = new Map(ending.disagreement?.items.map(({ id, answers }) => [id, answers]));
    expect(values.get("row-0000003")?.map(({ by, value }) => [by, value])).to.have.deep.members([
      ["estimate-by-pert", 25],
      ["estimate-by-triangle", 30],
      ["estimate-by-median", 20],
    ]);
    expect(outcome.failure).to.deep.equal({ node: ending.node, reason: ending.reason, action: ending.action });
    expect(ending.reason).to.match(
      /^the services of estimate(?:-\d)? inherently disagree on "value": [\d.]+ % of \d items? agree, the law requires 100 %\. They differ on /,
    );
    expect(ending.reason).to.include("row-0000003: ");
    // What is advised would have been enough everywhere: no part reached less.
    const least = Math.min(...outcome.nodes.flatMap(({ disagreement }) => disagreement?.share ?? []));
    expect(ending.action).to.include(`lower agree.atLeast to what you can accept (${(Math.floor(least / 100) / 100).toFixed(2)} was`);
  });

  it("cost what was earned before, and nobody's stake", async () => {
    expect(outcome.slashed).to.equal("0");
    expect(balances(outcome.money)).to.equal(true);
    expect(BigInt(outcome.money.deposit) - BigInt(outcome.money.refunded)).to.equal(spent);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

/** A few items on which formulas differ are too many for the part that they are in, and not for the whole. */
describe("scenario: services that disagree on a part of the input", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  after(() => city?.close());

  it("get another law that compares larger parts, and are paid", async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "43");
    const skewed = Array.from({ length: 8 }, (_, row) => `odd-${row},10,20,60`);
    const calm = Array.from({ length: 22 }, (_, row) => `calm-${row},10,20,30`);
    const rows = ["package,optimistic,likely,pessimistic", ...skewed, ...calm];
    const text = smallMission(smallInputs(directory(), rows).csv, {
      budget: "600.00",
      tasks: readAndEstimate(0.6),
      output: { task: "estimate", format: "json" },
    });
    const outcome = await carryOutIn(city, text, { id: "parts", home });
    expect(outcome.epochs.map(({ status, cause }) => [status, cause?.type])).to.deep.equal([
      ["failed", undefined],
      ["completed", "CONSENSUS_FAILED"],
    ]);
    expect(outcome.nodes.filter(({ task }) => task === "estimate")).to.have.length(1);
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
