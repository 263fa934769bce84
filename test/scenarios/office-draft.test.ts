// @long
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { Ranking, RankRequest } from "../../orchestrator/minds/mind.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { forge, textOf } from "../city/audit/forgery.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Supports nobody's draft but its own. */
class Recluse extends HeuristicMind {
  override async rank(request: RankRequest): Promise<Ranking> {
    return request.place?.stage === "endorse" ? [] : super.rank(request);
  }
}

describe("scenario: a mission under a law that the Speaker's office drafted", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "31");
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    outcome = await carryOutIn(city, text, { id: "office", home, makeMind: (seat) => new Recluse(seat) });
  });
  after(() => city?.close());

  it("is carried out like any other, a node a task", async () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.map(({ tier }) => tier)).to.deep.equal([1, 2, 3]);
    const [speaker] = city.society.filter(({ role }) => role === "speaker");
    const [proposed] = await city.client.legislation.history("Proposed");
    const [drafted] = await city.client.legislation.history("Drafted");
    expect(proposed?.args.proposer).to.equal(speaker?.account.address);
    expect(drafted?.args).to.include({ session: 1n, candidate: 1 });
    const house = drafted?.args.house ?? "0x";
    expect((await city.client.execution.participationOf(outcome.mission as Address, house)).sponsor).to.equal(true);
  });

  it("leaves a bundle that an auditor accepts, who derives the law again", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("is found out where the mission file would have had another law", async () => {
    const forged = forge(outcome.bundle ?? "", join(directory(), "forged"), (files) =>
      files.set("mission.yaml", textOf(files, "mission.yaml").replace("tier: 1", "tier: 1\n    timeout: 21s")),
    );
    expect(inspect(await rejection(auditBundle(forged)))).to.match(/law drafted in office: read[-1]*: timeout: is \d+, but has to be 21\n/);
  });
});
