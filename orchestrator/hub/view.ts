import { z } from "zod";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import type { Blocks } from "../records/blocks.ts";
import { BlockDamaged } from "../records/errors.ts";
import type { HubEvent } from "./event.ts";
import { cursorAfter, type Followed, type HubFilter, type HubQuery, limitOf, MAX_PAGE, passes } from "./query.ts";
import { accountRowSchema, type MissionRow, missionRowSchema, Registry } from "./registry.ts";
import { BEGIN, cursorSchema, type Found, type HubCursor, type HubPage, type HubRows } from "./store.ts";

/** An event as the hub returns it. */
export interface StreamEvent extends HubEvent {
  /** No reorganization is expected to invalidate it. */
  readonly isFinal: boolean;
  /** A reorganization invalidated it; a later entry says so. */
  readonly isCorrected: boolean;
}

/** Whether an event's payload is withheld from the reader, and so excluded from text searches. */
export type Withholding = (event: StreamEvent) => Promise<boolean>;

/** How long a payload is withheld from readers without a part in its mission. */
export type Secrecy = "open" | "until its mission is over" | "for ever";

/** Read access to the Logging Hub. */
export interface HubReads {
  /** One page. With `text` it may end early, even empty, if many blocks had to be read: continue with `next`. */
  query(query: HubQuery, isWithheld?: Withholding): Promise<{ readonly events: readonly StreamEvent[]; readonly next: string | null }>;
  event(id: Hash): Promise<StreamEvent | undefined>;
  /** The bytes of a payload, from the hub or the city's blocks; undefined if neither holds them. */
  payload(cid: ContentId): Promise<Uint8Array | undefined>;
  /** The same for several payloads; missing ones are left out. */
  payloads(cids: readonly ContentId[]): Promise<ReadonlyMap<ContentId, Uint8Array>>;
  /** Every event after this position that matches the filter, then new ones as they happen, until `signal` aborts. */
  follow(after: number, filter: HubFilter, signal: AbortSignal, isWithheld?: Withholding): AsyncGenerator<StreamEvent>;
  /** How far chain, log and stream were read. */
  cursor(): HubCursor;
  /** The paper's missionId of a mission's contract, or of a session. */
  missionAt(address: Address): MissionRow | undefined;
  sessionNumbered(session: string): MissionRow | undefined;
  missionWithId(id: Hash): MissionRow | undefined;
  /** The first events with this payload. */
  eventsWithPayload(cid: ContentId): Promise<readonly StreamEvent[]>;
  principalOf(account: Address): Address | undefined;
}

/** A step of the stream: its new end, and new missions and accounts. */
export const hubNewsSchema = z.strictObject({
  cursor: cursorSchema,
  missions: z.array(missionRowSchema).readonly(),
  accounts: z.array(accountRowSchema).readonly(),
});
export type HubNews = z.output<typeof hubNewsSchema>;

export interface HubViewOptions {
  readonly rows: HubRows;
  readonly blocks: Pick<Blocks, "has" | "get">;
  /** Blocks above a block that make it final. */
  readonly finality: number;
  readonly legislature: Address;
}

/** Maximum number of events of one step that followers share. */
const SHARED = 1_000;

/** The last step of the stream, read once for all followers. */
interface LastStep {
  readonly after: number;
  readonly events: () => Promise<readonly (Omit<Followed, "event"> & { readonly event: StreamEvent })[]>;
}

/** Reads the stream, in the hub that writes it or in another thread that receives its steps. */
export class HubView implements HubReads {
  readonly #of: HubViewOptions;
  #cursor = BEGIN;
  #registry: Registry;
  #news = Promise.withResolvers<void>();
  #last: LastStep | undefined;

