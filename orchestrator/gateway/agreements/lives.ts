/** The state of agreements, derived from their acts and from the escrow. Signatures checked before are not checked again. */
import { type AgreementLife, dueAt, isEscrowed, keysIn, lifeAt, openLife, owedIn, resultIn, take } from "../../agreements/index.ts";
import type { Hash } from "../../primitives/hex.ts";
import { keepNewest } from "../../primitives/recent.ts";
import type { Sql } from "../../records/sql.ts";
import { paymentOfDebt } from "../x402.ts";
import { x402BindingSchema } from "./bindings.ts";
import type { EscrowSide } from "./escrow-side.ts";
import type { Releases } from "./releases.ts";
import { type Standing, type StoredAct, termsOf } from "./standing.ts";
import type { AgreementStore } from "./store.ts";

/** Number of cached lives, so that readers do not cause signature checks. */
const MAX_LIVES = 1_024;

/** Key of an agreement's payment. */
export const debtOf = (id: Hash): string => `agreement ${id}`;

const UNSENT = { state: "due", attempts: 0, reference: null, problem: null } as const;

export interface LivesOptions {
  readonly sql: Sql;
  readonly store: AgreementStore;
  readonly escrow: EscrowSide;
  readonly releases: Pick<Releases, "of"> | undefined;
  /** The clock of agreements with an escrow, or of the others: unix seconds. */
  readonly now: (isOnChain: boolean) => number;
}

export class Lives {
  readonly #of: LivesOptions;
  /** Agreements known to be funded in the escrow. */
  readonly #funded = new Map<Hash, true>();
  readonly #lives = new Map<Hash, { readonly life: AgreementLife; readonly count: number }>();

  constructor(options: LivesOptions) {
    this.#of = options;
  }

  async standing(id: Hash, acts: readonly StoredAct[]): Promise<Standing> {
    const { escrow, now } = this.#of;
    const past = await this.past(id, acts);
    const life = lifeAt(past, now(isEscrowed(past.agreement)));
    const { agreement } = life;
    const job = await escrow.jobOf(life);
    if (job === undefined || agreement.status !== "active")
      return { id, life, status: agreement.status, due: dueAt(agreement, life.timed), job, ...(await this.#afterwards(id, life)) };
    if (job.view !== undefined && job.view.status !== "open") await this.#markFunded(id);
    return { id, life, job, owed: undefined, release: undefined, ...escrow.led(job) };
  }

  /** The life that follows from these acts. */
  async past(id: Hash, acts: readonly StoredAct[]): Promise<AgreementLife> {
    let { life, count } = this.#lives.get(id) ?? { life: undefined, count: 0 };
    const keyOf = keysIn(life?.agreement ?? termsOf(acts));
    for (const { act, at } of acts.slice(count)) {
      // A result contains the history of earlier deliveries known when it was accepted.
      const history = act.act === "result" ? (resultIn(act.result).history ?? []) : [];
      const now = { keyOf, now: at, isKept: true, history: () => history };
      const submitted = life === undefined || act.act !== "result" ? undefined : (await this.#of.escrow.jobOf(life))?.view?.deliverable;
      life = life === undefined ? openLife(act, now) : take(life, act, { ...now, ...(submitted === undefined ? {} : { submitted }) });
      count += 1;
    }
    if (life === undefined) throw new RangeError("an agreement without acts");
    keepNewest(this.#lives, id, { life, count }, MAX_LIVES);
    return life;
  }

  async #markFunded(id: Hash): Promise<void> {
    if (this.#funded.has(id)) return;
    await this.#of.store.markFunded(id);
    keepNewest(this.#funded, id, true, MAX_LIVES);
  }

  /** What is to be paid once it is over: by whom, and whether it is. */
  async #afterwards(id: Hash, life: AgreementLife): Promise<Pick<Standing, "owed" | "release">> {
    const amount = owedIn(life)?.provider;
    if (amount === undefined) return { owed: undefined, release: undefined };
    if (life.agreement.escrow?.binding.type !== "http_callback") return { owed: await this.#owed(id, life, amount), release: undefined };
    const found = await this.#of.releases?.of(id);
    const isLooked = found !== undefined && found.state !== "waiting";
    return { owed: undefined, release: { amount, ...(isLooked ? found : { ...UNSENT, due: found?.due ?? null }) } };
  }

  async #owed(id: Hash, life: AgreementLife, amount: bigint): Promise<Standing["owed"]> {
    const { wallets } = x402BindingSchema.parse(life.agreement.escrow?.binding);
    return { amount, payTo: wallets.provider, paid: await paymentOfDebt(this.#of.sql, debtOf(id)) };
  }
}
