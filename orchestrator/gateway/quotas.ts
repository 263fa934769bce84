import type { Address } from "../primitives/hex.ts";
import type { Sql } from "../records/sql.ts";

/** A subject of a key's quota, and the bytes that it has in all. */
export interface Quota {
  /** What the bytes are for: a question, or a mission. */
  readonly subject: string;
  readonly most: number;
}

/** Bytes that keys have brought, in the city's records: a restart gives nobody a second allowance. */
export interface Quotas {
  /** Takes so many bytes from all of these quotas, or from none. Returns the first that has too little left, or undefined. */
  take(key: Address, bytes: number, quotas: readonly Quota[]): Promise<Quota | undefined>;
}

/** The quota that has too little left. */
class Exhausted extends Error {
  readonly quota: Quota;
  constructor(quota: Quota) {
    super(quota.subject);
    this.quota = quota;
  }
}

export function openQuotas(sql: Sql): Quotas {
  return {
    async take(key, bytes, quotas) {
      try {
        await sql.transaction(async (within) => {
          for (const quota of quotas) {
            const taken = await within.query(
              `INSERT INTO gateway_quotas AS q (key, subject, bytes) SELECT $1, $2, $3::bigint WHERE $3::bigint <= $4::bigint
               ON CONFLICT (key, subject) DO UPDATE SET bytes = q.bytes + excluded.bytes WHERE q.bytes + excluded.bytes <= $4::bigint
               RETURNING key`,
              [key, quota.subject, bytes, quota.most],
            );
            if (taken.length === 0) throw new Exhausted(quota);
          }
        });
        return undefined;
      } catch (error) {
        if (error instanceof Exhausted) return error.quota;
        throw error;
      }
    },
  };
}
