import {
  type AgreementState,
  advance,
  concludes,
  deadlineOf,
  isEscrowed,
  isOver,
  type LifecycleTerms,
  lifecycleTerms,
  PROPOSED,
} from "./lifecycle.ts";
import { type Agreement, DEFAULTS } from "./schema.ts";

/** An agreement's state, and the unix second in which it was entered or last changed. */
export interface Timed {
  readonly state: AgreementState;
  readonly since: number;
}

/** The latest second at which an agreement signed now can end, if every state lasts as long as possible. */
export function overBy(agreement: Agreement, now: number): number {
  const live = (change: Partial<AgreementState>) => deadlineOf({ ...PROPOSED, ...change }, agreement) ?? 0;
  const unfunded = isEscrowed(agreement) ? live({ status: "active" }) : 0;
  const drawn = agreement.verification.sampling === undefined ? 0 : live({ status: "delivered", lot: "open" });
  const asked = Array.from({ length: 1 + DEFAULTS.maxBackups }, (_, backups) => live({ status: "delivered", backups }));
  const heard = asked.reduce((sum, seconds) => sum + seconds, drawn);
  return now + unfunded + live({ status: "active", funded: true }) + heard + live({ status: "verified" }) + live({ status: "disputed" });
}

/** Unix second of the next timeout; an offer expires with its agreement. Undefined once the agreement has ended. */
export function dueAt(agreement: Agreement, { state, since }: Timed): number | undefined {
  const seconds = deadlineOf(state, agreement);
  if (seconds === undefined) return undefined;
  const open = state.status === "proposed" || state.status === "negotiating";
  return open ? Math.min(since + seconds, Date.parse(agreement.expires_at) / 1000) : since + seconds;
}

function clockEvent(state: AgreementState, terms: LifecycleTerms): "file" | "conclude" | "timeout" {
  if (state.status === "verified" && state.files) return "file";
  return concludes(state, terms) ? "conclude" : "timeout";
}

/**
 * Applies every timeout due by `now`, in order, each at its own second. Pure and idempotent: late, repeated or concurrent calls give the
 * same state.
 */
export function runClock(agreement: Agreement, timed: Timed, now: number): Timed {
  let at = timed;
  const terms = lifecycleTerms(agreement);
  for (let due = dueAt(agreement, at); due !== undefined && due <= now && !isOver(at.state); due = dueAt(agreement, at))
    at = { state: advance(at.state, { name: clockEvent(at.state, terms) }, terms), since: due };
  return at;
}
