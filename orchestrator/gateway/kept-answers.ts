/** Answers to open questions, kept while nothing happens in the city: many who watch ask the same. */
export class KeptAnswers {
  readonly #place: () => string;
  readonly #answers = new Map<string, string>();
  #at = "";

  /** `place`: where chain and records were read to; another one lets go of all answers. */
  constructor(place: () => string) {
    this.#place = place;
  }

  async get(question: string, ask: () => Promise<string>): Promise<string> {
    const at = this.#place();
    if (at !== this.#at) {
      this.#answers.clear();
      this.#at = at;
    }
    const kept = this.#answers.get(question);
    if (kept !== undefined) return kept;
    const answer = await ask();
    // Whatever happened meanwhile, the answer may be from before it.
    const isCurrent = this.#place() === at && this.#at === at;
    if (isCurrent && this.#answers.size < MOST && answer.length <= LARGEST) this.#answers.set(question, answer);
    return answer;
  }
}

const MOST = 256;
/** Characters. */
const LARGEST = 262_144;
