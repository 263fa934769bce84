import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import type { City } from "../../orchestrator/city/city.ts";
import { Hearings } from "../../orchestrator/city/hearings/hearings.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { issuersIn, verifiersIn } from "../../orchestrator/city/world.ts";
import { panelOfHearing, viewHearing } from "../../orchestrator/execution/hearing.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import type { Hex } from "../../orchestrator/primitives/hex.ts";
import { serveOptions } from "../gateway/gateway-city.ts";
import { AMOUNT, HEARING, openJob, WORK } from "../gateway/job-parties.ts";
import { openHome } from "../support/city-home.ts";
import { listener } from "../support/listener.ts";
import { officeHolder, seated, secretOf, wallClock } from "../support/office-holder.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const VERIFIER = privateKeyToAddress(secretOf("verifier"));

describe("a job before a panel with a verifier of another house", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;
  let gateway: Gateway;
  let hearings: Hearings;
  /** The machine's clock, as far as the city waits by it before it tries again. */
  let now = 0;
  const { said, progress, heard } = listener();
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    seats = await openSeats(city, { clock: wallClock, patience: 4 });
    const verifiers = async () => [...verifiersIn(city), ...(await seats.outsiders()).verifiers];
    hearings = new Hearings(city, { verifiers, issuers: issuersIn(city), relays: seats.desk.relays, millis: () => now });
    gateway = await serveGateway(city, { ...serveOptions, seats: seats.desk, hearings });
    const holder = officeHolder("verifier", "verifier", { city: seats.url, directory: directory(), progress });
    running.push((await seated(city, holder, heard, stop.signal)).ended);
  });
  after(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await gateway?.close();
    await seats?.close();
    await city?.close();
  });

  /** A job whose work is before its panel: the third house always has a seat among three. */
  async function brought(submitted = WORK) {
    const at = { url: gateway.url, rpcUrl: city.rpcUrl, addresses: city.client.addresses };
    const endow = (party: Hex) => seats.desk.faucet(party);
    const one = await openJob(at, { endow, now: Number(city.chain.clock.now()) });
    await one.open();
    const items = await one.receipts(WORK);
    await one.deliver(WORK, items, submitted);
    await one.handIn(WORK, items);
    const view = await viewHearing(city.client, one.terms);
    expect(await panelOfHearing(city.client, one.terms, view)).to.include(VERIFIER);
    return one;
  }
  async function over(one: Awaited<ReturnType<typeof brought>>) {
    for (let turn = 0; turn < 100; turn += 1) {
      now += 60_000;
      await hearings.step();
      await hearings.settled();
      const state = await one.get();
      if (state["isClosed"] === true) return state;
    }
    throw new Error(`it is not over: ${said.join("\n")}`);
  }

  it("is judged and signed for in that house's own process, and paid", async () => {
    const one = await brought();
    expect(await over(one)).to.include({ outcome: "PASS", isComplete: true });
    expect(said).to.include.members(["answered hear", "answered sign"]);
    expect(said.filter((line) => line.startsWith("declined"))).to.deep.equal([]);
    expect(await one.withdrawn("provider")).to.equal(AMOUNT);
  });

  it("goes without it once it is gone: two of three decide when its time is over", async () => {
    stop.abort();
    await Promise.allSettled(running);
    await seats.close();
    seats = await openSeats(city, { clock: wallClock, patience: 0.1 });
    const verifiers = async () => [...verifiersIn(city), ...(await seats.outsiders()).verifiers];
    hearings = new Hearings(city, { verifiers, issuers: issuersIn(city), relays: seats.desk.relays, millis: () => now });
    await gateway.close();
    gateway = await serveGateway(city, { ...serveOptions, seats: seats.desk, hearings });
    const one = await brought();
    await hearings.step();
    await hearings.settled();
    expect(await one.get()).to.include({ outcome: "PASS", isComplete: false, isClosed: false });
    await city.chain.clock.sleepUntil(city.chain.clock.now() + BigInt(HEARING + 1));
    expect(await over(one)).to.include({ outcome: "PASS", panels: 1 });
  });
});
