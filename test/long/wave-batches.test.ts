import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { callsSince } from "../../orchestrator/city/report/gas.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, copyHome, foundHome, missionsOf, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { nodesOf } from "../support/wave-calls.ts";

const SEED = "41";
const MOST = 2;

/** The process ends here. */
class Stopped extends Error {}

/** Waves wider than a transaction takes, and the orchestrator ends each time when the first part of one is on chain. */
describe("scenario: waves in several transactions, interrupted between them", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const founded = () => join(directory(), "founded");

  before(() => foundHome(founded(), SEED));

  const text = (more = {}) => smallMission(smallInputs(directory(), CALM_ROWS).csv, more);

  /** The same mission in one process. Who speaks in a debate is drawn by the chain's history, so that another mission may get another law. */
  async function uninterrupted(name: string, mission: string): Promise<Outcome> {
    const home = copyHome(founded(), join(directory(), name));
    const city = await openHome(home, SEED);
    const whole = await carryOutIn(city, mission, { id: "waves", home }).finally(() => city.close());
    expect(whole.status).to.equal("completed");
    return whole;
  }

  /** Carries the mission out, two nodes a transaction; the process ends as soon as one of each of these calls is on chain. */
  async function interrupted(stops: readonly string[], mission: string, look: (city: City, outcome: Outcome) => Promise<void>) {
    const home = copyHome(founded(), join(directory(), stops.join("-")));
    const ahead = [...stops];
    for (;;) {
      let city: City | undefined;
      let from = 0n;
      const boundary = async (name: string) => {
        if (name !== "sender:broadcast" || city === undefined) return;
        const calls = await callsSince(city.client, from, await missionsOf(city));
        const made = new Set(calls.map(({ functionName }) => functionName));
        const stop = ahead.find((call) => made.has(call));
        if (stop === undefined) return;
        ahead.splice(ahead.indexOf(stop), 1);
        throw new Stopped();
      };
      city = await openHome(home, SEED, { nodesPerTransaction: MOST, boundary });
      from = (await city.chain.publicClient.getBlockNumber()) + 1n;
      try {
        const outcome = await carryOutIn(city, mission, { id: "waves", home });
        expect(ahead, "calls never made").to.deep.equal([]);
        await look(city, outcome);
        return outcome;
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      } finally {
        await city.close();
      }
    }
  }

  /** What depends neither on how many transactions it took, nor on interruptions. */
  const results = ({ status, money, nodes, reputations, slashed, market }: Outcome) => ({
    ...{ status, money, reputations, slashed, market },
    nodes: nodes.map(({ gas: _, ...node }) => node),
  });

  async function expectNothingLost(city: City, outcome: Outcome, whole: Outcome, calls: readonly string[]) {
    expect(results(outcome)).to.deep.equal(results(whole));
    for (const call of calls) {
      const sent = await nodesOf(city, outcome, call);
      expect(Math.max(...sent.map(({ length }) => length)), call).to.equal(MOST);
      expect(
        sent.flat().toSorted((a, b) => a - b),
        call,
      ).to.deep.equal(outcome.nodes.map((_, node) => node));
    }
    const producers = city.society.filter(({ role }) => role === "producer");
    const asked = await city.log.read({ kind: "execution.offers", subject: outcome.mission as Address });
    expect(asked, "bids are asked for once").to.have.length(producers.length);
    for (const { account } of producers) expect((await city.client.agents.stakeOf(account.address)).locked).to.equal(0n);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  }

  it("on chain: each node is awarded, routed, cleared and paid once, and everybody gets as much as without", async () => {
    const calls = ["award", "route", "clear", "claim"];
    const whole = await uninterrupted("whole on chain", text());
    await interrupted([...calls, "advance"], text(), (city, outcome) => expectNothingLost(city, outcome, whole, calls));
  });

  it("in hybrid mode: each checkpoint follows the one before, whoever sent that", async () => {
    const calls = ["checkpoint", "clear"];
    const mission = text({ mode: "hybrid" });
    const whole = await uninterrupted("whole in hybrid mode", mission);
    await interrupted(calls, mission, async (city, outcome) => {
      await expectNothingLost(city, outcome, whole, calls);
      expect(outcome.hybrid).to.include({ anchored: outcome.nodes.length, late: 0, unaudited: MOST });
    });
  });
});
