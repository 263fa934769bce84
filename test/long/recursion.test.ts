import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { act } from "../../orchestrator/adjudication/act.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { checks } from "../../orchestrator/city/audit/checks.ts";
import { openContext, treeOf } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import type { MindMaker } from "../../orchestrator/city/missions/minds.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { BidRequest, Offer, Ranking, RankRequest } from "../../orchestrator/minds/mind.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import type { ContentId } from "../../orchestrator/primitives/hex.ts";
import { parseJson } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { lying, more, replaced } from "../city/audit/lies.ts";
import { carryOutIn, missionsOf, openHome, purseOf } from "../support/city-home.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const COUNT = { service: "count", over: "input", tier: 1 };
const report = (after: string) => ({ service: "aggregate", after: [after], tier: 1 });
/** Three missions deep: lots, each of rooms, each with one task that somebody does. */
const ROOMS = { goal: "Count a room.", over: "input", parts: 2, tasks: { count: COUNT }, output: "count" };
const LOTS = { goal: "Count a lot.", over: "input", tasks: { rooms: ROOMS }, output: "rooms" };
const DEEP = { lots: LOTS, report: report("lots") };

/** What befalls the children of `lots`, one after the other. */
type Fate = "lawless" | "idle" | "done";

/** A mind that wants no law for a lot, or takes no work in it, as long as its fate says so. */
class FatefulMind extends HeuristicMind {
  readonly #fate: () => Fate;

  constructor(seat: Parameters<MindMaker>[0], fate: () => Fate) {
    super(seat);
    this.#fate = fate;
  }

  override async rank(request: RankRequest): Promise<Ranking> {
    const ranking = await super.rank(request);
    const isLot = request.goal.text === LOTS.goal;
    return isLot && this.#fate() === "lawless" ? ranking.toSorted((a, b) => Number(b === 0) - Number(a === 0)) : ranking;
  }

  override async bid(request: BidRequest): Promise<readonly Offer[]> {
    const isLot = request.nodes.some(({ services }) => services.includes("count"));
    return isLot && this.#fate() === "idle" ? [] : super.bid(request);
  }
}

