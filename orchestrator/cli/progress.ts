import type { Done } from "../primitives/progress.ts";
import { interrupted } from "./interruption.ts";
import { asTyped } from "./shell.ts";
import { wallTime } from "./wall-time.ts";
import { LONGEST_SILENCE_MS } from "./while-working.ts";

/** What progress is shown with: a stream, and the machine's time. */
export interface ProgressPort {
  readonly write: (text: string) => void;
  /** A line can be drawn again in place. */
  readonly isTerminal: boolean;
  readonly millis: () => number;
  /** Calls again and again until it is stopped. */
  readonly every: (millis: number, call: () => void) => () => void;
}

const BEAT_MS = 250;
const SIGNS = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** A line that wraps cannot be drawn again in place. */
const WIDEST = 79;
const CLEAR = "\r\u001b[K";

/**
 * How far a command is, for people. Lines stay; between them a terminal shows what is happening, how many tasks are done and about how long
 * the rest takes, and a pipe is given the same as a line whenever nothing was said for three seconds.
 */
export class Progress {
  readonly #port: ProgressPort;
  readonly #began: number;
  readonly #stop: () => void;
  #stage = "";
  #done: Done | undefined;
  /** The first count and the last one. */
  #first: { readonly at: number; readonly done: number } | undefined;
  #latest = 0;
  #last: number;
  #beats = 0;
  #ended = false;

  constructor(port: ProgressPort) {
    this.#port = port;
    this.#began = port.millis();
    this.#last = this.#began;
    this.#stop = port.every(BEAT_MS, () => this.#beat());
  }

  /** Seconds since it began. */
  readonly elapsed = (): number => (this.#port.millis() - this.#began) / 1000;

  /** One line that stays; `done` counts tasks. */
  readonly tell = (line: string, done?: Done): void => {
    if (done !== undefined) {
      this.#done = done;
      this.#latest = this.#port.millis();
      this.#first ??= { at: this.#latest, done: done.done };
    }
    this.#line(line);
  };

  /** Sets the current stage. With `restart`, the count of tasks restarts, because another law has other tasks. */
  readonly enter = (stage: string, restart = false): void => {
    this.#stage = stage;
    if (restart) this.#done = this.#first = undefined;
    // Work that leaves no time for beats has kept silent until now.
    this.#beat();
  };

  /** Nothing more is shown between lines. May be called twice. */
  readonly end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#stop();
    if (this.#port.isTerminal) this.#port.write(CLEAR);
  };

  #beat(): void {
    if (this.#ended) return;
    const { isTerminal, millis, write } = this.#port;
    if (isTerminal) {
      this.#beats += 1;
      write(`${CLEAR}${`${this.#time()}  ${SIGNS[this.#beats % SIGNS.length]} ${this.#now()}`.slice(0, WIDEST)}`);
    } else if (millis() - this.#last >= LONGEST_SILENCE_MS) this.#line(`… ${this.#now()}`);
  }

  #line(text: string): void {
    this.#last = this.#port.millis();
    this.#port.write(`${this.#port.isTerminal && !this.#ended ? CLEAR : ""}${this.#time()}  ${text}\n`);
  }

  #time(): string {
    return `${this.elapsed().toFixed(1).padStart(6)} s`;
  }

  #now(): string {
    const parts = [this.#stage === "" ? "working" : this.#stage];
    if (this.#done !== undefined) parts.push(`${this.#done.done} of ${this.#done.of} tasks done`);
    const left = this.#left();
    if (left !== undefined) parts.push(`about ${left} s left`);
    return parts.join(", ");
  }

  /**
   * Seconds left if the remaining tasks take as long as those counted so far. Undefined before two counts, and once that time is over:
   * something else holds the work up, such as a human who has to decide.
   */
  #left(): number | undefined {
    if (this.#done === undefined || this.#first === undefined) return undefined;
    const { done, of } = this.#done;
    const counted = done - this.#first.done;
    if (counted <= 0 || done >= of) return undefined;
    const expected = ((this.#latest - this.#first.at) / counted) * (of - done);
    const left = Math.ceil((expected - (this.#port.millis() - this.#latest)) / 1000);
    return left > 0 ? left : undefined;
  }
}

/** Shows progress on stderr while `work` runs. Where a person answers questions at this terminal, nothing is drawn between lines. */
export async function withProgress<Value>(work: (progress: Progress) => Promise<Value>, isAsking = false): Promise<Value> {
  const isTerminal = process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
  const progress = new Progress({
    write: (text) => process.stderr.write(asTyped(text)),
    isTerminal: isTerminal && !isAsking,
    millis: wallTime.millis,
    every: isAsking ? () => () => {} : wallTime.every,
  });
  interrupted.addEventListener("abort", progress.end, { once: true });
  try {
    return await work(progress);
  } finally {
    interrupted.removeEventListener("abort", progress.end);
    progress.end();
  }
}
