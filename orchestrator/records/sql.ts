import type pg from "pg";

/** One row as the driver gives it; each store parses its own. */
export type Row = Readonly<Record<string, unknown>>;

/** The little of SQL that the stores need. Postgres dialect, `$1` parameters. */
export interface Sql {
  query(text: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * All or nothing. Inside `work` use the given `sql` only: the outer one may wait for this very transaction.
   * Within a transaction it joins that transaction.
   */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
}

/** Sql over a pool of connections. */
export function sqlOver(pool: pg.Pool): Sql {
  return {
    query: (text, parameters) => run(pool, text, parameters),
    async transaction(work) {
      const client = await pool.connect();
      let isBroken = false;
      try {
        await client.query("BEGIN");
        const result = await work(within(client));
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {
          isBroken = true;
        });
        throw error;
      } finally {
        client.release(isBroken);
      }
    },
  };
}

function within(client: pg.PoolClient): Sql {
  const sql: Sql = {
    query: (text, parameters) => run(client, text, parameters),
    transaction: (work) => work(sql),
  };
  return sql;
}

async function run(target: pg.Pool | pg.PoolClient, text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
  const { rows } = await target.query<Record<string, unknown>>(text, [...parameters]);
  return rows;
}
