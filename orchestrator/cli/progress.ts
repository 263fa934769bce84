import type { Done } from "../primitives/progress.ts";
import { interrupted } from "./interruption.ts";
import { asTyped } from "./shell.ts";
import { wallTime } from "./wall-time.ts";
import { LONGEST_SILENCE_MS } from "./while-working.ts";

/** What the display needs: a stream, and the machine's time. */
export interface ProgressPort {
  readonly write: (text: string) => void;
  /** Whether a line can be redrawn in place. */
  readonly isTerminal: boolean;
  readonly millis: () => number;
  /** Calls repeatedly until stopped. */
  readonly every: (millis: number, call: () => void) => () => void;
}

const BEAT_MS = 250;
const SIGNS = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** A wrapped line cannot be redrawn in place. */
const WIDEST = 79;
const CLEAR = "\r\u001b[K";

/**
 * Shows a command's progress to people. Reported lines stay; between them a terminal shows the current stage, the number of finished tasks
 * and an estimate of the remaining time, and a pipe receives the same as a line after three seconds of silence.
 */
export class ProgressDisplay {
  readonly #port: ProgressPort;
  readonly #began: number;
  readonly #stop: () => void;
  #stage = "";
  #done: Done | undefined;
  /** The first and the latest count. */
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

  /** Seconds since the start. */
  readonly elapsed = (): number => (this.#port.millis() - this.#began) / 1000;

  /** Prints a permanent line; `done` counts tasks. */
  readonly progress = (line: string, done?: Done): void => {
    if (done !== undefined) {
      this.#done = done;
      this.#latest = this.#port.millis();
      this.#first ??= { at: this.#latest, done: done.done };
    }
    this.#line(line);
  };

  /** Sets the current stage. With `restart`, the count of tasks starts over, because another law has other tasks. */
  readonly enter = (stage: string, restart = false): void => {
    this.#stage = stage;
    if (restart) this.#done = this.#first = undefined;
    // Work that blocked the event loop has been silent until now.
    this.#beat();
  };

  /** Stops showing progress. Idempotent. */
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
   * something else causes the delay, such as a human decision.
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

/** Shows progress on stderr while `work` runs. If a person answers questions at this terminal, nothing is drawn between lines. */
export async function withProgress<Value>(work: (display: ProgressDisplay) => Promise<Value>, isAsking = false): Promise<Value> {
  const isTerminal = process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
  const display = new ProgressDisplay({
    write: (text) => process.stderr.write(asTyped(text)),
    isTerminal: isTerminal && !isAsking,
    millis: wallTime.millis,
    every: isAsking ? () => () => {} : wallTime.every,
  });
  interrupted.addEventListener("abort", display.end, { once: true });
  try {
    return await work(display);
  } finally {
    interrupted.removeEventListener("abort", display.end);
    display.end();
  }
}
