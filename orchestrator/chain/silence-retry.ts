import type { Clock } from "../primitives/clock.ts";
import { ChainSilent, isUnreachable } from "./errors.ts";

/** Retries of a step, in seconds after its first failure (AgentCity B.11.5, failure mode 1). */
export const RETRIES: readonly bigint[] = [30n, 120n, 480n];

/** Default limit of an outage, seconds (DEGRADED_MODE_THRESHOLD's default). */
const DEFAULT_LIMIT = 1_800n;
/** Longest wait for the end of an escalated outage, seconds. */
const LONGEST_WAIT = 86_400n;

/** Phases of an outage; times in seconds of the clock that measures it. */
export type SilenceNews =
  | { readonly kind: "silent"; readonly since: bigint }
  | { readonly kind: "halted"; readonly since: bigint; readonly lasted: bigint }
  | { readonly kind: "back"; readonly since: bigint; readonly lasted: bigint };

export interface SilenceRetryOptions {
  /** Measures time during an outage, when the chain's own clock stands still. */
  readonly clock: Clock;
  /** Called at an outage's beginning, escalation and end, before work continues. */
  readonly notify?: (news: SilenceNews) => Promise<void>;
}

/**
 * Degraded mode (AgentCity B.11.5, failure mode 3): requests to an unreachable chain wait and are repeated 30 s, 2 min and 8 min after the
 * first failure, then every 8 min. All requests share one outage, which begins with the first that failed. At the limit it escalates: all
 * waiting and later requests throw ChainSilent until the chain answers.
 */
export class SilenceRetry {
  readonly clock: Clock;
  readonly #notify: (news: SilenceNews) => Promise<void>;
  #limit = DEFAULT_LIMIT;
  #silence: { readonly since: bigint; halted: boolean } | undefined;

  constructor({ clock, notify = async () => {} }: SilenceRetryOptions) {
    this.clock = clock;
    this.#notify = notify;
  }

  /** Sets the limit at which an outage needs a human, seconds: the constitution's DEGRADED_MODE_THRESHOLD. */
  escalateAfter(seconds: bigint): void {
    this.#limit = seconds;
  }

  get isSilent(): boolean {
    return this.#silence !== undefined;
  }

  /** Repeats a request until the chain answers it, with whatever result. Throws ChainSilent if the outage exceeds the limit. */
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

  /** After an escalation: waits until the chain answers again. Returns the outage's duration, seconds. */
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

  /** `asked`: time of the request that failed. */
  async #wait(cause: unknown, asked: bigint): Promise<void> {
    const isNew = this.#silence === undefined;
    this.#silence ??= { since: asked, halted: false };
    const silence = this.#silence;
    if (isNew) await this.#notify({ kind: "silent", since: asked });
    const lasted = asked > silence.since ? asked - silence.since : 0n;
    if (lasted >= this.#limit) {
      const isFirst = !silence.halted;
      silence.halted = true;
      if (isFirst) await this.#notify({ kind: "halted", since: silence.since, lasted });
      throw new ChainSilent(silence.since, lasted, cause);
    }
    await this.clock.sleepUntil(silence.since + nextTry(lasted, this.#limit));
  }

  async #heard(): Promise<void> {
    const silence = this.#silence;
    if (silence === undefined) return;
    this.#silence = undefined;
    await this.#notify({ kind: "back", since: silence.since, lasted: this.clock.now() - silence.since });
  }
}

/** Seconds from an outage's beginning to the next attempt; the last one is at the limit itself. */
function nextTry(lasted: bigint, limit: bigint): bigint {
  const last = RETRIES.at(-1) ?? limit;
  const next = RETRIES.find((each) => each > lasted) ?? (lasted / last + 1n) * last;
  return next < limit ? next : limit;
}
