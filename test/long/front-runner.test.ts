// @long
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { deadAtFirst } from "../support/dead-at-first.ts";
import { sendFirst } from "../support/front-runner.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Whatever a city broadcasts can be read before it is mined. */
describe("somebody who sends every call of a city first", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let first: readonly string[] = [];
  afterEach(() => city?.close());

  async function openRaced(name: string, seed: string): Promise<City> {
    city = await openHome(join(directory(), name), seed);
    first = sendFirst(city);
    return city;
  }

  async function expectSettled(outcome: Outcome): Promise<void> {
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.settlement.closed).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  }

  const text = (more: Readonly<Record<string, unknown>> = {}) => smallMission(smallInputs(directory(), CALM_ROWS).csv, more);

  it("moves a mission on and stops nothing: it ends, pays and audits", async () => {
    const home = join(directory(), "raced");
    await expectSettled(await carryOutIn(await openRaced("raced", "23"), text(), { id: "raced", home }));
    const calls = ["propose", "strawPoll", "castBallots", "tally", "bidAll", "award", "withdrawBid", "commitWave", "revealWave", "clear"];
    expect(first).to.include.members([...calls, "claim", "close", "withdrawFor", "anchor"]);
  });

  it("nor where an executor is late and another one is found", async () => {
    const home = join(directory(), "late");
    const raced = await openRaced("late", "16");
    await expectSettled(await carryOutIn({ ...raced, sandbox: deadAtFirst(raced.sandbox) }, text(), { id: "late", home }));
    expect(first).to.include.members(["timeout", "reopen"]);
  });

  it("nor one in hybrid mode", async () => {
    const home = join(directory(), "hybrid");
    await expectSettled(await carryOutIn(await openRaced("hybrid", "24"), text({ mode: "hybrid" }), { id: "hybrid", home }));
    expect(first).to.include("checkpoint");
  });

  it("nor a mission below it", async () => {
    const home = join(directory(), "halves");
    const halves = { goal: "Estimate half of it.", over: "input", parts: 2, tasks: readAndEstimate(0.5), output: "estimate" };
    const tasks = { halves, report: { service: "aggregate", after: ["halves"], tier: 1 } };
    const raced = await openRaced("halves", "5");
    await expectSettled(await carryOutIn(raced, text({ tasks, budget: "1200.00", deadline: "2d" }), { id: "halves", home }));
    expect(first).to.include.members(["route", "record"]);
  });

  it("nor one that nobody bids on, and that ends", async () => {
    class Idle extends HeuristicMind {
      override bid: HeuristicMind["bid"] = async () => [];
    }
    const home = join(directory(), "idle");
    const raced = await openRaced("idle", "26");
    const outcome = await carryOutIn(raced, text(), { id: "idle", home, makeMind: (seat) => new Idle(seat) });
    expect(outcome.status).to.equal("aborted");
    expect(first).to.include.members(["award", "timeout", "abort"]);
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("nor the end of a session without a law", async () => {
    class Unwilling extends HeuristicMind {
      override rank: HeuristicMind["rank"] = async ({ candidates }) => candidates.map((_, entry) => entry);
    }
    const home = join(directory(), "lawless");
    const raced = await openRaced("lawless", "25");
    const outcome = await carryOutIn(raced, text(), { id: "lawless", home, makeMind: (seat) => new Unwilling(seat) });
    expect(outcome.status).to.equal("no-law");
    expect(first).to.include.members(["tally", "withdraw"]);
    expect(balances(outcome.money)).to.equal(true);
  });
});
