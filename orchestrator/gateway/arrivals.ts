import { Refused } from "./errors.ts";

/** Bytes a second below which a body is slow, once it has had this many milliseconds. */
const SLOW = 65_536;
const PATIENCE = 2_000;

interface Arrival {
  readonly party: string;
  readonly since: number;
  bytes: number;
  readonly stop: (reason: Refused) => void;
}

/** A large body on its way in. */
export interface Arriving {
  /** Counts what came. */
  came(bytes: number): void;
  /** Rejects when its place is given to another. */
  readonly stopped: Promise<never>;
  /** Gives the place back. */
  leave(): void;
}

/**
 * Places of large bodies: so many in all, so many of each party. Nobody holds them by sending slowly or by sending much: where all are taken,
 * a newcomer has the place of a slow body, else of one of a party that would still hold no fewer than the newcomer.
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

  /** Throws GatewayBusy where no place can be had. */
  enter(party: string): Arriving {
    if (this.#of(party).length >= this.#each) this.#makeRoom(this.#slowestOf(this.#of(party).filter((each) => this.#isSlow(each))));
    else if (this.#arriving.size >= this.#all) this.#makeRoom(this.#slowestOf(this.#displaceable(party)));
    const { promise, reject } = Promise.withResolvers<never>();
    // Nobody may be reading when it is stopped.
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
    if (leaving === undefined) throw busy("Enough large bodies are on their way in");
    this.#arriving.delete(leaving);
    leaving.stop(
      this.#isSlow(leaving)
        ? new Refused("BodyTooSlow", `A large body comes at ${SLOW} bytes a second at least while others wait for its place`)
        : busy("Others with fewer bodies on their way in needed the place"),
    );
  }

  /** Whose place a newcomer may have: slow ones', and those of whoever holds at least two more than the newcomer. */
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
