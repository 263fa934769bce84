import { randomBytes } from "node:crypto";
import type { Address } from "../primitives/hex.ts";
import { Refused } from "./errors.ts";

/** Seconds that a bearer is good. */
export const BEARER_LIFE = 900;
/** Beyond so many the oldest end early. */
const MOST = 10_000;

/** Sessions of keys: opaque, in memory, gone with the process. */
export class Bearers {
  readonly #sessions = new Map<string, { readonly key: Address; readonly expires: number }>();

  /** `now`: unix seconds. */
  open(key: Address, now: number): { readonly bearer: string; readonly expires: number } {
    const bearer = randomBytes(32).toString("base64url");
    const expires = now + BEARER_LIFE;
    this.#sessions.set(bearer, { key, expires });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST && oldest !== undefined) this.#sessions.delete(oldest);
    return { bearer, expires };
  }

  /** Throws BearerUnknown. */
  keyOf(authorization: string, now: number): Address {
    const [, bearer = ""] = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization) ?? [];
    const session = this.#sessions.get(bearer);
    if (session !== undefined && session.expires > now) return session.key;
    this.#sessions.delete(bearer);
    throw new Refused("BearerUnknown", "The bearer is unknown or has expired", {
      action: "open a session again: POST /v1/session, signed",
    });
  }
}
