/** The commons: it regrows logistically, and excess demand is rationed proportionally. */
export interface Pool {
  readonly capacity: number;
  readonly growth: number;
  readonly level: number;
}

/** Maximum sustainable yield. */
export const sustainable = ({ capacity, growth }: Pool): number => (growth * capacity) / 4;

/** The pool after a round with a demand of `asked`, and the share of the demand that was met. */
export function harvest(pool: Pool, asked: number): { readonly pool: Pool; readonly part: number } {
  const part = asked > pool.level ? pool.level / asked : 1;
  const left = Math.max(0, pool.level - asked * part);
  return { pool: { ...pool, level: left + pool.growth * left * (1 - left / pool.capacity) }, part };
}
