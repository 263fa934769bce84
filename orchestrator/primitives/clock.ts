import { InvalidValue } from "./errors.ts";

/** Time is a port (decision 47). Seconds since 1970, as on chain. */
export interface Clock {
  now(): bigint;
  /** Resolves once `now() >= time`. */
  sleepUntil(time: bigint): Promise<void>;
}

/** A clock that also lets independent pieces of work wait together. */
export interface WorkClock extends Clock {
  /**
   * Runs one independent piece of work; time jumps only when every such piece is asleep. Not for work that merely waits for other pieces:
   * it would never sleep on this clock itself.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Time does not jump during this work, which must not sleep on this clock. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface Sleeper {
  readonly time: bigint;
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Moves only on request. Never goes back. */
export class ManualClock implements Clock {
  #now: bigint;
  #sleepers: Sleeper[] = [];

  constructor(start: bigint) {
    this.#now = start;
  }

  now(): bigint {
    return this.#now;
  }

  sleepUntil(time: bigint): Promise<void> {
    if (time <= this.#now) return Promise.resolve();
    return new Promise((wake, fail) => {
      this.#sleepers.push({ time, wake, fail });
      this.onSleep();
    });
  }

  /** Sets the time and wakes everything that waited for it, earliest first. */
  advanceTo(time: bigint): void {
    if (time < this.#now) {
      throw new InvalidValue("clock", "time does not go back", { details: `now ${this.#now}, asked for ${time}` });
    }
    this.#now = time;
    const due = this.#sleepers.filter((sleeper) => sleeper.time <= time);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.time > time);
    due.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    for (const sleeper of due) sleeper.wake();
  }

  advanceBy(seconds: bigint): void {
    this.advanceTo(this.#now + seconds);
  }

  /** The earliest time that a sleeper waits for. */
  nextWake(): bigint | undefined {
    return this.#sleepers.reduce<bigint | undefined>(
      (earliest, { time }) => (earliest === undefined || time < earliest ? time : earliest),
      undefined,
    );
  }

  sleeping(): number {
    return this.#sleepers.length;
  }

  /** Rejects every sleep: time cannot move any more. */
  fail(reason: unknown): void {
    const sleepers = this.#sleepers;
    this.#sleepers = [];
    for (const sleeper of sleepers) sleeper.fail(reason);
  }

  protected onSleep(): void {}
}

/**
 * Chain time of a devnet: when all work is asleep, time jumps to the next deadline; nothing waits on wall time. Without `run` every sleep
 * jumps at once. With it, time jumps once as many sleepers as running pieces of work exist, and never while it is held. `beforeJump` makes
 * the jump real (mines a block with that time) before sleepers wake.
 */
export class JumpingClock extends ManualClock implements WorkClock {
  readonly #beforeJump: (time: bigint) => Promise<void>;
  #running = 0;
  #held = 0;
  #changed = false;
  #isLooking = false;

  constructor(start: bigint, beforeJump: (time: bigint) => Promise<void> = async () => {}) {
    super(start);
    this.#beforeJump = beforeJump;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#schedule();
    }
  }

  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#held += 1;
    try {
      return await work();
    } finally {
      this.#held -= 1;
      this.#schedule();
    }
  }

  protected override onSleep(): void {
    this.#schedule();
  }

  /** Re-examines after every change, including changes during an examination. */
  #schedule(): void {
    this.#changed = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#look().then(
      () => {},
      (reason: unknown) => this.fail(reason),
    );
  }

  async #look(): Promise<void> {
    try {
      while (this.#changed) {
        this.#changed = false;
        // Deferred, so that work started in the same turn is counted first.
        await Promise.resolve();
        const next = this.nextWake();
        if (next === undefined || this.#held > 0 || this.sleeping() < this.#running) continue;
        await this.#beforeJump(next);
        if (next > this.now()) this.advanceTo(next);
        this.#changed = true;
      }
    } finally {
      this.#isLooking = false;
    }
  }
}

/** The machine's clock. `sleep` is injected so that nothing else in the project starts a timer. */
export function systemClock(options: { readonly millis: () => number; readonly sleep: (millis: number) => Promise<void> }): WorkClock {
  const now = () => BigInt(Math.floor(options.millis() / 1000));
  return {
    now,
    async sleepUntil(time) {
      while (now() < time) {
        const left = Number(time) * 1000 - options.millis();
        await options.sleep(Math.min(Math.max(left, 1), 2 ** 31 - 1));
      }
    },
    run: (work) => work(),
    hold: (work) => work(),
  };
}
