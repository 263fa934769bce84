/** A cache of the most recent values with a total weight of at most `most`; older ones are rebuilt on request. */
export class Recent<Value> {
  readonly #held = new Map<string, { readonly value: Promise<Value>; weight: number }>();
  readonly #most: number;
  readonly #weigh: (value: Value) => number;

  constructor(most: number, weigh: (value: Value) => number) {
    this.#most = most;
    this.#weigh = weigh;
  }

  /** Concurrent requests share one `make`. Failures are not cached. */
  async of(name: string, make: () => Promise<Value>): Promise<Value> {
    const held = this.#held.get(name) ?? { value: make(), weight: 0 };
    this.#held.delete(name);
    this.#held.set(name, held);
    try {
      const value = await held.value;
      held.weight ||= this.#weigh(value);
      this.#letGo();
      return value;
    } catch (error) {
      if (this.#held.get(name) === held) this.#held.delete(name);
      throw error;
    }
  }

  #letGo(): void {
    let weight = 0;
    for (const [name, held] of [...this.#held].reverse()) {
      weight += held.weight;
      if (weight > this.#most) this.#held.delete(name);
    }
  }
}

/** Adds an entry to a cache as its most recent one, and evicts the oldest of more than `most`. */
export function keepNewest<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value, most: number): void {
  cache.delete(key);
  cache.set(key, value);
  const [oldest] = cache.keys();
  if (cache.size > most && oldest !== undefined) cache.delete(oldest);
}
