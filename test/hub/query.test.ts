import { expect } from "chai";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import type { Hub } from "../../orchestrator/hub/hub.ts";
import type { StreamEvent } from "../../orchestrator/hub/view.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { cache } from "../support/cache.ts";
import { rejection } from "../support/rejection.ts";
import { emit, hubOver } from "./hub-fixture.ts";

const CALLS = 9;
const [caller, other] = [devnetAccount(3).address, devnetAccount(4).address];

describe("the hub's queries", () => {
  let chain: DrivenChain;
  let database: Database;
  let hub: Hub;

  before(async () => {
    chain = await openEmbeddedChain();
    database = await openDatabase({ cache });
    const emitter = await emit(chain, CALLS);
    const log = new RecordLog(database, chain.clock);
    await log.append([
      { kind: "legislature.ballots", subjects: ["run-1", "1", other] },
      { kind: "execution.reconciled", subjects: [other, "output-release"] },
    ]);
    hub = await hubOver(chain, database, emitter);
    expect(await hub.sync()).to.equal(CALLS + 2);
  });
  after(async () => {
    await database.close();
    await chain.close();
  });

  const sequences = (events: readonly StreamEvent[]) => events.map(({ sequence }) => sequence);

  it("page through everything, in either order, with nothing twice and nothing missing", async () => {
    for (const newest of [false, true]) {
      const found: number[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await hub.query({ limit: 4, newest, cursor });
        found.push(...sequences(page.events));
        cursor = page.next;
      }
      const expected = Array.from({ length: CALLS + 2 }, (_, at) => at + 1);
      expect(found).to.deep.equal(newest ? expected.reverse() : expected);
    }
  });

  it("find by agent, contract, type, name, time and block, and by several at once", async () => {
    expect((await hub.query({ agent: caller })).events).to.have.length(CALLS);
    expect((await hub.query({ agent: other })).events.map(({ name }) => name)).to.deep.equal([
      "legislature.ballots",
      "execution.reconciled",
    ]);
    expect((await hub.query({ agent: other, eventType: "RECONCILIATION_PASSED" })).events).to.have.length(1);
    expect((await hub.query({ name: "CityToken.Transfer" })).events).to.have.length(CALLS);
    const [first] = (await hub.query({ agent: caller })).events;
    if (first === undefined) throw new Error("no event");
    expect((await hub.query({ contract: first.emitterContract })).events).to.have.length(CALLS);
    expect(sequences((await hub.query({ fromBlock: first.blockNumber, toBlock: first.blockNumber })).events)).to.deep.equal([
      first.sequence,
    ]);
    const atOnce = await hub.query({ fromTime: first.timestamp, toTime: first.timestamp });
    expect(atOnce.events.every(({ timestamp }) => timestamp === first.timestamp)).to.equal(true);
    expect(sequences(atOnce.events)).to.include(first.sequence);
  });

  it("find words in a chain event's payload, whatever their case and whatever they mean to SQL", async () => {
    const [first] = (await hub.query({ agent: caller })).events;
    if (first?.transactionHash == null) throw new Error("no event");
    expect(sequences((await hub.query({ text: first.transactionHash.toUpperCase() })).events)).to.deep.equal([first.sequence]);
    expect((await hub.query({ text: "citytoken.transfer" })).events).to.have.length(CALLS);
    for (const text of ["%%", "__", "' OR ''='", "nowhere to be found"]) expect((await hub.query({ text })).events, text).to.deep.equal([]);
  });

  it("go through a range of blocks page by page", async () => {
    const found: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await hub.query({ fromBlock: 1, toBlock: 9, limit: 2, cursor });
      found.push(...page.events.map(({ blockNumber }) => blockNumber));
      cursor = page.next;
    }
    expect(found).to.deep.equal([2, 4, 6, 8]);
  });

  it("refuse a cursor of another order, or of nothing", async () => {
    for (const cursor of ["t5.5", "x", "s1.2", "s-1", "s99999999999999999999"])
      expect(await rejection(hub.query({ cursor })), cursor).to.include({ code: "BadCursor" });
    expect(await rejection(hub.query({ fromTime: 1, cursor: "s1" }))).to.include({ code: "BadCursor" });
  });

  it("give the payload that the event's hash and id are of", async () => {
    for (const { payloadCid, payloadHash } of (await hub.query({ limit: 200 })).events) {
      const bytes = await hub.payload(payloadCid);
      if (bytes === undefined) throw new Error(`${payloadCid} is missing`);
      expect(keccak256(bytes)).to.equal(payloadHash);
      expect(contentIdOf(bytes)).to.equal(payloadCid);
    }
  });

  it("follow the stream from a place on, then live, without a gap", async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const { sequence } of hub.follow(3, { agent: caller }, stop.signal)) {
        seen.push(sequence);
        if (sequence > CALLS + 2) stop.abort();
      }
    })();
    const log = new RecordLog(database, chain.clock);
    await log.append([
      { kind: "test.noted", subjects: [other] },
      { kind: "test.noted", subjects: [addressSchema.parse(caller)] },
    ]);
    await hub.sync();
    await following;
    const before = sequences((await hub.query({ agent: caller, limit: 200 })).events).filter((sequence) => sequence > 3);
    expect(seen).to.deep.equal(before);
    expect(seen.at(-1)).to.equal(CALLS + 4);
  });

  it("find an entry that was changed", async () => {
    await hub.verify();
    await database.query('UPDATE hub_events SET "gasUsed" = "gasUsed" + 1 WHERE sequence = 5');
    expect(await rejection(hub.verify())).to.include({ code: "StreamBroken", sequence: 5 });
    await database.query('UPDATE hub_events SET "gasUsed" = "gasUsed" - 1 WHERE sequence = 5');
  });

  it("keep payloads for two years, and let go of no event", async () => {
    const { timestamp } = (await hub.query({ newest: true, limit: 1 })).events[0] ?? { timestamp: 0 };
    expect(await rejection(hub.retain(23, timestamp))).to.include({ code: "RetentionTooShort" });
    expect(await hub.retain(24, timestamp)).to.equal(0);
    const before = (await hub.query({ limit: 200 })).events;
    expect(await hub.retain(24, timestamp + 3 * 365 * 86_400_000)).to.be.greaterThan(CALLS);
    expect((await hub.query({ limit: 200 })).events).to.deep.equal(before);
    await hub.verify();
  });
});
