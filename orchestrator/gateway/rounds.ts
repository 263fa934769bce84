/**
 * Work that begins once in each round of the event loop. Node accepts one connection in a round (libuv since 1.45): where a round checked
 * the signatures of all who wait, whoever connects would wait for as many such rounds as others connected before it. So while connections
 * come, one piece of work begins in a round; otherwise all of it does, since what is written together costs less.
 */
export class Rounds {
  readonly #next: (work: () => void) => void;
  #waiting: (() => void)[] = [];
  #hasNewcomer = false;

  /** `next`: runs work in the next round. */
  constructor(next: (work: () => void) => void = setImmediate) {
    this.#next = next;
  }

  /** A connection was accepted: others may wait. */
  accepted(): void {
    this.#hasNewcomer = true;
  }

  /** Returns in the round in which its caller may begin; in order. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) this.#next(() => this.#round());
      this.#waiting.push(resolve);
    });
  }

  #round(): void {
    const beginning = this.#waiting.splice(0, this.#hasNewcomer ? 1 : this.#waiting.length);
    this.#hasNewcomer = false;
    if (this.#waiting.length > 0) this.#next(() => this.#round());
    for (const begin of beginning) begin();
  }
}
