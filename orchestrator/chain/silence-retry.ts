import type { Clock } from "../primitives/clock.ts";
import { ChainSilent, isUnreachable } from "./errors.ts";

/** Seconds after a first failure at which a step is tried again (AgentCity B.11.5, failure mode 1). */
export const RETRIES: readonly bigint[] = [30n, 120n, 480n];

/** Silence that no constitution has set another bound for, seconds (DEGRADED_MODE_THRESHOLD's default). */
const DEFAULT_LIMIT = 1_800n;
/** Whoever waits for the end of an escalated silence gives up after this, seconds. */
const LONGEST_WAIT = 86_400n;

/** What the society should know of a silence; times in seconds of the clock that measures it. */
export type SilenceNews =
  | { readonly kind: "silent"; readonly since: bigint }
  | { readonly kind: "halted"; readonly since: bigint; readonly lasted: bigint }
  | { readonly kind: "back"; readonly since: bigint; readonly lasted: bigint };

export interface SilenceRetryOptions {
  /** Time while the chain is silent: its own clock stands still then. */
  readonly clock: Clock;
  /** Called at a silence's beginning, escalation and end, before work continues. */
  readonly tell?: (news: SilenceNews) => Promise<void>;
}

/**
 * Degraded mode (AgentCity B.11.5, failure mode 3): whoever asks a chain that does not answer waits, and asks again 30 s, 2 min and
 * 8 min after the first failure, then every 8 min. One silence is everybody's: it begins with the first question that found no answer.
 * At the limit it escalates: everybody who waits gets ChainSilent, and so does who asks later, until the chain answers.
 */
export class SilenceRetry {
  readonly clock: Clock;
  readonly #tell: (news: SilenceNews) => Promise<void>;
  #limit = DEFAULT_LIMIT;
  #silence: { readonly since: bigint; halted: boolean } | undefined;

  constructor({ clock, tell = async () => {} }: SilenceRetryOptions) {
    this.clock = clock;
    this.#tell = tell;
  }

  /** Silence that needs a human, seconds: the constitution's DEGRADED_MODE_THRESHOLD. */
  escalateAfter(seconds: bigint): void {
    this.#limit = seconds;
  }

  get isSilent(): boolean {
    return this.#silence !== undefined;
  }

  /** Asks until the chain answers, whatever it answers. Throws ChainSilent when the silence outlasts the limit. */
  async through<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const asked = this.clock.now();
      try {
        const answer = await ask();
        await this.#heard();
        return answer;
      } catch (error) {
        if (error instanceof ChainSilent) throw error;
        if (!isUnreachable(error)) {
          await this.#heard();
          throw error;
        }
        await this.#wait(error, asked);
      }
    }
  }

  /** After an escalation: waits until the chain answers again. Returns how long it was silent, seconds. */
  async untilHeard(ask: () => Promise<unknown>): Promise<bigint> {
    const since = this.#silence?.since ?? this.clock.now();
    for (;;) {
      try {
        await ask();
        await this.#heard();
        return this.clock.now() - since;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        const now = this.clock.now();
        if (now - since >= LONGEST_WAIT) throw new ChainSilent(since, now - since, error);
        await this.clock.sleepUntil(now + (RETRIES.at(-1) ?? LONGEST_WAIT));
      }
    }
  }

  /** `asked`: when the question that found no answer was put. */
  async #wait(cause: unknown, asked: bigint): Promise<void> {
    const isNew = this.#silence === undefined;
    this.#silence ??= { since: asked, halted: false };
    const silence = this.#silence;
    if (isNew) await this.#tell({ kind: "silent", since: asked });
    const lasted = asked > silence.since ? asked - silence.since : 0n;
    if (lasted >= this.#limit) {
      const isFirst = !silence.halted;
      silence.halted = true;
      if (isFirst) await this.#tell({ kind: "halted", since: silence.since, lasted });
      throw new ChainSilent(silence.since, lasted, cause);
    }
    await this.clock.sleepUntil(silence.since + nextTry(lasted, this.#limit));
  }

  async #heard(): Promise<void> {
    const silence = this.#silence;
    if (silence === undefined) return;
    this.#silence = undefined;
    await this.#tell({ kind: "back", since: silence.since, lasted: this.clock.now() - silence.since });
  }
}

/** Seconds from a silence's beginning to the next question; the last one is at the limit itself. */
function nextTry(lasted: bigint, limit: bigint): bigint {
  const last = RETRIES.at(-1) ?? limit;
  const next = RETRIES.find((each) => each > lasted) ?? (lasted / last + 1n) * last;
  return next < limit ? next : limit;
}
