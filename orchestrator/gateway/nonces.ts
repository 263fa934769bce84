import { together } from "../primitives/together.ts";
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

export function openNonces(sql: Pick<Sql, "query">): Nonces {
  let purged = 0;
  /** Those that arrive while others are written are written together; whether each was new. */
  const write = together(async (all: readonly SignedBy[]) => {
    const rows = await sql.query(
      `INSERT INTO gateway_nonces (key, nonce, expires) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
       ON CONFLICT DO NOTHING RETURNING key, nonce`,
      [all.map(({ key }) => key), all.map(({ nonce }) => nonce), all.map(({ expires }) => expires)],
    );
    const fresh = new Set(rows.map(({ key, nonce }) => `${key} ${nonce}`));
    // Of two that came together, the first was.
    return all.map(({ key, nonce }) => fresh.delete(`${key} ${nonce}`));
  });
  return {
    async consume(by, now) {
      if (now - purged > KEPT) {
        purged = now;
        await sql.query("DELETE FROM gateway_nonces WHERE expires < $1", [now - KEPT]);
      }
      if (!(await write(by)))
        throw new Refused("SignatureReplayed", "This signature was used before", { action: "sign again with a new nonce" });
    },
  };
}
