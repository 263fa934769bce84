// @long
import { join } from "node:path";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { act } from "../../orchestrator/adjudication/act.ts";
import { TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { carryOutIn, missionsOf, openHome, purseOf } from "../support/city-home.ts";
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

  const mission = (id: string, seen = city) =>
    carryOutIn(seen, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id, home: home() });

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

  /** The city's client: adjudicators stop the city as soon as a clearing is made that would start other nodes. `gas` sends it all the same. */
  function stoppedBeforeAdvance(gas?: bigint) {
    const refused: unknown[] = [];
    const missionOf: City["client"]["mission"] = (address) => {
      const contract = city.client.mission(address);
      const advance: typeof contract.advance = async (args, options) => {
        if (refused.length === 0) await order("STOP_CITY", 0);
        return contract.advance(args, { ...options, gas }).catch((error: unknown) => {
          refused.push(error);
          throw error;
        });
      };
      return { ...contract, advance };
    };
    return { seen: { ...city, client: { ...city.client, mission: missionOf } }, refused };
  }

  for (const [when, gas] of [
    ["before a clearing is sent that would start others", undefined],
    ["while it is on its way", 8_000_000n],
  ] as const)
    it(`clears what was begun and starts nothing when it is stopped ${when}`, async () => {
      // Who stopped a city lately cannot do it again.
      await city.chain.clock.sleepUntil(city.chain.clock.now() + 180n * 86_400n);
      const id = `on-its-way-${gas ?? 0}`;
      const { seen, refused } = stoppedBeforeAdvance(gas);
      await expectStopped(mission(id, seen));
      expect(refused.map((error) => error instanceof TransactionReverted && error.phase)).to.deep.equal([
        gas === undefined ? "simulated" : "mined",
      ]);
      const contract = city.client.mission((await missionsOf(city)).at(-1) ?? zeroAddress);
      const cleared = await contract.history("Cleared");
      expect(cleared).to.not.have.length(0);
      const routed = new Set((await contract.history("Routed")).map(({ args }) => args.node));
      expect([...routed].toSorted()).to.deep.equal(cleared.map(({ args }) => args.node).toSorted());
      await order("RESUME_CITY", 0);
      const outcome = await mission(id);
      expect(outcome.status).to.equal("completed");
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    });
});
