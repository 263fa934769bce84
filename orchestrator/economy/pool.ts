/** The commons: it regrows logistically, and what is asked beyond what is there is shared out in proportion. */
export interface Pool {
  readonly capacity: number;
  readonly growth: number;
  readonly level: number;
}

/** The largest sustainable yield. */
export const sustainable = ({ capacity, growth }: Pool): number => (growth * capacity) / 4;

/** The pool after a round in which `asked` was asked for, and the part of it that everybody got. */
export function harvest(pool: Pool, asked: number): { readonly pool: Pool; readonly part: number } {
  const part = asked > pool.level ? pool.level / asked : 1;
  const left = Math.max(0, pool.level - asked * part);
  return { pool: { ...pool, level: left + pool.growth * left * (1 - left / pool.capacity) }, part };
}
