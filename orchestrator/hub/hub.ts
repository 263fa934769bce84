import { randomBytes } from "node:crypto";
import type { Boundary } from "../primitives/boundary.ts";
import { noBoundary } from "../primitives/boundary.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import type { CityAddresses } from "../protocol/addresses.ts";
import type { Blocks } from "../records/blocks.ts";
import type { LogEntry, RecordLog } from "../records/log.ts";
import type { Sql } from "../records/sql.ts";
import { type BlockMark, type ChainEvent, type ChainSource, Contracts } from "./chain-source.ts";
import { chainDraft, correctionDraft, type Drafted, recordDraft } from "./drafts.ts";
import { ReorgTooDeep, RetentionTooShort, StreamBroken } from "./errors.ts";
import { EMPTY_STREAM, eventHash, type StreamHead, sealOf } from "./event.ts";
import type { AccountRow, MissionRow } from "./registry.ts";
import { BEGIN, type HubPage, HubStore, type Step } from "./store.ts";
import { type HubNews, type HubReads, HubView } from "./view.ts";

/** Points of a hub's step at which a test can kill the process. */
export const HUB_BOUNDARIES = ["hub:read", "hub:written", "hub:committed"] as const;
export type HubBoundary = (typeof HUB_BOUNDARIES)[number];

export interface HubOptions {
  readonly sql: Sql;
  readonly chain: ChainSource;
  readonly log: RecordLog;
  readonly blocks: Blocks;
  readonly addresses: CityAddresses;
  /** The epoch of a session, from the chain. */
  readonly epochOf: (legislature: Address, session: string) => Promise<number>;
  /** Blocks above a block that make it final. 0: the chain is never reorganized. */
  readonly finality: number;
  /** First block that can concern the city. Default: 0. */
  readonly firstBlock?: number;
  readonly boundary?: Boundary<HubBoundary>;
  /** Receives each step once it is written, for views in other threads. */
  readonly publish?: (news: HubNews) => void;
  /** 32 unguessable bytes: the secret of a new stream. */
  readonly random?: () => Hash;
}

/** The Logging Hub: every chain event and every record of a city, in one stream that is never rewritten (AgentCity B.12). */
export interface Hub extends HubReads {
  /** Reads new blocks and log entries. Returns the number of new events. */
  sync(): Promise<number>;
  /** The state of the stream, with which a view in another thread starts. */
  state(): HubNews;
  /** Recomputes the whole hash chain and returns its head. Throws StreamBroken. */
  verify(): Promise<StreamHead>;
  /** Deletes payloads older than this many months before `now` (unix milliseconds). Throws RetentionTooShort below 24. */
  retain(months: number, now: number): Promise<number>;
}

/** Blocks per step. */
const STEP = 256;
/** Records per step. */
const RECORDS = 1_000;
const MIN_MONTHS = 24;
/** Average month of the Gregorian calendar. */
const MONTH_MILLIS = 2_629_746_000;

