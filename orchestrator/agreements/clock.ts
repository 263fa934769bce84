import { type AgreementState, advance, deadlineOf, isOver, lifecycleTerms } from "./lifecycle.ts";
import type { Agreement } from "./schema.ts";

/** An agreement's state, and the unix second in which it came to it or something last happened in it. */
export interface Timed {
  readonly state: AgreementState;
  readonly since: number;
}

/** When silence leads on, unix seconds; an offer lapses when its agreement would. Undefined once it is over. */
export function dueAt(agreement: Agreement, { state, since }: Timed): number | undefined {
  const seconds = deadlineOf(state, agreement);
  if (seconds === undefined) return undefined;
  const open = state.status === "proposed" || state.status === "negotiating";
  return open ? Math.min(since + seconds, Date.parse(agreement.expires_at) / 1000) : since + seconds;
}

/**
 * What the clock has done to an agreement by `now`: every dead-man's switch that is due, in order, each at its own second. Pure and
 * idempotent: called late, often or by several, it comes to the same.
 */
export function runClock(agreement: Agreement, timed: Timed, now: number): Timed {
  let at = timed;
  for (let due = dueAt(agreement, at); due !== undefined && due <= now && !isOver(at.state); due = dueAt(agreement, at))
    at = { state: advance(at.state, { name: "timeout" }, lifecycleTerms(agreement)), since: due };
  return at;
}
