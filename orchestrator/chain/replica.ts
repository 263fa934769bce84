import { Mutex } from "../primitives/mutex.ts";
import { type DrivenChain, openDrivenChain } from "./driven.ts";
import { connectEdrProcess, type EdrLimits, REPLAY_LIMITS } from "./edr-process.ts";
import { isTooHeavy } from "./errors.ts";
import type { Genesis } from "./transcript.ts";

/** Limits of untrusted execution: several times what the city's own transactions use. */
const LIMITS: EdrLimits = { memoryMb: 512, millis: 10_000 };

/** A copy of the chain in a process that may be killed. It starts when first needed and follows block by block. */
export class Replica {
  readonly #original: DrivenChain;
  readonly #mutex = new Mutex();
  #copy: DrivenChain | undefined;
  #limits = REPLAY_LIMITS;

  constructor(original: DrivenChain) {
    this.#original = original;
  }

  /** Runs work on a current copy of the chain. Throws TooHeavy if the copy died of it; the next work gets a new one. */
  run<Result>(work: (copy: DrivenChain) => Promise<Result>): Promise<Result> {
    return this.#mutex.run(async () => {
      try {
        const copy = await this.#current();
        this.#limits = LIMITS;
        return await work(copy);
      } catch (error) {
        if (isTooHeavy(error)) await this.#drop();
        throw error;
      } finally {
        this.#limits = REPLAY_LIMITS;
      }
    });
  }

  close(): Promise<void> {
    return this.#mutex.run(() => this.#drop());
  }

  async #current(): Promise<DrivenChain> {
    const head = this.#original.head();
    const missing = this.#copy === undefined ? undefined : this.#original.since(this.#copy.head());
    if (this.#copy !== undefined && missing !== undefined) {
      for (const { transactions, timestamp } of missing) await this.#copy.mine(transactions, timestamp);
      if (this.#copy.head().hash === head.hash) return this.#copy;
    }
    await this.#drop();
    const { kind, name, genesis } = this.#original;
    const connect = async (from: Genesis) => connectEdrProcess(from, () => this.#limits);
    this.#copy = await openDrivenChain({ kind, name, genesis, connect }, { transcript: this.#original.transcript() });
    return this.#copy;
  }

  async #drop(): Promise<void> {
    const copy = this.#copy;
    this.#copy = undefined;
    await copy?.close();
  }
}
