import { expect } from "chai";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import type { Hub } from "../../orchestrator/hub/hub.ts";
import { type HubFilter, passes } from "../../orchestrator/hub/query.ts";
import { HubRows } from "../../orchestrator/hub/store.ts";
import { HubView, type StreamEvent } from "../../orchestrator/hub/view.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { memoryBlocks } from "../../orchestrator/records/blocks.ts";
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
  const blocks = memoryBlocks();

  before(async () => {
    chain = await openEmbeddedChain();
    database = await openDatabase({ cache });
    const emitter = await emit(chain, CALLS);
    const log = new RecordLog(database, chain.clock);
    await log.append([
      { kind: "legislature.ballots", subjects: ["run-1", "1", other] },
      { kind: "execution.reconciled", subjects: [other, "output-release"] },
    ]);
    hub = await hubOver(chain, database, emitter, undefined, blocks);
    expect(await hub.sync()).to.equal(CALLS + 2);
  });
  after(async () => {
    await database.close();
    await chain.close();
  });

  const sequences = (events: readonly Pick<StreamEvent, "sequence">[]) => events.map(({ sequence }) => sequence);

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

  it("find words in records' blocks, but not in what is withheld from whoever asks", async () => {
    const log = new RecordLog(database, chain.clock);
    const contents = ["It rains in Vienna", "Sealed: VIENNA stays dry", "nothing of it"].map((words) => blocks.putJson({ words }));
    await log.append(contents.map((content, at) => ({ kind: at === 1 ? "execution.work" : "test.noted", subjects: [other], content })));
    await hub.sync();
    const withheld = async ({ name }: StreamEvent) => name === "execution.work";
    const found = async (text: string, isWithheld = async (_: StreamEvent) => false) =>
      (await hub.query({ text }, isWithheld)).events.map(({ payloadCid }) => payloadCid);
    expect(await found("vienna")).to.deep.equal(contents.slice(0, 2));
    expect(await found("vienna", withheld), "a search is no way around a seal").to.deep.equal(contents.slice(0, 1));
    expect(await found("\\u0000")).to.deep.equal([]);
    const stop = new AbortController();
    for await (const { payloadCid } of hub.follow(0, { text: "dry" }, stop.signal)) {
      expect(payloadCid).to.equal(contents[1]);
      stop.abort();
    }
  });

  it("search no more than one question may, and go on where it ended", async () => {
    const log = new RecordLog(database, chain.clock);
    const large = Array.from({ length: 12 }, (_, at) =>
      blocks.putJson({ at, words: `${"sand ".repeat(200_000)}${at % 6 === 0 ? "needle" : ""}` }),
    );
    await log.append(large.map((content) => ({ kind: "test.noted", subjects: [other], content })));
    await hub.sync();
    for (const newest of [false, true]) {
      const found: string[] = [];
      let questions = 0;
      for (let cursor: string | null | undefined; cursor !== null; questions += 1) {
        const page = await hub.query({ text: "needle", newest, cursor });
        found.push(...page.events.map(({ payloadCid }) => payloadCid));
        cursor = page.next;
      }
      const needles = [0, 6].map((at) => large[at]);
      expect(found).to.deep.equal(newest ? needles.reverse() : needles);
      expect(questions, "a megabyte each, eight at a time").to.be.within(2, 3);
    }
    expect((await hub.query({ text: "needle", limit: 1 })).events).to.have.length(1);
  });

  it("find failures alone, of every kind that this city has", async () => {
    const log = new RecordLog(database, chain.clock);
    await log.append([
      { kind: "execution.divergence", subjects: [other] },
      { kind: "execution.refused", subjects: [other] },
    ]);
    await hub.sync();
    expect((await hub.query({ failures: true })).events.map(({ name }) => name)).to.deep.equal([
      "execution.divergence",
      "execution.refused",
    ]);
    expect((await hub.query({ failures: false, limit: 200 })).events.length).to.be.above(CALLS);
  });

  it("mean the same for a page and for whoever follows", async () => {
    const rows = new HubRows(database);
    const head = hub.cursor().sequence;
    const step = await rows.step(0, head);
    expect(step).to.have.length(head);
    const random = randomStream("filters");
    const [one, two] = [random.pick(step).event, random.pick(step).event];
    const choices: readonly HubFilter[] = [
      ...[{ agent: caller }, { agent: other }, { principal: other }, { contract: one.emitterContract }, { name: one.name }, { epoch: 0 }],
      ...[
        { epoch: 1 },
        { eventType: "RECONCILIATION_PASSED" } as const,
        { missionId: two.missionId },
        { missionId: two.missionId, nodeId: 0 },
      ],
      ...[
        { fromTime: one.timestamp },
        { toTime: two.timestamp },
        { fromBlock: 3 },
        { toBlock: 6 },
        { failures: true },
        { failures: false },
      ],
    ];
    for (let at = 0; at < 200; at += 1) {
      const filter = Object.assign({}, ...Array.from({ length: 1 + random.int(3) }, () => random.pick(choices)));
      const page = await hub.query({ ...filter, limit: 200 });
      const following = step.filter((each) => passes(filter, each)).map(({ event }) => event);
      expect(sequences(following), JSON.stringify(filter)).to.have.members(sequences(page.events));
    }
  });

  it("are asked once a step, however many follow", async () => {
    let asked = 0;
    const view = new HubView({
      rows: new HubRows({
        query(text, parameters) {
          asked += 1;
          return database.query(text, parameters);
        },
      }),
      ...{ blocks: memoryBlocks(), finality: 0, legislature: other },
    });
    view.begin(hub.state());
    const stop = new AbortController();
    const { sequence } = view.cursor();
    const seen: number[] = [];
    const following = Array.from({ length: 30 }, async () => {
      for await (const event of view.follow(sequence, { agent: caller }, stop.signal)) {
        if (seen.push(event.sequence) === 30) stop.abort();
      }
    });
    await new Promise(setImmediate);
    await new RecordLog(database, chain.clock).append([{ kind: "test.noted", subjects: [addressSchema.parse(caller)] }]);
    await hub.sync();
    asked = 0;
    view.advance({ cursor: hub.cursor(), missions: [], accounts: [] });
    await Promise.all(following);
    expect({ asked, seen: new Set(seen) }).to.deep.equal({ asked: 1, seen: new Set([sequence + 1]) });
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
