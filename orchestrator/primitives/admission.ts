interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * So much work at once, so much waiting. Those who wait take turns: each party's work in order, and parties one after the other. What
 * comes when all places are taken pushes out the last of whoever waits with most; where that is its own party, it is refused itself.
 */
export class Admission {
  readonly #atOnce: number;
  readonly #mayWait: number;
  readonly #refusal: () => Error;
  /** In the order of their turns; none is empty. */
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
    // Whoever ends hands its place on.
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
