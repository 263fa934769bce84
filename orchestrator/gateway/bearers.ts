import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type Address, bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { Refused } from "./errors.ts";
import { toAddress } from "./wire.ts";

/** Validity of a bearer token, seconds. */
export const BEARER_LIFE = 900;
const MAC_BYTES = 16;
const KEY_BYTES = 20;
const SAYS_BYTES = KEY_BYTES + 4;

/**
 * Sessions of keys: a token states its key and expiry, authenticated by a secret that ends with the process. No state is kept, so that
 * opening many sessions cannot end those of others.
 */
export class Bearers {
  readonly #secret = randomBytes(32);

  /** `now`: unix seconds. */
  open(key: Address, now: number): { readonly bearer: string; readonly expires: number } {
    const expires = now + BEARER_LIFE;
    const says = Buffer.alloc(SAYS_BYTES);
    says.set(hexToBytes(key));
    says.writeUInt32BE(expires, KEY_BYTES);
    return { bearer: Buffer.concat([says, this.#macOf(says)]).toString("base64url"), expires };
  }

  /** Throws BearerUnknown. */
  keyOf(authorization: string, now: number): Address {
    const [, text = ""] = /^Bearer ([A-Za-z0-9_-]{1,64})$/.exec(authorization) ?? [];
    const bytes = Buffer.from(text, "base64url");
    const [says, mac] = [bytes.subarray(0, SAYS_BYTES), bytes.subarray(SAYS_BYTES)];
    const isOurs = mac.length === MAC_BYTES && timingSafeEqual(mac, this.#macOf(says));
    if (isOurs && says.readUInt32BE(KEY_BYTES) > now) return toAddress(bytesToHex(says.subarray(0, KEY_BYTES)));
    throw new Refused("BearerUnknown", "The bearer is unknown or has expired", {
      action: "open a session again: POST /v1/session, signed",
    });
  }

  #macOf(says: Uint8Array): Buffer {
    return createHmac("sha256", this.#secret).update(says).digest().subarray(0, MAC_BYTES);
  }
}
