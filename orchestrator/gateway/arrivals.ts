import { Refused } from "./errors.ts";

/** Minimum upload rate of a body, bytes per second, after this grace period, milliseconds. */
const SLOW = 65_536;
const PATIENCE = 2_000;

interface Arrival {
  readonly party: string;
  readonly since: number;
  bytes: number;
  readonly stop: (reason: Refused) => void;
}

/** A large body being uploaded. */
export interface Arriving {
  /** Counts received bytes. */
  came(bytes: number): void;
  /** Rejects when its place is given to another. */
  readonly stopped: Promise<never>;
  /** Releases the place. */
  leave(): void;
}

/**
 * Limits concurrent large uploads, in all and per party. No party can hold places by sending slowly or much: when all are taken, a newcomer
 * displaces a slow upload, otherwise one of a party that would still hold no fewer than the newcomer.
 */
export class Arrivals {
  readonly #all: number;
  readonly #each: number;
  readonly #millis: () => number;
  readonly #arriving = new Set<Arrival>();

  constructor(all: number, each: number, millis: () => number) {
    this.#all = all;
    this.#each = each;
    this.#millis = millis;
  }

  /** Throws GatewayBusy if no place is available. */
  enter(party: string): Arriving {
    if (this.#of(party).length >= this.#each) this.#makeRoom(this.#slowestOf(this.#of(party).filter((each) => this.#isSlow(each))));
    else if (this.#arriving.size >= this.#all) this.#makeRoom(this.#slowestOf(this.#displaceable(party)));
    const { promise, reject } = Promise.withResolvers<never>();
    // It may be stopped while no one is reading.
    promise.catch(() => {});
    const arrival: Arrival = { party, since: this.#millis(), bytes: 0, stop: reject };
    this.#arriving.add(arrival);
    return {
      came: (bytes) => {
        arrival.bytes += bytes;
      },
      stopped: promise,
      leave: () => void this.#arriving.delete(arrival),
    };
  }

  #makeRoom(leaving: Arrival | undefined): void {
    if (leaving === undefined) throw busy("Too many large uploads are in progress");
    this.#arriving.delete(leaving);
    leaving.stop(
      this.#isSlow(leaving)
        ? new Refused("BodyTooSlow", `A large upload must send at least ${SLOW} bytes per second while others are waiting`)
        : busy("The place was given to a party with fewer uploads"),
    );
  }

  /** Uploads that a newcomer may displace: slow ones, and those of parties with at least two more than the newcomer. */
  #displaceable(party: string): readonly Arrival[] {
    const all = [...this.#arriving];
    const slow = all.filter((each) => this.#isSlow(each));
    if (slow.length > 0) return slow;
    const held = (of: string) => this.#of(of).length;
    const most = Math.max(...all.map((each) => held(each.party)));
    return most > held(party) + 1 ? all.filter((each) => held(each.party) === most) : [];
  }

  #of(party: string): readonly Arrival[] {
    return [...this.#arriving].filter((each) => each.party === party);
  }

  #isSlow(arrival: Arrival): boolean {
    return this.#millis() - arrival.since >= PATIENCE && this.#rate(arrival) < SLOW;
  }

  #slowestOf(arrivals: readonly Arrival[]): Arrival | undefined {
    return arrivals.toSorted((a, b) => this.#rate(a) - this.#rate(b))[0];
  }

  /** Bytes a second. */
  #rate({ since, bytes }: Arrival): number {
    return (bytes * 1_000) / Math.max(1, this.#millis() - since);
  }
}

export const busy = (problem: string) => new Refused("GatewayBusy", problem, { action: "try again in a few seconds", retryAfter: 2 });
