import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import type { Order } from "../../orchestrator/city/missions/conduct.ts";
import { faultSchema } from "../../orchestrator/execution/faults.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { type JsonObject, parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import type { BoundaryName } from "../../orchestrator/protocol/boundaries.ts";
import type { PlanText } from "../../orchestrator/protocol/mission-file-schema.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { changed } from "../support/sessions.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { WillingMind } from "../support/willing-mind.ts";

const TASKS = { tasks: readAndEstimate(0.9), output: { task: "estimate", format: "json" } };

/** Everybody has another opinion: nothing agrees with anything. */
function opinion(agent: string, output: JsonObject): JsonObject {
  const items = Array.isArray(output["items"]) ? output["items"] : [];
  const own = Number.parseInt(agent.replace(/\D/g, ""), 10) || 1;
  return { ...output, items: items.map((item) => ({ ...(item as JsonObject), value: 1000 * own })) };
}

/** The process as good as dies: nothing after this point happens. */
class Stopped extends Error {}

/** AgentCity B.11.4: redundant executors cannot agree, so the law is at fault, and the goal goes back to the legislature. */
describe("scenario: full re-legislation", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;
  let purse: bigint;
  let stopAt: BoundaryName | undefined;
  let faults = 0;
  const home = () => join(directory(), "home");

  const open = () =>
    openHome(home(), "29", {
      progress: (line) => {
        if (line.includes("the law is at fault")) faults += 1;
      },
      boundary: async (name) => {
        if (faults > 0 && name === stopAt) {
          stopAt = undefined;
          throw new Stopped(name);
        }
      },
    });
  const mission = (id: string, lie: NonNullable<Order["tamper"]>, more: Readonly<Record<string, unknown>> = {}) =>
    carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv, { ...TASKS, ...more }), {
      id,
      home: home(),
      makeMind: (seat) => new WillingMind(seat),
      tamper: (work, output) => (work.label.startsWith("estimate") ? lie(work, output) : output),
    });

  before(async () => {
    city = await open();
    purse = await purseOf(city);
  });
  after(() => city?.close());

  /** Each deposit is what was left, nothing is lost between two laws, nobody's stake stays behind. */
  async function checkMoney({ epochs, money }: Outcome, spent: bigint): Promise<void> {
    for (const [place, epoch] of epochs.entries()) {
      expect(balances(epoch.money)).to.equal(true);
      if (place > 0) expect(epoch.money.deposit).to.equal(epochs[place - 1]?.money.refunded);
      if (epoch.mission !== null) expect(await city.client.token.balanceOf(epoch.mission as Address)).to.equal(0n);
    }
    expect(epochs.at(-1)?.money).to.deep.equal(money);
    expect(BigInt(epochs[0]?.money.deposit ?? 0) - BigInt(money.refunded)).to.equal(spent);
    for (const { account } of membersOf(city.society, "producer"))
      expect((await city.client.agents.stakeOf(account.address)).locked).to.equal(0n);
  }

  /** After a law was replaced once: what both cost, and what both leave. */
  function settlesBoth(of: () => Outcome, purseBefore: () => bigint): void {
    it("spends on the second what the first did not, to the unit", async () => {
      await checkMoney(of(), purseBefore() - (await purseOf(city)));
      expect(of().slashed).to.equal("0");
    });

    it("leaves two bundles that an auditor accepts", async () => {
      for (const { mission: address } of of().epochs)
        expect((await auditBundle(join(home(), "missions", address?.toLowerCase() ?? ""))).passed).to.equal(true);
    });
  }

  describe("a law whose executors cannot agree, once", () => {
    let outcome: Outcome;
    const lie: NonNullable<Order["tamper"]> = ({ agent }, output) => (faults === 0 ? opinion(agent, output) : output);

    before(async () => {
      // The orchestrator stops in the second mission, and is started again.
      stopAt = "execution:committed";
      expect(await rejection(mission("once", lie))).to.be.instanceOf(Stopped);
      await city.close();
      city = await open();
      outcome = await mission("once", lie);
    });

    it("is replaced by another law for the same goal, which is carried out", async () => {
      expect(outcome.status).to.equal("completed");
      expect(outcome.epochs.map(({ epoch, status }) => [epoch, status])).to.deep.equal([
        [0, "failed"],
        [1, "completed"],
      ]);
      expect(outcome.epochs[1]?.cause).to.deep.include({ type: "CONSENSUS_FAILED", class: "SPECIFICATION" });
      const { legislation } = city.client;
      const [first, second] = await Promise.all(outcome.epochs.map(({ session }) => legislation.sessionOf(BigInt(session))));
      expect([second?.parent, second?.epoch, second?.goalHash]).to.deep.equal([first?.mission, 1, first?.goalHash]);
      expect(await legislation.sessionCount()).to.equal(2n);
    });

    it("is never the same law again, and its fault is on record", async () => {
      const specs = await Promise.all(
        outcome.epochs.map(async ({ session }) => {
          const { winner } = await city.client.legislation.sessionOf(BigInt(session));
          return (await city.client.legislation.candidateOf(BigInt(session), winner)).specHash;
        }),
      );
      expect(new Set(specs).size).to.equal(2);
      const [entry] = await city.log.read({ kind: "execution.fault", subject: outcome.epochs[0]?.mission ?? "" });
      expect(faultSchema.parse(parseJsonBytes(city.blocks.get(entry!.content!)))).to.deep.include({
        attempt: 0,
        type: "CONSENSUS_FAILED",
        class: "SPECIFICATION",
        reason: "UNVERIFIABLE",
      });
    });

    settlesBoth(
      () => outcome,
      () => purse,
    );
  });

  describe("a law for hybrid mode whose executors cannot agree, once", () => {
    let outcome: Outcome;
    let purseBefore: bigint;

    before(async () => {
      faults = 0;
      purseBefore = await purseOf(city);
      outcome = await mission("hybrid", ({ agent }, output) => (faults === 0 ? opinion(agent, output) : output), { mode: "hybrid" });
    });

    it("is replaced by another law for hybrid mode, which is carried out", async () => {
      expect(outcome.status).to.equal("completed");
      expect(outcome.epochs.map(({ epoch, status, cause }) => [epoch, status, cause?.type])).to.deep.equal([
        [0, "failed", undefined],
        [1, "completed", "CONSENSUS_FAILED"],
      ]);
      for (const { mission: address } of outcome.epochs) {
        const contract = city.client.mission(address as Address);
        // The rows, then the estimates, of which nothing is routed by itself.
        expect((await contract.history("Checkpointed")).map(({ args }) => args.nodes)).to.deep.equal([1n, 2n]);
      }
      expect(outcome.gasByStage.find(({ stage }) => stage === "orchestrate")).to.equal(undefined);
      expect(outcome.hybrid).to.include({ checkpoints: 2, anchored: 2, late: 0 });
    });

    settlesBoth(
      () => outcome,
      () => purseBefore,
    );
  });

  describe("a law of the producers' own plan whose executors cannot agree, once", () => {
    const report = { service: "aggregate", after: ["entities"], tier: 1 as const };
    const output = { task: "report", format: "markdown" as const };
    const compared: PlanText = {
      tasks: {
        entities: { service: ["extract-entities", "entities-by-scan"], over: "input", tier: 2, agree: { on: "value", atLeast: 0.9 } },
        report,
      },
      output,
    };
    const alone: PlanText = { tasks: { entities: { service: "extract-entities", over: "input", tier: 1 }, report }, output };
    let outcome: Outcome;

    before(async () => {
      faults = 0;
      const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { tasks: undefined, output: undefined });
      outcome = await carryOutIn(city, text, {
        id: "planned",
        home: home(),
        makeMind: (seat) => {
          const mind = new WillingMind(seat);
          return changed(mind, { plan: async ({ failed }) => (failed.length === 0 ? compared : alone) });
        },
        tamper: ({ agent, label }, made) => (faults === 0 && label.startsWith("entities") ? opinion(agent, made) : made),
      });
    });

    it("is replaced by another plan, of which the producers know what failed", async () => {
      expect(outcome.epochs.map(({ epoch, status, cause }) => [epoch, status, cause?.type])).to.deep.equal([
        [0, "failed", undefined],
        [1, "completed", "CONSENSUS_FAILED"],
      ]);
      expect(outcome.nodes.map(({ label }) => label)).to.deep.equal(["entities", "report"]);
      expect(outcome.status).to.equal("completed");
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    });
  });

  describe("laws whose executors never agree", () => {
    let outcome: Outcome;
    let purseBefore: bigint;

    before(async () => {
      purseBefore = await purseOf(city);
      outcome = await mission("never", ({ agent }, output) => opinion(agent, output));
    });

    it("are tried while they cost at most half of the deposit, and the mission ends", async () => {
      const most = Number(await city.client.constitution.param(parameterIndex("MAX_REFINEMENT_ITERATIONS")));
      expect(outcome.epochs.length).to.be.within(2, most);
      expect(new Set(outcome.epochs.map(({ status }) => status))).to.deep.equal(new Set(["failed"]));
      expect(outcome.status).to.equal("failed");
      expect(outcome.released).to.equal(false);
      const [deposit, refunded, last] = [outcome.total.deposit, outcome.total.refunded, outcome.money.deposit].map(BigInt);
      const another = last! - refunded!;
      expect(2n * (deposit! - refunded! + another) > deposit!).to.equal(true);
      expect(outcome.failure?.reason).to.match(
        /laws failed and cost [\d.]+ tokens: another like the last could raise that above half of the deposit, so none was made$/,
      );
    });

    it("give everything back that was not earned", async () => {
      await checkMoney(outcome, purseBefore - (await purseOf(city)));
    });
  });
});
