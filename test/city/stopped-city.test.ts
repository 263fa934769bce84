import { join } from "node:path";
import { expect } from "chai";
import { act } from "../../orchestrator/adjudication/act.ts";
import { TransactionReverted } from "../../orchestrator/chain/errors.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("a city that adjudicators stop", function () {
  this.timeout(180_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");
  let city: City;
  /** Where adjudicators stop the city; nowhere if empty. */
  let stopsAt = "";

  before(async () => {
    city = await openHome(home(), "43", {
      boundary: async (name) => {
        if (name !== stopsAt) return;
        stopsAt = "";
        await order("STOP_CITY", 2);
      },
    });
  });
  after(() => city?.close());

  const mission = (id: string) => carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id, home: home() });

  /** Two lift a first stop; whose seats stopped the city lately cannot stop it again. */
  async function order(action: "STOP_CITY" | "RESUME_CITY", first: number): Promise<void> {
    const panel = panelOf(city);
    const caseHash = keccak256(new TextEncoder().encode(`${action} ${city.chain.clock.now()}`));
    await act(panel, panel.seats.slice(first, first + 2), { action, data: "0x", caseHash, because: `A test gives ${action}.` });
  }

  async function expectStopped(running: Promise<unknown>): Promise<void> {
    const error = await rejection(running);
    expect(error).to.be.instanceOf(TransactionReverted);
    const { errorName, action } = error as TransactionReverted;
    expect(errorName).to.equal("CityIsStopped");
    expect(action)
      .to.match(/until \d{4}-\d\d-\d\dT[\d:.]+Z/)
      .and.to.contain("npm run override -- resume-city");
  }

  it("opens no session, takes no deposit, and says until when", async () => {
    await order("STOP_CITY", 0);
    const before = await purseOf(city);
    await expectStopped(mission("refused"));
    expect(await purseOf(city)).to.equal(before);
    await order("RESUME_CITY", 0);
  });

  it("halts a mission between two waves; the same order goes on when the stop is lifted", async () => {
    stopsAt = "execution:recorded";
    await expectStopped(mission("halted"));
    await order("RESUME_CITY", 0);
    const outcome = await mission("halted");
    expect(outcome.status).to.equal("completed");
  });
});
