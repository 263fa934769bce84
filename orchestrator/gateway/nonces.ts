import type { Address } from "../primitives/hex.ts";
import type { Sql } from "../records/sql.ts";
import { Refused } from "./errors.ts";
import type { SignedBy } from "./http-signature.ts";

/** Every signature is good once, also after a restart: nonces are kept until long after their signatures have expired. */
export interface Nonces {
  /** Throws SignatureReplayed. `now`: unix seconds. */
  consume(by: SignedBy, now: number): Promise<void>;
}

/** Seconds that a nonce is kept after its signature expired. */
const KEPT = 120;

export function openNonces(sql: Sql): Nonces {
  let purged = 0;
  return {
    async consume({ key, nonce, expires }, now) {
      if (now - purged > KEPT) {
        purged = now;
        await sql.query("DELETE FROM gateway_nonces WHERE expires < $1", [now - KEPT]);
      }
      const written = await sql.query(
        "INSERT INTO gateway_nonces (key, nonce, expires) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING key",
        [key satisfies Address, nonce, expires],
      );
      if (written.length === 0)
        throw new Refused("SignatureReplayed", "This signature was used before", { action: "sign again with a new nonce" });
    },
  };
}
