import type { Sql } from "../../orchestrator/records/sql.ts";

/** The process is gone: whatever it was about to do next never happens. */
class Killed extends Error {}

/** A process's way to the records, which dies at the `at`-th statement, before it or just after it, and from then on does nothing. */
function dyingSql(sql: Sql, at: number, when: "before" | "after"): { readonly sql: Sql; readonly reached: () => boolean } {
  let count = 0;
  const wrap = (inner: Sql): Sql => ({
    async query(text, parameters) {
      const mine = count;
      count += 1;
      if (mine > at || (mine === at && when === "before")) throw new Killed();
      const rows = await inner.query(text, parameters);
      if (mine === at) throw new Killed();
      return rows;
    },
    transaction: (work) => inner.transaction((within) => work(wrap(within))),
  });
  return { sql: wrap(sql), reached: () => count > at };
}

/** One life after the other, killed at each statement in turn, until a life is not: then `whole` looks at what is left. Returns the kills. */
export async function killedEverywhere(
  database: Sql,
  live: (sql: Sql, name: string) => Promise<void>,
  whole: (name: string) => Promise<void>,
): Promise<number> {
  let kills = 0;
  for (const when of ["before", "after"] as const)
    for (let at = 0; ; at += 1) {
      const name = `${when}-${at}`;
      const { sql, reached } = dyingSql(database, at, when);
      const isDead = await live(sql, name).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return true;
        },
      );
      if (isDead) kills += 1;
      // Another process takes over where the records are.
      if (reached()) await live(database, name);
      await whole(name);
      if (!reached()) break;
    }
  return kills;
}
