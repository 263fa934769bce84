interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Limits concurrent work and the queue before it. Parties are served in turn, each party's work in order. When the queue is full, a
 * newcomer evicts the latest work of the party with the most waiting; if that is its own party, the newcomer is refused.
 */
export class Admission {
  readonly #atOnce: number;
  readonly #mayWait: number;
  readonly #refusal: () => Error;
  /** Parties in the order in which they are served; no queue is empty. */
  readonly #parties = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  constructor(atOnce: number, mayWait: number, refusal: () => Error) {
    this.#atOnce = atOnce;
    this.#mayWait = mayWait;
    this.#refusal = refusal;
  }

  async run<Result>(work: () => Promise<Result>, party = ""): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running += 1;
    // Finished work passes its place on.
    else await this.#turnOf(party);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#running -= 1;
      else next.begin();
    }
  }

  #turnOf(party: string): Promise<void> {
    if (this.#waiting >= this.#mayWait) this.#makeRoomFor(party);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own = this.#parties.get(party) ?? [];
    own.push({ begin: resolve, refuse: reject });
    this.#parties.set(party, own);
    this.#waiting += 1;
    return promise;
  }

  #makeRoomFor(party: string): void {
    const [[longest, queue] = [party, []]] = [...this.#parties].sort(([, a], [, b]) => b.length - a.length);
    const own = this.#parties.get(party)?.length ?? 0;
    if (longest === party || queue.length <= own + 1) throw this.#refusal();
    queue.pop()?.refuse(this.#refusal());
    this.#waiting -= 1;
  }

  #next(): Waiting | undefined {
    const [first] = this.#parties;
    if (first === undefined) return undefined;
    const [party, queue] = first;
    const next = queue.shift();
    this.#parties.delete(party);
    if (queue.length > 0) this.#parties.set(party, queue);
    this.#waiting -= 1;
    return next;
  }
}
