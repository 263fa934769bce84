// @long
/** Strangers who bring more jobs before a city's panels than it can hear: two keys, and an escrow of their own that holds no money. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import type { City } from "../../orchestrator/city/city.ts";
import { Hearings, type HearingsOptions } from "../../orchestrator/city/hearings/hearings.ts";
import { type SeatDesk, seatDesk } from "../../orchestrator/city/missions/open-seats.ts";
import { issuersIn, verifiersIn } from "../../orchestrator/city/world.ts";
import type { JobBrief, Verifier } from "../../orchestrator/execution/seat.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import type { Hash, Hex } from "../../orchestrator/primitives/hex.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { AMOUNT, COMMISSION, greedyJobs, type JobOptions, openJob, WORK } from "./job-parties.ts";

const FLOOD = 15;
/** Addresses that it comes from, and how many jobs of one are heard at once. */
const ADDRESSES = 3;
const AT_ONCE_OF_ONE = 4;
const payTo = "0x00000000000000000000000000000000000a11ce";

describe("a flood of jobs before a city's panels", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let city: City;
  let desk: SeatDesk;
  let gateway: Gateway | undefined;
  /** What comes between a verifier and the city's question. */
  let between: (brief: JobBrief) => Promise<void> = async () => {};
  const said: string[] = [];

  const court = (more: Partial<HearingsOptions> = {}) =>
    new Hearings(city, {
      verifiers: async () =>
        verifiersIn(city).map(
          (each): Verifier => ({
            ...each,
            async hear(brief) {
              await between(brief);
              return each.hear(brief);
            },
          }),
        ),
      issuers: issuersIn(city),
      relays: desk.relays,
      millis: () => wall.now,
      ...more,
    });

  before(async () => {
    const opened = await openHome(join(directory(), "home"), "7");
    city = { ...opened, progress: (line) => void said.push(line) };
    const { millis } = serveOptions;
    desk = await seatDesk(city, { clock: { millis, wait: () => new Promise<void>(() => {}) } });
  });
  after(async () => city?.close());
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
    rmSync(join(city.dir, "hearings"), { recursive: true, force: true });
    said.length = 0;
    between = async () => {};
  });

  async function served(hearings: Hearings, more: Partial<Parameters<typeof serveGateway>[1]> = {}) {
    gateway = await serveGateway(city, { ...serveOptions, hearings, ...more });
    return { url: gateway.url, rpcUrl: city.rpcUrl, addresses: city.client.addresses };
  }
  const options = (): JobOptions => ({ endow: (party: Hex) => desk.faucet(party), now: Number(city.chain.clock.now()) });
  type Flood = Awaited<ReturnType<typeof greedyJobs>>;
  /** A job brought from an address. */
  async function bring(hearings: Hearings, flood: Flood, number: number, from: string) {
    const one = await flood.job(BigInt(number));
    await hearings.open(one.terms, COMMISSION, one.opening, { from });
    return one;
  }
  /** Its work before the panel. */
  async function handIn(hearings: Hearings, one: Awaited<ReturnType<typeof bring>>) {
    const items = await hearings.receive(one.hearing, WORK);
    await one.deliver(WORK, items);
    await hearings.handIn(one.hearing, { ...one.handed(WORK, items), items });
  }
  async function settled(hearings: Hearings) {
    wall.now += 60_000;
    await hearings.step();
    await hearings.settled();
  }

  it("costs a city that waits for their work one look a block, however many there are", async () => {
    const hearings = court();
    const flood = await greedyJobs(await served(hearings), options());
    for (let number = 1; number <= FLOOD; number += 1) await bring(hearings, flood, number, `198.51.100.${number}`);
    await settled(hearings);
    const { publicClient } = city.chain;
    const { readContract } = publicClient;
    let reads = 0;
    const counting: typeof readContract = (parameters) => {
      reads += 1;
      return readContract(parameters);
    };
    Object.assign(publicClient, { readContract: counting });
    try {
      await flood.become("NONE");
      await settled(hearings);
      expect(reads, "a block that is about none of them").to.equal(0);
      const first = await flood.job(1n);
      await first.deliver(WORK, []);
      await settled(hearings);
      expect(reads, "a block that is about one").to.be.within(1, 3);
    } finally {
      Object.assign(publicClient, { readContract });
    }
  });

  it("keeps nobody else's job waiting while its own members are waited for, and is heard by a few at once", async () => {
    const hearings = court();
    const at = await served(hearings);
    const flood = await greedyJobs(at, options());
    const asked = new Set<Hash>();
    const release = Promise.withResolvers<void>();
    const { escrow } = (await flood.job(1n)).terms;
    between = async ({ terms, obligation }) => {
      if (terms.escrow !== escrow) return;
      asked.add(obligation);
      await release.promise;
    };
    for (let number = 1; number <= FLOOD; number += 1)
      await handIn(hearings, await bring(hearings, flood, number, `198.51.100.${number % ADDRESSES}`));
    await hearings.step();
    const honest = await openJob(at, options());
    await honest.open();
    const items = await honest.receipts(WORK);
    await honest.deliver(WORK, items);
    await honest.handIn(WORK, items);
    for (let turn = 0; turn < 2_000 && (await honest.get())["isClosed"] !== true; turn += 1) await hearings.step();
    expect((await honest.get())["outcome"]).to.equal("PASS");
    expect(await honest.withdrawn("provider")).to.equal(AMOUNT);
    expect(asked.size).to.equal(ADDRESSES * AT_ONCE_OF_ONE);
    release.resolve();
    for (let turn = 0; turn < 10; turn += 1) await settled(hearings);
    expect(asked.size, "and all of it is heard in the end").to.equal(FLOOD);
    expect(hearings.pending()).to.deep.equal([]);
  });

  it("takes a tenth of the places from one address, and no job that would hold its place for years", async () => {
    const hearings = court({ max: 20 });
    const flood = await greedyJobs(await served(hearings), options());
    for (const number of [1, 2]) await bring(hearings, flood, number, "198.51.100.1");
    const refused = await rejection(bring(hearings, flood, 3, "198.51.100.1"));
    expect(refused.message).to.include("2 jobs from your address wait");
    await bring(hearings, flood, 3, "198.51.100.2");
    const one = await flood.job(4n);
    const far = { ...one.terms, deliverBy: one.terms.deliverBy + 400 * 86_400 };
    expect((await rejection(hearings.open(far, COMMISSION, one.opening, { from: "198.51.100.3" }))).message).to.include("in a year");
    const again = court({ max: 20 });
    const later = await rejection(bring(again, flood, 4, "198.51.100.1"));
    expect(later.message, "a restart gives nobody more").to.include("from your address");
  });

  it("costs no gas for an escrow that burns it, and once for one that refuses what it agreed to", async () => {
    const hearings = court();
    const at = await served(hearings);
    const flood = await greedyJobs(at, options());
    const spent = () => city.database.query("SELECT coalesce(sum(gas), 0) AS gas FROM relayed WHERE subject = 'all strangers'");
    const sent = async () =>
      z.array(z.object({ count: z.coerce.number() })).parse(await city.database.query("SELECT count(*) FROM outbox"))[0];
    const before = { spent: await spent(), sent: await sent() };
    await flood.become("ASKED");
    expect((await rejection(bring(hearings, flood, 1, "198.51.100.1"))).message).to.include("would take");
    expect({ spent: await spent(), sent: await sent() }).to.deep.equal(before);
    await flood.become("NONE");
    const one = await bring(hearings, flood, 1, "198.51.100.1");
    await flood.become("ENDED");
    await handIn(hearings, one);
    for (let turn = 0; turn < 3; turn += 1) await settled(hearings);
    const held = await sent();
    for (let turn = 0; turn < 5; turn += 1) await settled(hearings);
    expect(said.filter((line) => line.includes("would take"))).not.to.deep.equal([]);
    expect(await sent(), "what it would cost is not sent").to.deep.equal(held);
    await flood.become("MINED");
    wall.now += 3_600_000;
    for (let turn = 0; turn < 5; turn += 1) await settled(hearings);
    expect((await sent())?.count).to.equal((held?.count ?? 0) + 1);
    expect(hearings.pending(), "its parties end it").to.deep.equal([]);
    expect(await one.get()).to.include({ outcome: "PASS", isClosed: false });
  });

  it("is paid for where the operator set a price", async () => {
    const hearings = court();
    const at = await served(hearings, { toll: { amount: 10_000n, payTo } });
    const one = await openJob(at, options());
    expect((await rejection(one.open())).message).to.include("PaymentRequired");
    expect(hearings.pending()).to.deep.equal([]);
  });
});
