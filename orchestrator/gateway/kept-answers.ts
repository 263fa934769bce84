/** Answers to open questions, kept while nothing happens in the city: many who watch ask the same. */
export class KeptAnswers {
  readonly #place: () => string;
  readonly #answers = new Map<string, Promise<string>>();
  #at = "";

  /** `place`: where chain and records were read to; another one lets go of all answers. */
  constructor(place: () => string) {
    this.#place = place;
  }

  /** Who asks while the answer is being made waits for that one. A failure is kept for nobody else. */
  get(question: string, ask: () => Promise<string>): Promise<string> {
    const at = this.#place();
    if (at !== this.#at) {
      this.#answers.clear();
      this.#at = at;
    }
    const kept = this.#answers.get(question);
    const answer = kept ?? ask();
    // What is asked often stays, whatever one who asks for everything once would push out.
    this.#answers.delete(question);
    this.#answers.set(question, answer);
    if (kept !== undefined) return answer;
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST && oldest !== undefined) this.#answers.delete(oldest);
    const forget = () => {
      if (this.#answers.get(question) === answer) this.#answers.delete(question);
    };
    answer.then(({ length }) => (length > LARGEST ? forget() : undefined), forget);
    return answer;
  }
}

const MOST = 256;
/** Characters. */
const LARGEST = 262_144;
