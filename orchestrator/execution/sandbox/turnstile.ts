import type { Hash } from "../../primitives/hex.ts";
import { constraintsIn } from "./limits.ts";

/** Runs at most `places` jobs concurrently, first come, first served. */
export function turnstile(places: number): <T>(job: () => Promise<T>) => Promise<T> {
  if (!Number.isInteger(places) || places < 1) throw new RangeError(`a sandbox needs at least one place, not ${places}`);
  const queue: (() => void)[] = [];
  let free = places;
  return async (job) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await job();
    } finally {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** A service of one seller; the id covers both. */
export interface Sold {
  readonly id: Hash;
  readonly record: { readonly constraints: Hash };
}

/** Limits a seller's concurrent runs of each service to what the service's record says. */
export function turnstiles(): <T>(service: Sold, job: () => Promise<T>) => Promise<T> {
  const known = new Map<Hash, ReturnType<typeof turnstile>>();
  return (service, job) => {
    const { concurrent } = constraintsIn(service.record.constraints);
    if (concurrent === 0) return job();
    const pass = known.get(service.id) ?? turnstile(concurrent);
    known.set(service.id, pass);
    return pass(job);
  };
}
