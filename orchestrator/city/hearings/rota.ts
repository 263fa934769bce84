import type { Hash } from "../../primitives/hex.ts";

/** Jobs that are gone on with at once, and those among them that one address brought: each may wait for a member as long as that has time. */
const AT_ONCE = 16;
const AT_ONCE_OF_ONE = 4;

/** From when on a job is looked at again: the chain's second or the machine's millisecond, whichever comes first. */
export interface Due {
  readonly second: number;
  readonly millis: number;
}

const NOW: Due = { second: 0, millis: 0 };
const LATER: Due = { second: Number.POSITIVE_INFINITY, millis: Number.POSITIVE_INFINITY };

interface Entry {
  readonly key: Hash;
  readonly by: string;
  due: Due;
  isRunning: boolean;
}

/**
 * Whose turn it is among jobs that anybody may bring: nothing is done for one before its time has come or the chain says something new of it, few
 * are gone on with at once, and who brought many waits behind who brought few.
 */
export class Rota {
  /** Goes on with a job. Never rejects. */
  readonly #goOn: (key: Hash) => Promise<Due>;
  readonly #entries = new Map<Hash, Entry>();
  /** Those that are due, in the order in which they came to be. */
  readonly #waiting = new Set<Entry>();
  readonly #running = new Map<Entry, Promise<void>>();

  constructor(goOn: (key: Hash) => Promise<Due>) {
    this.#goOn = goOn;
  }

  /** Due now, whether it was there before or not. @param by who brought it */
  add(key: Hash, by: string): void {
    if (this.#entries.has(key)) this.wake(key);
    else this.#entries.set(key, { key, by, due: NOW, isRunning: false });
  }

  remove(key: Hash): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry !== undefined) this.#waiting.delete(entry);
  }

  wake(key: Hash): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.due = NOW;
  }

  wakeAll(): void {
    for (const key of this.#entries.keys()) this.wake(key);
  }

  /** Number of jobs that this party brought. */
  countOf(by: string): number {
    return [...this.#entries.values()].filter((entry) => entry.by === by).length;
  }

  /** Begins what is due. */
  begin({ second, millis }: Due): void {
    for (const entry of this.#entries.values())
      if (!entry.isRunning && (entry.due.second <= second || entry.due.millis <= millis)) this.#waiting.add(entry);
    this.#fill();
  }

  /** When nothing that was begun goes on any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #fill(): void {
    while (this.#running.size < AT_ONCE) {
      const entry = this.#next();
      if (entry === undefined) return;
      this.#waiting.delete(entry);
      this.#running.set(entry, this.#run(entry));
    }
  }

  async #run(entry: Entry): Promise<void> {
    entry.isRunning = true;
    entry.due = LATER;
    const { second, millis } = await this.#goOn(entry.key);
    // What came meanwhile is sooner.
    entry.due = { second: Math.min(second, entry.due.second), millis: Math.min(millis, entry.due.millis) };
    entry.isRunning = false;
    this.#running.delete(entry);
    this.#fill();
  }

  /** The first job of the party with the fewest in progress. */
  #next(): Entry | undefined {
    const busy = new Map<string, number>();
    for (const { by } of this.#running.keys()) busy.set(by, (busy.get(by) ?? 0) + 1);
    let best: Entry | undefined;
    let fewest = AT_ONCE_OF_ONE;
    for (const entry of this.#waiting) {
      const own = busy.get(entry.by) ?? 0;
      if (own < fewest) [best, fewest] = [entry, own];
      if (fewest === 0) break;
    }
    return best;
  }
}