/** Opens the hub over a city's database. Only one process writes to it; calls of `sync` run one at a time. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { sql, chain, log, blocks, addresses, epochOf, finality, firstBlock = 0, boundary = noBoundary, random = randomHash } = options;
  const { publish = () => {} } = options;
  const store = new HubStore(sql, random);
  const view = new HubView({ rows: store, blocks, finality, legislature: addresses.LegislativeProcedure });
  const turns = new Mutex();
  let cursor = BEGIN;
  let contracts = new Contracts(addresses);

  /** Reloads what earlier steps wrote, also after a failed step, whose news would otherwise remain in memory. */
  async function load(): Promise<void> {
    cursor = await store.cursor();
    contracts = new Contracts(addresses);
    for (const { address, contract } of await store.contracts()) contracts.add(address, contract);
    view.begin({ cursor, missions: await store.missions(), accounts: await store.accounts() });
  }

  const isOnChain = async ({ number, hash }: BlockMark) => (await chain.mark(number))?.hash === hash;

  /** The last known block that the chain still has. */
  async function commonBlock(): Promise<number> {
    if (cursor.block < 0) return firstBlock - 1;
    // Every turn of the loop asks, and nearly always the newest mark answers.
    const [newest] = await store.marks(1);
    if (newest !== undefined && (await isOnChain(newest))) return newest.number;
    const older = (await store.marks()).slice(1);
    for (const mark of older) if (await isOnChain(mark)) return mark.number;
    throw new ReorgTooDeep(older.at(-1)?.number ?? newest?.number ?? cursor.block);
  }

  /** One transaction's worth of events, or none. `logHead`: later entries wait, so that the chain is always read further than the log. */
  async function step(logHead: number): Promise<void> {
    const common = await commonBlock();
    const head = await chain.head();
    const to = Math.min(head, common + STEP);
    const isHead = to === head;
    const corrected = common < cursor.block ? await store.eventsAfter(common) : [];
    const entries = await entriesUpTo(logHead);
    if (corrected.length === 0 && to <= cursor.block && entries.length === 0 && common === cursor.block) return;
    const before = new Set(contracts.addresses);
    const markFrom = head - finality;
    const batch = to > common ? await chain.read(common + 1, to, contracts, markFrom) : { events: [], marks: [] };
    const last = batch.marks.find(({ number }) => number === to);
    // Records newer than the last block wait for the next blocks.
    const taken = isHead || last === undefined ? entries : entries.slice(0, wholeUntil(entries, last.time));
    const { missions, accounts } = await learnFrom(batch.events);
    const time = corrected.length === 0 ? 0 : ((last ?? (await chain.mark(to)))?.time ?? 0);
    const drafts = [
      ...corrected.map(({ event, parties }) => correctionDraft(event, parties, time, view.registry)),
      ...merged(
        taken.map((entry) => recordDraft(entry, bytesOf(entry), view.registry)),
        batch.events.map((event) => chainDraft(event, view.registry)),
      ),
    ];
    await boundary("hub:read");
    const contractRows = contracts.addresses.flatMap((address) => {
      const contract = contracts.nameOf(address);
      return before.has(address) || contract === undefined ? [] : [{ address, contract }];
    });
    const written: Step = {
      ...{ drafts, missions, accounts, contracts: contractRows, marks: batch.marks },
      keepTo: common < cursor.block ? common : undefined,
      forgetBefore: Math.min(to, markFrom),
      block: to,
      record: taken.at(-1)?.seq ?? cursor.record,
    };
    const events = await store.write(cursor, written, () => boundary("hub:written"));
    const { sequence, hash } = events.at(-1) ?? cursor;
    cursor = { sequence, hash, block: written.block, record: written.record };
    view.advance({ cursor, missions, accounts });
    publish({ cursor, missions, accounts });
    await boundary("hub:committed");
  }

  async function learnFrom(events: readonly ChainEvent[]): Promise<Pick<Step, "missions" | "accounts">> {
    const missions: MissionRow[] = [];
    const accounts: AccountRow[] = [];
    for (const event of events) {
      const learnt = await view.registry.learn(event, epochOf);
      if (learnt.mission !== undefined) missions.push(learnt.mission);
      if (learnt.account !== undefined) accounts.push(learnt.account);
    }
    return { missions, accounts };
  }

  async function entriesUpTo(logHead: number): Promise<readonly LogEntry[]> {
    if (logHead <= cursor.record) return [];
    const entries = await log.read({ after: cursor.record, limit: RECORDS });
    return entries.filter(({ seq }) => seq <= logHead);
  }

  function bytesOf({ content }: LogEntry): Uint8Array | undefined {
    return content !== null && blocks.has(content) ? blocks.get(content) : undefined;
  }

  await load();
  return Object.assign(view, {
    sync: (): Promise<number> =>
      turns.run(async () => {
        let count = 0;
        try {
          const { seq } = await log.head();
          for (;;) {
            const before = cursor;
            await step(seq);
            if (cursor === before) break;
            count += cursor.sequence - before.sequence;
          }
        } catch (error) {
          await load();
          throw error;
        }
        return count;
      }),

    async verify(): Promise<StreamHead> {
      let head: StreamHead = EMPTY_STREAM;
      for (let next: string | null = "s0"; next !== null; ) {
        const page: HubPage = await store.query({ cursor: next, limit: 200 });
        for (const { event } of page.events) {
          if (event.sequence !== head.sequence + 1) throw new StreamBroken(head.sequence + 1, `found entry ${event.sequence} in its place`);
          if (event.prev !== head.hash) throw new StreamBroken(event.sequence, "it does not name the entry before it");
          if (event.payloadSeal !== sealOf(event)) throw new StreamBroken(event.sequence, "its seal is not that of its payload");
          if (event.hash !== eventHash(event)) throw new StreamBroken(event.sequence, "its hash is not that of its fields");
          head = { sequence: event.sequence, hash: event.hash };
        }
        next = page.next;
      }
      if (head.hash !== cursor.hash) throw new StreamBroken(head.sequence, "the stream ends before its cursor");
      return head;
    },

    async retain(months: number, now: number): Promise<number> {
      if (!(months >= MIN_MONTHS)) throw new RetentionTooShort(months, MIN_MONTHS);
      return store.forgetPayloads(now - months * MONTH_MILLIS);
    },
  });
}

function randomHash(): Hash {
  return `0x${randomBytes(32).toString("hex")}`;
}

/** Merges two sorted lists by time; within a second, records come first, since they announce what is about to be sent. */
function merged(records: readonly Drafted[], events: readonly Drafted[]): readonly Drafted[] {
  const all: Drafted[] = [];
  let next = 0;
  for (const event of events) {
    for (let record = records[next]; record !== undefined && record.draft.timestamp <= event.draft.timestamp; record = records[next]) {
      all.push(record);
      next += 1;
    }
    all.push(event);
  }
  return [...all, ...records.slice(next)];
}

/** Number of entries up to this second. */
function wholeUntil(entries: readonly LogEntry[], time: number): number {
  const later = entries.findIndex((entry) => entry.time > time);
  return later === -1 ? entries.length : later;
}
