// @long
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { nodesOf } from "../support/wave-calls.ts";

/** Nodes in one transaction: fewer than a wave has. */
const MOST = 2;

/** One rerun, three that agree, one that a human reads: everybody is honest. */
describe("scenario: a mission of all three tiers", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let purseBefore: bigint;
  const ofTier = (tier: number) => outcome.nodes.filter((node) => node.tier === tier);
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n);

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "12", { nodesPerTransaction: MOST });
    purseBefore = await purseOf(city);
    outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id: "tiers", home });
  });
  after(() => city?.close());

  it("completes every node at its first attempt", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal(outcome.nodes.map(() => ["COMPLETED", 1]));
    expect(outcome.slashed).to.equal("0");
  });

  it("clears each tier by its own kind of evidence", () => {
    expect(ofTier(1)).to.not.have.length(0);
    expect(ofTier(2)).to.not.have.length(0);
    expect(ofTier(3)).to.have.length(1);
    for (const { executors } of ofTier(1)) expect(executors.map(({ result }) => result)).to.deep.equal(["agreed"]);
    for (const { executors } of ofTier(2)) {
      expect(new Set(executors.map(({ agent }) => agent)).size).to.equal(3);
      expect(executors.filter(({ result }) => result === "agreed").length).to.be.at.least(2);
    }
    expect(outcome.human.map(({ node, action, simulated }) => [node, action, simulated])).to.deep.equal([["report", "approved", true]]);
  });

  it("cuts what waves are wider than one transaction takes, in the order of nodes", async () => {
    const numbers = outcome.nodes.map((_, node) => node);
    const waves = [1, 2, 3].map((tier) => numbers.filter((node) => outcome.nodes[node]?.tier === tier));
    expect(waves.some(({ length }) => length > MOST)).to.equal(true);
    const cut = (nodes: readonly number[]) => nodes.flatMap((_, at) => (at % MOST === 0 ? [nodes.slice(at, at + MOST)] : []));
    for (const call of ["award", "claim"]) expect(await nodesOf(city, outcome, call), call).to.deep.equal(cut(numbers));
    for (const call of ["route", "clear"]) expect(await nodesOf(city, outcome, call), call).to.deep.equal(waves.flatMap(cut));
    // What clears the last nodes of a wave starts the first of the next.
    const last = waves.slice(0, -1).map((wave) => cut(wave).at(-1));
    expect(await nodesOf(city, outcome, "advance")).to.deep.include.members(last);
  });

  it("pays those who agreed, and nobody else", () => {
    for (const { paid, result } of outcome.nodes.flatMap(({ executors }) => executors))
      expect(BigInt(paid) > 0n).to.equal(result === "agreed");
  });

  it("accounts for the deposit to the unit", async () => {
    const { money, nodes } = outcome;
    expect(money.deposit).to.equal("300000000");
    expect(balances(money)).to.equal(true);
    expect(sum(nodes.flatMap(({ executors }) => executors.map(({ paid }) => paid)))).to.equal(BigInt(money.paid));
    expect(purseBefore - (await purseOf(city))).to.equal(BigInt(money.deposit) - BigInt(money.refunded));
    expect(await city.client.token.balanceOf(outcome.mission as `0x${string}`)).to.equal(0n);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
