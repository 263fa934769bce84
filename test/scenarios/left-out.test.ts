// @long
import { join } from "node:path";
import { expect } from "chai";
import { act } from "../../orchestrator/adjudication/act.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import { leftOutSchema } from "../../orchestrator/execution/left-out.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { BidRequest, Offer } from "../../orchestrator/minds/mind.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("scenario: producers that may not take part", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  let city: City;
  let outcome: Outcome;
  const home = () => join(directory(), "home");
  const addressOf = (name: string) => memberOf(city.society, "producer", name).account.address;

  /** P1 asks for more than the law pays where another bids too: the chain refuses those bids. */
  class Mind extends HeuristicMind {
    override async bid(request: BidRequest): Promise<readonly Offer[]> {
      const offers = await super.bid(request);
      const isShared = (number: number) => request.nodes.find(({ node }) => node === number)?.redundancy === 1;
      return request.self === addressOf("P1")
        ? offers.map((offer) => (isShared(offer.node) ? { ...offer, price: 10n ** 12n } : offer))
        : offers;
    }
  }

  type Order = Pick<Parameters<typeof act>[2], "action" | "target" | "data">;
  /** By two adjudicators. */
  async function order(why: string, what: Order): Promise<void> {
    const panel = panelOf(city);
    const caseHash = keccak256(new TextEncoder().encode(why));
    await act(panel, panel.seats.slice(0, 2), { ...what, caseHash, because: "A test." });
  }

  /** As far as one order goes: below the floor, where everybody else is still above it. */
  const discredit = (name: string) =>
    order(name, { action: "ADJUST_REPUTATION", target: addressOf(name), data: encodeActionData("ADJUST_REPUTATION", [-100n]) });
  const raiseFloor = () =>
    order("floor", { action: "AMEND_PARAMETER", data: encodeActionData("AMEND_PARAMETER", [parameterIndex("REPUTATION_FLOOR"), 500n]) });
  const mission = (id: string, more: Readonly<Record<string, unknown>> = {}) =>
    carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv, more), {
      id,
      home: home(),
      makeMind: (seat) => new Mind(seat),
    });

  before(async () => {
    city = await openHome(home(), "19", { progress: (line) => told.push(line) });
    await raiseFloor();
    await discredit("P4");
    outcome = await mission("short-handed");
  });
  after(() => city?.close());

  it("are left out of electorate and market, and named; a refused bid stops nobody", async () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.ballots.map(({ agent }) => agent)).to.not.include("P4");
    expect(outcome.ballots).to.have.length(7);
    const bids = await city.client.execution.history("BidPlaced", { mission: outcome.mission as `0x${string}` });
    expect(bids.map(({ args }) => args.agent)).to.not.include(addressOf("P4"));
    expect(told).to.include("P4 takes no part: its reputation is 400, below the floor of 500");
    expect(told.some((line) => /: the bid of P1 was refused \(\w+\)$/.test(line))).to.equal(true);
    // P1's bid after the refused one had the next nonce, so it is signed again; all others are placed in one transaction.
    const [own, others] = [true, false].map((isOwn) => bids.filter(({ args }) => (args.agent === addressOf("P1")) === isOwn));
    expect([own, others].map((some) => new Set(some?.map(({ transactionHash }) => transactionHash)).size)).to.deep.equal([1, 1]);
    expect(own?.[0]?.transactionHash).to.not.equal(others?.[0]?.transactionHash);
    const pulses = await city.client.constitution.history("Pulsed", {});
    const third = Number(await city.client.constitution.param(parameterIndex("DEGRADED_MODE_THRESHOLD"))) / 3;
    expect(pulses).to.not.have.length(0);
    for (const [place, { args }] of pulses.entries()) if (place > 0) expect(args.at - pulses[place - 1]!.args.at).to.be.at.least(third);
    const [entry] = await city.log.read({ kind: "execution.left-out", subject: outcome.mission ?? "" });
    expect(leftOutSchema.parse(parseJsonBytes(city.blocks.get(entry!.content!))).map(({ name }) => name)).to.deep.equal(["P4"]);
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("end a mission before its deposit moves where too few are left, as do a deadline that cannot be met and a budget that pays for nothing, with the way out in words", async () => {
    const hasty = await rejection(mission("hasty", { deadline: "2s" }));
    expect(hasty.message).to.include(
      "its deadline of 2 s is too short: 60 s of bidding and 150 s of work, reviews included, need 210 s of chain time",
    );
    expect(hasty.message).to.include("set `deadline: 210s` or more");
    const poor = await rejection(mission("poor", { budget: "0.05" }));
    expect(poor.message).to.match(/its budget of 0\.05 tokens pays 0\.0\d+ for a run of a service, but agents ask for at least 0\.10/);
    expect(poor.message).to.match(/set `budget: \d+` or more; unspent money is refunded/);
    for (const name of ["P5", "P6", "P7"]) await discredit(name);
    const purse = await purseOf(city);
    const sessions = await city.client.legislation.sessionCount();
    const error = await rejection(mission("too-few"));
    expect(error).to.be.instanceOf(AgentCityError).and.to.include({ code: "TooFewProducers" });
    expect(error.message).to.include("4 of its 8 producers could vote on it, 5 are needed; 4 of the city take no part");
    expect(error.message).to.include(`${addressOf("P4")}: its reputation is `);
    expect(error.message).to.include(`npm run override -- adjust-reputation ${addressOf("P4")} `);
    expect([await purseOf(city), await city.client.legislation.sessionCount()]).to.deep.equal([purse, sessions]);
  });
});
