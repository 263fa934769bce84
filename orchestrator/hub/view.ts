import { z } from "zod";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import type { Blocks } from "../records/blocks.ts";
import type { HubEvent } from "./event.ts";
import type { HubFilter, HubQuery } from "./query.ts";
import { accountRowSchema, type MissionRow, missionRowSchema, Registry } from "./registry.ts";
import { BEGIN, cursorSchema, type Found, type HubCursor, type HubRows } from "./store.ts";

/** An event as the hub hands it out. */
export interface StreamEvent extends HubEvent {
  /** No reorganization is expected to make it untrue. */
  readonly isFinal: boolean;
  /** One did: a later entry says so. */
  readonly isCorrected: boolean;
}

/** What there is to read of the Logging Hub. */
export interface HubReads {
  query(query: HubQuery): Promise<{ readonly events: readonly StreamEvent[]; readonly next: string | null }>;
  event(id: Hash): Promise<StreamEvent | undefined>;
  /** The bytes behind a payload id, from the hub or the city's blocks; undefined when neither holds them. */
  payload(cid: ContentId): Promise<Uint8Array | undefined>;
  /** The same for several at once; those that neither holds are left out. */
  payloads(cids: readonly ContentId[]): Promise<ReadonlyMap<ContentId, Uint8Array>>;
  /** Every event after this place that passes the filter, and then each as it happens, until `signal` is aborted. */
  follow(after: number, filter: HubFilter, signal: AbortSignal): AsyncGenerator<StreamEvent>;
  /** Where chain, log and stream were read to. */
  cursor(): HubCursor;
  /** The paper's missionId of a mission's contract, or of a session. */
  missionAt(address: Address): MissionRow | undefined;
  sessionNumbered(session: string): MissionRow | undefined;
  missionWithId(id: Hash): MissionRow | undefined;
  /** The first events whose payload this is. */
  eventsWithPayload(cid: ContentId): Promise<readonly StreamEvent[]>;
  principalOf(account: Address): Address | undefined;
}

/** A step of the stream: where it stands since, and what it made known of missions and accounts. */
export const hubNewsSchema = z.strictObject({
  cursor: cursorSchema,
  missions: z.array(missionRowSchema).readonly(),
  accounts: z.array(accountRowSchema).readonly(),
});
export type HubNews = z.output<typeof hubNewsSchema>;

export interface HubViewOptions {
  readonly rows: HubRows;
  readonly blocks: Pick<Blocks, "has" | "get">;
  /** So many blocks above a block make it final. */
  readonly finality: number;
  readonly legislature: Address;
}

/** The stream as it is read: by the hub that writes it, or in another thread that receives each of its steps. */
export class HubView implements HubReads {
  readonly #of: HubViewOptions;
  #cursor = BEGIN;
  #registry: Registry;
  #news = Promise.withResolvers<void>();

  constructor(options: HubViewOptions) {
    this.#of = options;
    this.#registry = new Registry(options.legislature, [], []);
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Begins here, whatever it held before. */
  begin({ cursor, missions, accounts }: HubNews): void {
    this.#registry = new Registry(this.#of.legislature, missions, accounts);
    this.#cursor = cursor;
  }

  /** One step further; whoever follows looks again. */
  advance({ cursor, missions, accounts }: HubNews): void {
    const isLonger = cursor.sequence > this.#cursor.sequence;
    this.#registry.add(missions, accounts);
    this.#cursor = cursor;
    if (!isLonger) return;
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  state(): HubNews {
    return { cursor: this.#cursor, missions: this.#registry.missions(), accounts: this.#registry.accounts() };
  }

  async query(asked: HubQuery) {
    const { events, next } = await this.#of.rows.query(asked);
    return { events: events.map((found) => this.#seen(found)), next };
  }

  async event(id: Hash): Promise<StreamEvent | undefined> {
    const found = await this.#of.rows.event(id);
    return found === undefined ? undefined : this.#seen(found);
  }

  async payload(cid: ContentId): Promise<Uint8Array | undefined> {
    return (await this.payloads([cid])).get(cid);
  }

  async payloads(cids: readonly ContentId[]): Promise<ReadonlyMap<ContentId, Uint8Array>> {
    const { rows, blocks } = this.#of;
    const own = await rows.payloads(cids);
    const found = new Map<ContentId, Uint8Array>();
    for (const cid of cids) {
      const text = own.get(cid);
      if (text !== undefined) found.set(cid, new TextEncoder().encode(text));
      else if (blocks.has(cid)) found.set(cid, blocks.get(cid));
    }
    return found;
  }

  async *follow(after: number, filter: HubFilter, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const ended = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    for (let last = after; !signal.aborted; ) {
      // Taken before the page is read: what comes meanwhile is not slept through.
      const { promise } = this.#news;
      const page = await followed(this.#of.rows, filter, last);
      for (const found of page) {
        if (signal.aborted) return;
        yield this.#seen(found);
        last = found.event.sequence;
      }
      if (page.length === 0) await Promise.race([promise, ended]);
    }
  }

  cursor(): HubCursor {
    return this.#cursor;
  }

  missionAt(address: Address): MissionRow | undefined {
    return this.#registry.missionAt(address);
  }

  sessionNumbered(session: string): MissionRow | undefined {
    return this.#registry.sessionNumbered(session);
  }

  missionWithId(id: Hash): MissionRow | undefined {
    return this.#registry.withId(id);
  }

  async eventsWithPayload(cid: ContentId): Promise<readonly StreamEvent[]> {
    return (await this.#of.rows.eventsWithPayload(cid)).map((found) => this.#seen(found));
  }

  principalOf(account: Address): Address | undefined {
    return this.#registry.principalOf(account);
  }

  #seen({ event, isCorrected }: Found): StreamEvent {
    return {
      ...event,
      isFinal: event.blockNumber === 0 || event.blockNumber <= this.#cursor.block - this.#of.finality,
      isCorrected,
    };
  }
}

/** The next events of the stream after this place, in the stream's order whatever the filter. */
async function followed(rows: HubRows, filter: HubFilter, after: number): Promise<readonly Found[]> {
  const { fromTime = 0, toTime = Number.MAX_SAFE_INTEGER, fromBlock, toBlock, ...rest } = filter;
  const isByBlock = fromBlock !== undefined || toBlock !== undefined;
  for (let cursor = `s${after}`; ; ) {
    const { events, next } = await rows.query({ ...rest, cursor });
    const passing = events.filter(({ event: { timestamp, blockNumber } }) => {
      if (timestamp < fromTime || timestamp > toTime) return false;
      return !isByBlock || (blockNumber >= Math.max(1, fromBlock ?? 1) && blockNumber <= (toBlock ?? Number.MAX_SAFE_INTEGER));
    });
    if (passing.length > 0 || next === null) return passing;
    cursor = next;
  }
}
