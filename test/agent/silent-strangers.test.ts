// @long
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import type { City } from "../../orchestrator/city/city.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import type { Worker } from "../../orchestrator/execution/seat.ts";
import type { Mind } from "../../orchestrator/minds/mind.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { runUntilAnswering, seatsClock } from "../support/answering-agent.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));

/** As many owners as live in the city: half of every circle of bidders. */
const SILENT = 4;

describe("strangers who register and never answer", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    seats = await openSeats(city, { clock: seatsClock, patience: 0.05 });
    for (let number = 0; number < SILENT; number += 1) {
      await runUntilAnswering({
        city: seats.url,
        key: secretOf(`silent ${number}`),
        principal: privateKeyToAccount(secretOf(`owner of silent ${number}`)),
        folder: join(directory(), `silent-${number}`),
        services: ["estimate-by-median"],
      });
    }
  });
  after(async () => {
    await seats?.close();
    await city?.close();
  });

  async function expectDoneAtFirst(id: string, outsiders: Awaited<ReturnType<OpenSeats["outsiders"]>>): Promise<void> {
    expect(outsiders.workers).to.have.length(SILENT);
    const outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id, home: directory(), outsiders });
    expect(outcome.failure).to.equal(null);
    for (const { attempts, label } of outcome.nodes) expect(attempts, label).to.equal(1);
  }

  /** Those who are elsewhere, with offers of their own; and how often each was asked for a bid's signature. */
  async function offering(bid: Mind["bid"]) {
    const outsiders = await seats.outsiders();
    const asked = new Map<string, number>();
    const workers = outsiders.workers.map((worker) => {
      const signTypedData: Worker["account"]["signTypedData"] = (typed) => {
        if (typed.primaryType === "Bid") asked.set(worker.name, (asked.get(worker.name) ?? 0) + 1);
        return worker.account.signTypedData(typed);
      };
      return { ...worker, mind: { ...worker.mind, bid }, account: { ...worker.account, signTypedData } };
    });
    return { outsiders: { ...outsiders, workers }, asked };
  }

  it("keep no node of another's mission without bids", async () => expectDoneAtFirst("silence", await seats.outsiders()));

  it("keep none by offers for everything, of which they sign no bid, and are asked for no second one", async () => {
    const { outsiders, asked } = await offering(async ({ nodes }) =>
      nodes.flatMap(({ node, services: [service] }) => (service === undefined ? [] : [{ node, service, price: 1n }])),
    );
    await expectDoneAtFirst("promises", outsiders);
    expect([...asked.values()]).to.deep.equal(outsiders.workers.map(() => 1));
  });
});
