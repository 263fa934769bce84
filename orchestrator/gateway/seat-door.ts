import type { SeatDesk } from "../city/missions/open-seats.ts";
import { contentIdOf, parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import type { Call } from "../protocol/calls.ts";
import { CALLS, MAX_BLOCK_BYTES } from "../protocol/calls.ts";
import { Refused } from "./errors.ts";
import type { Quotas } from "./quotas.ts";

/** Bytes that one piece of work may bring, and all work of a key in a mission. */
const MAX_SLOT_BYTES = 64 * 1_048_576;
const MAX_MISSION_BYTES = 1_073_741_824;
/** Seconds that a request for calls may wait. */
export const LONGEST_WAIT = 25;
/** Keys that may wait at once. */
const MAX_WAITING = 256;

export interface SeatDoorOptions {
  readonly quotas: Quotas;
  readonly closing: AbortSignal;
}

/** A city's seats as its gateway shows them: who may wait, and how many bytes an agent may bring. */
export class SeatDoor {
  readonly desk: SeatDesk;
  readonly #waiting = new Map<Address, AbortController>();
  readonly #of: SeatDoorOptions;

  constructor(desk: SeatDesk, options: SeatDoorOptions) {
    this.desk = desk;
    this.#of = options;
  }

  /**
   * What this key is asked, within so many seconds. A second request of the same key ends the first; of too many keys, the one that waits
   * longest is told of nothing and asks again. `build`: what asks.
   */
  async callsTo(key: Address, seconds: number, build?: string): Promise<readonly Call[]> {
    this.#waiting.get(key)?.abort();
    this.#waiting.delete(key);
    const [longest] = this.#waiting;
    if (this.#waiting.size >= MAX_WAITING && longest !== undefined) {
      longest[1].abort();
      this.#waiting.delete(longest[0]);
    }
    const end = new AbortController();
    this.#waiting.set(key, end);
    try {
      const over = [end.signal, this.#of.closing, AbortSignal.timeout(1_000 * Math.min(seconds, LONGEST_WAIT))];
      return await this.desk.mailbox.callsTo(key, AbortSignal.any(over), build);
    } finally {
      if (this.#waiting.get(key) === end) this.#waiting.delete(key);
    }
  }

  /** Keeps bytes that an open question of this key needs. Throws NothingAsked, QuotaExceeded. */
  async bring(key: Address, call: Hash, bytes: Uint8Array): Promise<ContentId> {
    const mission = this.#missionOf(key, call);
    if (bytes.length > MAX_BLOCK_BYTES) throw new Refused("BodyTooLarge", `A block holds ${MAX_BLOCK_BYTES} bytes at most`);
    const id = contentIdOf(bytes);
    // What this key brought before costs nothing: a client whose connection broke comes again. What others brought costs as much as what nobody did.
    if (await this.desk.mailbox.hasBrought(key, id)) return id;
    const work = { subject: call, most: MAX_SLOT_BYTES };
    const exhausted = await this.#of.quotas.take(key, bytes.length, [work, { subject: mission, most: MAX_MISSION_BYTES }]);
    if (exhausted !== undefined)
      throw new Refused("QuotaExceeded", `No more than ${exhausted.most} bytes are taken here`, {
        details: exhausted === work ? "for one piece of work" : "for all work of a key in a mission",
      });
    await this.desk.store.put(bytes);
    await this.desk.mailbox.brought(key, id);
    return id;
  }

  /** A block that a question gave to this key. Throws NotFound: an id that one may not read is answered as an unknown one. */
  async block(key: Address, id: string): Promise<Uint8Array> {
    if (!this.desk.mailbox.mayRead(key, id)) throw new Refused("NotFound", `No block ${id.slice(0, 100)} is here to be read by this key`);
    return this.desk.store.get(parseContentId(id));
  }

  #missionOf(key: Address, id: Hash): Address {
    const open = this.desk.mailbox.openTo(key).find((call) => call.id === id && call.kind === "perform");
    if (open === undefined) throw new Refused("NothingAsked", "No open question of this key asks for an output");
    return CALLS.perform.request.parse(open.payload).mission;
  }
}