  constructor(options: HubViewOptions) {
    this.#of = options;
    this.#registry = new Registry(options.legislature, [], []);
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Restarts from this state. */
  begin({ cursor, missions, accounts }: HubNews): void {
    this.#registry = new Registry(this.#of.legislature, missions, accounts);
    this.#cursor = cursor;
    this.#last = undefined;
  }

  /** Applies one step and wakes followers. */
  advance({ cursor, missions, accounts }: HubNews): void {
    const after = this.#cursor.sequence;
    this.#registry.add(missions, accounts);
    this.#cursor = cursor;
    if (cursor.sequence <= after) return;
    this.#last = cursor.sequence - after > SHARED ? undefined : this.#step(after, cursor.sequence);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  state(): HubNews {
    return { cursor: this.#cursor, missions: this.#registry.missions(), accounts: this.#registry.accounts() };
  }

  async query(asked: HubQuery, isWithheld: Withholding = nothingWithheld) {
    const { events, next } = await this.#page(asked, isWithheld);
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

  async *follow(
    after: number,
    filter: HubFilter,
    signal: AbortSignal,
    isWithheld: Withholding = nothingWithheld,
  ): AsyncGenerator<StreamEvent> {
    const ended = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    for (let last = after; !signal.aborted; ) {
      // Taken before reading, so that news during the read are not missed.
      const { promise } = this.#news;
      const head = this.#cursor.sequence;
      const page = await this.#following(filter, last, isWithheld);
      for (const event of page) {
        if (signal.aborted) return;
        yield event;
        last = event.sequence;
      }
      if (page.length > 0) continue;
      last = Math.max(last, head);
      await Promise.race([promise, ended]);
    }
  }

  /** The next matching events after this position. Followers that lack only the last step share its read. */
  async #following(filter: HubFilter, after: number, isWithheld: Withholding): Promise<readonly StreamEvent[]> {
    const last = this.#last;
    if (last === undefined || after < last.after || filter.text !== undefined) {
      const page = await followed((query) => this.#page(query, isWithheld), filter, after);
      return page.map((found) => this.#seen(found));
    }
    const events = await last.events();
    return events.flatMap((each) => (each.event.sequence > after && passes(filter, each) ? [each.event] : []));
  }

  #step(after: number, to: number): LastStep {
    let asked: ReturnType<LastStep["events"]> | undefined;
    const ask = async () => (await this.#of.rows.step(after, to)).map((found) => ({ ...found, event: this.#seen(found) }));
    return {
      after,
      events: () => {
        asked ??= ask();
        // A failed read is repeated by the next follower.
        asked.catch(() => {
          asked = undefined;
        });
        return asked;
      },
    };
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

  /** A page of rows; payloads in blocks are searched here. */
  async #page(asked: HubQuery, isWithheld: Withholding): Promise<HubPage> {
    const { rows } = this.#of;
    if (asked.text === undefined) return rows.query(asked);
    const text = asked.text.toLowerCase();
    const events: Found[] = [];
    let left = MAX_READ;
    for (let { cursor } = asked; ; ) {
      const page = await rows.query({ ...asked, cursor, limit: MAX_PAGE });
      for (const [place, found] of page.events.entries()) {
        if (!found.isInBlock) events.push(found);
        else {
          const payload = (await isWithheld(this.#seen(found))) ? "" : this.#textOf(found.event.payloadCid);
          if (payload.toLowerCase().includes(text)) events.push(found);
          left -= COST_OF_BLOCK + payload.length;
        }
        const isLast = page.next === null && place === page.events.length - 1;
        if (!isLast && (events.length === limitOf(asked) || left < 0)) return { events, next: cursorAfter(asked, found.event) };
      }
      if (page.next === null) return { events, next: null };
      cursor = page.next;
    }
  }

  /** Empty for a missing or damaged block, so that a search continues. */
  #textOf(cid: ContentId): string {
    const { blocks } = this.#of;
    try {
      return blocks.has(cid) ? new TextDecoder().decode(blocks.get(cid)) : "";
    } catch (error) {
      if (error instanceof BlockDamaged) return "";
      throw error;
    }
  }

  #seen({ event, isCorrected }: Found): StreamEvent {
    return {
      ...event,
      isFinal: event.blockNumber === 0 || event.blockNumber <= this.#cursor.block - this.#of.finality,
      isCorrected,
    };
  }
}

const nothingWithheld: Withholding = async () => false;

/** Characters of blocks read per query, the last block whole; each block lookup adds some. */
const MAX_READ = 8_000_000;
const COST_OF_BLOCK = 4_000;

/** The next events of the stream after this position, in stream order whatever the filter. */
async function followed(query: (asked: HubQuery) => Promise<HubPage>, filter: HubFilter, after: number): Promise<readonly Found[]> {
  const { fromTime = 0, toTime = Number.MAX_SAFE_INTEGER, fromBlock, toBlock, ...rest } = filter;
  const isByBlock = fromBlock !== undefined || toBlock !== undefined;
  for (let cursor = `s${after}`; ; ) {
    const { events, next } = await query({ ...rest, cursor });
    const passing = events.filter(({ event: { timestamp, blockNumber } }) => {
      if (timestamp < fromTime || timestamp > toTime) return false;
      return !isByBlock || (blockNumber >= Math.max(1, fromBlock ?? 1) && blockNumber <= (toBlock ?? Number.MAX_SAFE_INTEGER));
    });
    if (passing.length > 0 || next === null) return passing;
    cursor = next;
  }
}
