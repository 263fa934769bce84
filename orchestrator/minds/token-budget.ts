import { MindAnswerInvalid } from "./errors.ts";

/** Token budget of a mind, questions and answers together. A mind without tokens abstains. */
export class TokenBudget {
  readonly limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  charge(tokens: number): void {
    this.#spent += tokens;
  }

  /** Throws if nothing is left. The last answer may overdraw: its cost is known only afterwards. */
  requireLeft(what: string): void {
    if (this.#spent >= this.limit) throw new MindAnswerInvalid(what, `its budget of ${this.limit} tokens is spent`);
  }
}
