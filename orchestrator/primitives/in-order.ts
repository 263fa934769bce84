/**
 * Work that runs side by side but takes effect in the order in which it was begun, so that a record of it is the same every time.
 * `work` begins at once and awaits `before` ahead of its effect.
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
      // Whoever failed early still does not let the next one overtake those before it.
      own.resolve(before);
    }
  }
}
