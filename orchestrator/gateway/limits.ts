import { z } from "zod";
import { keepNewest } from "../primitives/recent.ts";
import { Refused } from "./errors.ts";

const positive = z.int().positive();
/** Limits for clients of a gateway. */
export const limitsSchema = z.strictObject({
  /** Maximum size of a body, bytes. */
  body: positive,
  /** Cost that an address may spend at once, and regains per second. */
  burst: positive,
  perSecond: positive,
  /** Concurrent and queued requests. */
  atOnce: positive,
  waiting: positive,
  connections: positive,
  connectionsEach: positive,
  /** Time limits for a client's headers, and for a whole request, seconds. */
  headersWithin: positive,
  requestWithin: positive,
  /** Concurrent uploads of bodies beyond `body`: in all, and per address. */
  largeBodies: positive,
  largeBodiesEach: positive,
  /** Live streams per address. */
  streams: positive,
});
export type GatewayLimits = Readonly<z.output<typeof limitsSchema>>;

export const LIMITS: GatewayLimits = {
  body: 65_536,
  burst: 400,
  perSecond: 100,
  atOnce: 32,
  waiting: 512,
  connections: 2_048,
  connectionsEach: 512,
  headersWithin: 10,
  requestWithin: 20,
  largeBodies: 32,
  largeBodiesEach: 4,
  streams: 100,
};

/** Number of addresses remembered; a forgotten one has its full allowance. */
const REMEMBERED = 20_000;

/** Rate limits by address. */
export class Allowances {
  readonly #limits: Pick<GatewayLimits, "burst" | "perSecond">;
  readonly #left = new Map<string, { readonly left: number; readonly at: number }>();

  constructor(limits: Pick<GatewayLimits, "burst" | "perSecond">) {
    this.#limits = limits;
  }

  /** Throws TooManyRequests. `now`: milliseconds. */
  spend(address: string, cost: number, now: number): void {
    const { burst, perSecond } = this.#limits;
    const before = this.#left.get(address);
    const left = Math.min(burst, before === undefined ? burst : before.left + ((now - before.at) * perSecond) / 1_000);
    keepNewest(this.#left, address, { left: left < cost ? left : left - cost, at: now }, REMEMBERED);
    if (left < cost) {
      const wait = Math.ceil((cost - left) / perSecond);
      const action = `wait ${wait} s, or request larger pages`;
      throw new Refused("TooManyRequests", "This address exceeded its rate limit", { action, retryAfter: wait });
    }
  }
}
