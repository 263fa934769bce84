import { keepNewest } from "../primitives/recent.ts";

/** Cache of answers to open commands until something happens in the city: many observers ask the same. */
export class KeptAnswers {
  readonly #place: () => string;
  readonly #answers = new Map<string, Promise<string>>();
  #at = "";

  /** `place`: how far chain and records were read; a change clears the cache. */
  constructor(place: () => string) {
    this.#place = place;
  }

  /** Concurrent callers share one computation. Failures are not cached. */
  get(question: string, ask: () => Promise<string>): Promise<string> {
    const at = this.#place();
    if (at !== this.#at) {
      this.#answers.clear();
      this.#at = at;
    }
    const kept = this.#answers.get(question);
    const answer = kept ?? ask();
    // Most recently used last, so that one client requesting everything once does not evict popular answers.
    keepNewest(this.#answers, question, answer, MOST);
    if (kept !== undefined) return answer;
    const forget = () => {
      if (this.#answers.get(question) === answer) this.#answers.delete(question);
    };
    answer.then(({ length }) => (length > LARGEST ? forget() : undefined), forget);
    return answer;
  }
}

const MOST = 256;
/** Maximum size of a cached answer, characters. */
const LARGEST = 262_144;
