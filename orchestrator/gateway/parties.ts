/** Places that parties take and give back: so many in all, so many of each. */
export class Places {
  readonly #all: number;
  readonly #each: number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(all: number, each: number) {
    this.#all = all;
    this.#each = each;
  }

  /** Gives the place back when called; undefined when there is none. */
  take(party: string): (() => void) | undefined {
    const own = this.#taken.get(party) ?? 0;
    if (this.#count >= this.#all || own >= this.#each) return undefined;
    this.#taken.set(party, own + 1);
    this.#count += 1;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      const left = (this.#taken.get(party) ?? 1) - 1;
      if (left === 0) this.#taken.delete(party);
      else this.#taken.set(party, left);
      this.#count -= 1;
    };
  }
}
