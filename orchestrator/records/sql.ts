import type pg from "pg";
import { messageOf } from "../primitives/errors.ts";
import { sha256 } from "../primitives/hash.ts";
import { RecordsDamaged } from "./errors.ts";

/** A row as the driver returns it; each store parses its own. */
export type Row = Readonly<Record<string, unknown>>;

/** The subset of SQL access that the stores need. Postgres dialect, `$1` parameters. */
export interface Sql {
  query(text: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Runs `work` in a transaction. Inside, use only the given `sql`: the outer one may wait for this very transaction. Within a transaction
   * it joins that transaction.
   */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
}

/** Sql over a pool of connections; `where` names the database in errors. */
export function sqlOver(pool: pg.Pool, where: string): Sql {
  const named = (error: unknown) => asDamage(error, where);
  return {
    query: (text, parameters) =>
      run(pool, text, parameters).catch((error: unknown) => {
        throw named(error);
      }),
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
        throw named(error);
      } finally {
        client.release(isBroken);
      }
    },
  };
}

/** The same database, with every write delayed until `ready` has returned, so that no row refers to a block that is not on disk yet. */
export function sqlAfter(ready: () => Promise<void>, sql: Sql): Sql {
  return {
    async query(text, parameters) {
      if (!text.startsWith("SELECT")) await ready();
      return sql.query(text, parameters);
    },
    transaction: (work) =>
      sql.transaction(async (within) => {
        const result = await work(within);
        await ready();
        return result;
      }),
  };
}

const UNIQUE_VIOLATION = "23505";

/** Whether an error is a unique violation. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}

/** SQLSTATE classes of a database that cannot read its own files: internal error, system error, configuration file error. */
const DAMAGE = /^(XX|58|F0)/;

/** Converts a query's error to RecordsDamaged if the database's files are at fault. */
export function asDamage(error: unknown, where: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // PGlite fails like this when Postgres aborted.
  const isAborted = error.name === "RuntimeError" || error.name === "ExitStatus";
  return DAMAGE.test(code) || isAborted ? new RecordsDamaged(where, messageOf(error), error) : error;
}

function within(client: pg.PoolClient): Sql {
  const sql: Sql = {
    query: (text, parameters) => run(client, text, parameters),
    transaction: (work) => work(sql),
  };
  return sql;
}

/** A statement with parameters is prepared once per connection: it is sent under a name, and later by that name alone. */
async function run(target: pg.Pool | pg.PoolClient, text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
  const named = parameters.length === 0 ? {} : { name: sha256(new TextEncoder().encode(text)).slice(2, 34) };
  const { rows } = await target.query<Record<string, unknown>>({ text, values: [...parameters], ...named });
  return rows;
}
