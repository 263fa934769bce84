/**
 * Runs work concurrently but lets it take effect in the order in which it was started, so that records are reproducible. `work` starts at
 * once and awaits `before` ahead of its effect.
 */
export class InOrder {
  #last: Promise<void> = Promise.resolve();

  async run<Value>(work: (before: Promise<void>) => Promise<Value>): Promise<Value> {
    const before = this.#last;
    const own = Promise.withResolvers<void>();
    this.#last = own.promise;
    try {
      return await work(before);
    } finally {
      // Work that failed early must not let the next one overtake those before it.
      own.resolve(before);
    }
  }
}
