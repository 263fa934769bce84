import { z } from "zod";
import { Refused } from "./errors.ts";

const positive = z.int().positive();
/** What strangers may take of a gateway. */
export const limitsSchema = z.strictObject({
  /** Bytes of a body. */
  body: positive,
  /** Cost that an address may spend at once, and regains each second. */
  burst: positive,
  perSecond: positive,
  /** Requests answered side by side, and waiting. */
  atOnce: positive,
  waiting: positive,
  connections: positive,
  connectionsEach: positive,
  /** Seconds that a client may take for its headers, and for a whole request. */
  headersWithin: positive,
  requestWithin: positive,
  /** Bodies beyond `body` on their way in at once: in all, and of one address. */
  largeBodies: positive,
  largeBodiesEach: positive,
  /** Live streams of one address. */
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

/** Addresses remembered; a full allowance is what a forgotten one has. */
const REMEMBERED = 20_000;

/** One allowance for each address. */
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
    this.#left.delete(address);
    this.#left.set(address, { left: left < cost ? left : left - cost, at: now });
    const [oldest] = this.#left.keys();
    if (this.#left.size > REMEMBERED && oldest !== undefined) this.#left.delete(oldest);
    if (left < cost) {
      const wait = Math.ceil((cost - left) / perSecond);
      const action = `wait ${wait} s, or ask for larger pages`;
      throw new Refused("TooManyRequests", "This address asks too much at once", { action, retryAfter: wait });
    }
  }
}
