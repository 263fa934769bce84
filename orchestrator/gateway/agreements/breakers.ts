/** Circuit breakers of agreements, folded from the newest of them and from what the city knows besides. */
import {
  type Act,
  type AgreementLife,
  type Attempt,
  BREAKER_LIMITS,
  BREAKER_MEMORY,
  type BreakerLimits,
  type BreakerOutcome,
  DEFAULTS,
  evaluatorSeconds,
  isEscrowed,
  type OpenBreaker,
  openBreakers,
  outcomesOf,
  requireClosed,
} from "../../agreements/index.ts";
import type { Hash } from "../../primitives/hex.ts";
import { keepNewest } from "../../primitives/recent.ts";
import { isLate } from "./escrow-side.ts";
import type { Lives } from "./lives.ts";
import { type Job, nameOf, type StoredAct, termsOf } from "./standing.ts";
import type { AgreementStore } from "./store.ts";

/** Number of the newest agreements, per party and in all, that decide whether a breaker is open. */
const PER_PARTY = 32;
const IN_ALL = 256;
/** Number of finished agreements whose outcomes are kept. */
const MAX_ENDED = 1_024;
const HOUR = 3_600;

/** What the city knows besides its agreements. */
export interface BreakerSources {
  /** Adjudicators' orders to stop new agreements. Default: none. */
  readonly stops?: (() => Promise<readonly BreakerOutcome[]>) | undefined;
  /** Results of evaluators' canaries. Default: none. */
  readonly canaries?: (() => Promise<readonly BreakerOutcome[]>) | undefined;
  /** Refusals of clients' payers. Default: none are asked. */
  readonly refused?: (() => Promise<readonly BreakerOutcome[]>) | undefined;
  /** Number of payments that the city sent and whose fate is unknown. Default: it sends none. */
  readonly unknown?: (() => Promise<number>) | undefined;
  readonly limits?: BreakerLimits | undefined;
}

export interface BreakersOptions extends BreakerSources {
  readonly store: AgreementStore;
  readonly lives: Lives;
  /** Whether this city follows an escrow. */
  readonly hasEscrow: boolean;
  /** The chain's clock, or the machine's: unix seconds. */
  readonly now: (isOnChain: boolean) => number;
}

export class Breakers {
  readonly #of: BreakersOptions;
  readonly #limits: BreakerLimits;
  /** Outcomes of finished agreements. */
  readonly #ended = new Map<Hash, readonly BreakerOutcome[]>();

  constructor(options: BreakersOptions) {
    this.#of = options;
    this.#limits = options.limits ?? BREAKER_LIMITS;
  }

  /** Those that are open now. */
  async open(): Promise<readonly OpenBreaker[]> {
    const { store, now } = this.#of;
    const time = now(false);
    const ids = await store.signed({ since: time - BREAKER_MEMORY, limit: IN_ALL });
    return this.#fold(ids, await store.proposals(time - HOUR));
  }

  /** Checks every breaker. Throws BreakerOpen. */
  async requireClosed(attempt: Attempt): Promise<void> {
    const { store, now } = this.#of;
    const { client, provider } = attempt.terms.parties;
    const time = now(false);
    const ids = await Promise.all(
      [client, provider].map(({ identity }) => store.signed({ name: nameOf(identity), since: time - BREAKER_MEMORY, limit: PER_PARTY })),
    );
    const proposed = await store.proposalsOf(nameOf(client.identity), time - HOUR, this.#limits.proposals);
    requireClosed(await this.#fold(ids.flat(), proposed), attempt);
  }

  async #fold(named: readonly Hash[], proposed: readonly BreakerOutcome[]): Promise<readonly OpenBreaker[]> {
    const { store, stops, canaries, refused, unknown, now } = this.#of;
    const ids = [...new Set(named)];
    const acts = await store.actsOf(ids.filter((id) => !this.#ended.has(id)));
    const known = await Promise.all(ids.map((id) => this.#outcomes(id, acts.get(id) ?? [])));
    const time = now(false);
    const lost = Array.from({ length: (await unknown?.()) ?? 0 }, () => ({ what: "unknown" as const, at: time }));
    const besides = [...((await stops?.()) ?? []), ...((await canaries?.()) ?? []), ...((await refused?.()) ?? [])];
    return openBreakers([...besides, ...lost, ...proposed, ...known.flat()], time, this.#limits);
  }

  /** Outcomes of an agreement; constant once it is over. */
  async #outcomes(id: Hash, acts: readonly StoredAct[]): Promise<readonly BreakerOutcome[]> {
    const before = this.#ended.get(id);
    if (before !== undefined) return before;
    const { lives, hasEscrow, now } = this.#of;
    // It was removed meanwhile, or is in an escrow that this city no longer follows.
    if (acts.length === 0 || (isEscrowed(termsOf(acts)) && !hasEscrow)) return [];
    const { life, status, due, job } = await lives.standing(id, acts);
    const { agreement } = life;
    if (agreement.signatures?.client === undefined || agreement.signatures.provider === undefined) return [];
    // Agreements with an escrow run by the chain's clock, breakers by the machine's.
    const shift = isEscrowed(agreement) ? now(false) - now(true) : 0;
    const dated = acts.map(({ act, at }) => ({ act, at: at + shift }));
    const outcomes = outcomesOf(id, life, {
      challenge: challengeIn(dated, job),
      isDisputed: status === "disputed",
      silentSince: isEscrowed(agreement) ? this.#silentInEscrow(job, shift) : silentIn(life, dated),
      judgedAt: dated.filter(({ act }) => act.act === "result").map(({ at }) => at),
    });
    if (due === undefined && status !== "active") keepNewest(this.#ended, id, outcomes, MAX_ENDED);
    return outcomes;
  }

  /** When the first evaluator of an escrow's job timed out, seconds; undefined if it has not. */
  #silentInEscrow(job: Job | undefined, shift: number): number | undefined {
    const { terms, view } = job ?? {};
    if (terms === undefined || view?.deliverable === undefined || view.agreed !== undefined) return undefined;
    const { now } = this.#of;
    return isLate(terms, view, now(true)) ? Math.min(view.dueAt + shift, now(false)) : undefined;
  }
}

type DatedAct = Pick<StoredAct, "act" | "at">;

/** Who challenged and when: by an act here, or at the escrow, where an act is filed later if at all. */
function challengeIn(
  dated: readonly DatedAct[],
  job: Job | undefined,
): { readonly by: "client" | "provider"; readonly at: number } | undefined {
  const filed = dated.find(({ act }) => act.act === "challenge");
  const challenged = job?.view?.challenged;
  const by = challenged === undefined ? filedBy(filed?.act) : challenged === job?.terms.client ? "client" : "provider";
  return by === undefined ? undefined : { by, at: filed?.at ?? dated.at(-1)?.at ?? 0 };
}

const filedBy = (act: Act | undefined) => (act?.act === "challenge" ? act.challenge.by : undefined);

/** When the first evaluator timed out without an escrow, seconds; undefined if it has not. */
function silentIn({ agreement, timed: { state } }: AgreementLife, dated: readonly DatedAct[]): number | undefined {
  const delivered = dated.find(({ act }) => act.act === "deliver");
  if (delivered === undefined || state.backups === 0 || state.division === "agreed") return undefined;
  const { sampling } = agreement.verification;
  const unopened = sampling === undefined ? 0 : (sampling.reveal_seconds ?? DEFAULTS.revealSeconds);
  const asked = dated.find(({ act }) => act.act === "sample")?.at ?? delivered.at + unopened;
  return asked + evaluatorSeconds(agreement);
}