describe("scenario: missions whose nodes are missions", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;
  let opened = 0;
  let csv: string;
  /** The next mission is ended by an adjudicator as soon as something is committed below it. */
  let isDoomed = false;

  before(async () => {
    ({ csv } = smallInputs(directory()));
    const progress = (line: string) => {
      if (line.includes("opened for a mission of its own")) opened += 1;
    };
    const boundary = async (name: string) => {
      if (name === "execution:committed" && isDoomed && opened > 0) await terminate();
    };
    city = await openHome(join(directory(), "home"), "5", { progress, boundary });
  });
  after(() => city?.close());

  /** An adjudicator ends the mission above the youngest one. */
  async function terminate(): Promise<void> {
    isDoomed = false;
    const [mission] = (await missionsOf(city)).slice(-2);
    if (mission === undefined) throw new Error("there is no mission above");
    await act(panelOf(city), [memberOf(city.society, "adjudicator", "adjudicator-1")], {
      action: "TERMINATE_MISSION",
      mission,
      caseHash: await city.client.mission(mission).missionCaseHash(),
      because: "A test ends this mission.",
    });
  }

  /** Carries a mission out; children get their fates in the order of their sessions, those after the last one are as that. */
  async function carryOut(id: string, tasks: object, fates: readonly Fate[] = ["done"]): Promise<{ outcome: Outcome; spent: bigint }> {
    opened = 0;
    const fate = () => fates[Math.min(opened, fates.length) - 1] ?? "done";
    const before = await purseOf(city);
    const changes = { tasks, deadline: "2d", output: { task: "report", format: "markdown" } };
    const outcome = await carryOutIn(city, smallMission(csv, changes), {
      id,
      home: join(directory(), "home"),
      makeMind: (seat) => new FatefulMind(seat, fate),
    });
    return { outcome, spent: before - (await purseOf(city)) };
  }

  /** To the unit, at every depth: what a mission lent and did not get back is what those below it kept. */
  async function checkMoney({ money, mission, children }: Outcome, spent: bigint): Promise<void> {
    expect(balances(money)).to.equal(true);
    expect(BigInt(money.deposit) - BigInt(money.refunded)).to.equal(spent);
    const all = [{ mission, money }, ...children];
    for (const each of all) {
      expect(balances(each.money)).to.equal(true);
      const own = children.filter(({ parent }) => parent === each.mission);
      const kept = own.reduce((sum, child) => sum + BigInt(child.money.deposit) - BigInt(child.money.refunded), 0n);
      expect(kept.toString()).to.equal(each.money.children);
      if (each.mission !== null) expect(await city.client.token.balanceOf(addressSchema.parse(each.mission))).to.equal(0n);
    }
    const leaves = all.reduce(
      (sum, { money: { paid, fees, insurance, discount } }) => sum + [paid, fees, insurance, discount].map(BigInt).reduce((a, b) => a + b),
      0n,
    );
    expect(leaves).to.equal(spent);
  }

  describe("three deep", () => {
    let outcome: Outcome;
    let spent: bigint;
    before(async () => {
      ({ outcome, spent } = await carryOut("deep", DEEP));
    });

    it("makes a law of its own for every node that is a mission, and completes that node when its mission is completed", () => {
      expect(outcome.status).to.equal("completed");
      expect(outcome.nodes.map(({ label, state }) => [label, state])).to.deep.equal([
        ["lots", "COMPLETED"],
        ["report", "COMPLETED"],
      ]);
      const rooms = outcome.children.map(({ path, status, leaves, attempt }) => [path, status, leaves, attempt]);
      expect(rooms).to.deep.equal([
        ["lots", "completed", 0, 1],
        ["lots/rooms-1", "completed", 1, 1],
        ["lots/rooms-2", "completed", 1, 1],
      ]);
      expect(new Set(outcome.children.map(({ session }) => session)).size).to.equal(3);
    });

    it("sells and executes leaves only: nobody bids for a branch", async () => {
      expect(outcome.market.tasks).to.equal(1);
      expect(outcome.nodes.map(({ executors }) => executors.length)).to.deep.equal([0, 1]);
      for (const { mission, leaves } of outcome.children) {
        const bound = await city.client.mission(addressSchema.parse(mission)).history("ExecutorBound");
        expect(bound).to.have.length(leaves);
      }
    });

    it("hands what was done at the bottom up to the top", () => {
      const text = readFileSync(outcome.report ?? "", "utf8");
      // Three rows: one in the first room, two in the second, counted apart.
      expect(text).to.match(/^> 2 items/m);
    });

    it("spends no unit twice and loses none", () => checkMoney(outcome, spent));

    it("is accepted by an auditor, with every mission below", async () => {
      const { passed, checks: done } = await auditBundle(outcome.bundle ?? "");
      expect(passed).to.equal(true);
      expect(done.find(({ name }) => name === "BRANCHES")?.verified).to.be.at.least(3 * 8);
    });

    it("is refused by an auditor who is told otherwise about a mission below", async () => {
      const context = await openContext(openBundle(outcome.bundle ?? ""));
      try {
        const check = checks.find(({ name }) => name === "BRANCHES");
        if (check === undefined) throw new Error("there is no check of branches");
        const lent = lying(context, { about: "LegislativeProcedure.SessionOpened", change: (args) => replaced(args, "deposit", more) });
        const otherPlan = {
          ...context,
          block: (id: ContentId) => parseJson(JSON.stringify(context.block(id)).replaceAll("Count a", "Lose a")),
        };
        const without = { ...context, family: context.family.slice(1) };
        for (const [told, finds] of [
          [lent, /what it was lent/],
          [otherPlan, /goal of the plan/],
        ] as const) {
          const { findings } = await inspect(check, await treeOf(told));
          expect(findings.map(({ subject }) => subject).join("\n")).to.match(finds);
        }
        const outcomeCheck = checks.find(({ name }) => name === "OUTCOME");
        const { findings } = await inspect(outcomeCheck ?? check, [without]);
        expect(findings.map(({ subject }) => subject)).to.include("missions below");
      } finally {
        await context.chain.close();
      }
    });
  });

  describe("whose child fails twice, once without a law and once without workers", () => {
    let outcome: Outcome;
    let spent: bigint;
    before(async () => {
      const lots = { ...LOTS, tasks: { count: COUNT }, output: "count" };
      ({ outcome, spent } = await carryOut("twice", { lots, report: report("lots") }, ["lawless", "idle", "done"]));
    });

    it("tries the node again with what came back, and ends well", () => {
      expect(outcome.status).to.equal("completed");
      expect(outcome.nodes[0]).to.include({ label: "lots", state: "COMPLETED", attempts: 3 });
      const told = outcome.children.map(({ attempt, status, money }) => [attempt, status, money.deposit, money.refunded === money.deposit]);
      const lent = outcome.children[0]?.money.deposit;
      expect(told).to.deep.equal([
        [1, "no-law", lent, true],
        [2, "aborted", lent, true],
        [3, "completed", lent, false],
      ]);
    });

    it("spends no unit twice and loses none", () => checkMoney(outcome, spent));

    it("is accepted by an auditor", async () => {
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    });
  });

  describe("whose children never find a law", () => {
    let outcome: Outcome;
    let spent: bigint;
    before(async () => {
      const lots = { ...LOTS, tasks: { count: COUNT }, output: "count" };
      ({ outcome, spent } = await carryOut("never", { lots, report: report("lots") }, ["lawless"]));
    });

    it("fails when the node is out of attempts, and costs its sponsor nothing", async () => {
      expect(outcome.status).to.equal("failed");
      expect(outcome.children.map(({ status }) => status)).to.deep.equal(["no-law", "no-law", "no-law", "no-law"]);
      expect(spent).to.equal(0n);
      await checkMoney(outcome, spent);
    });
  });

  describe("that is ended by a human while one below it is at work", () => {
    let outcome: Outcome;
    let spent: bigint;
    before(async () => {
      // The first task waits for a human; by then nobody needs the second.
      const count = { ...COUNT, tier: 3 };
      const again = { service: "count", after: ["count"], tier: 1 };
      isDoomed = true;
      ({ outcome, spent } = await carryOut("doomed", {
        lots: { ...LOTS, tasks: { count, again }, output: "again" },
        report: report("lots"),
      }));
    });

    it("ends the one below as well, which pays what was earned and returns the rest", async () => {
      expect(outcome.status).to.equal("aborted");
      expect(outcome.children.map(({ path, status }) => [path, status])).to.deep.equal([["lots", "aborted"]]);
      const [child] = outcome.children;
      expect(BigInt(child?.money.paid ?? 0)).to.be.greaterThan(0n);
      expect(BigInt(child?.money.refunded ?? 0)).to.be.greaterThan(0n);
      await checkMoney(outcome, spent);
    });

    it("is accepted by an auditor", async () => {
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    });
  });
});
