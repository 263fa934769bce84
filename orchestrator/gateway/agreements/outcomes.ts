/** Outcome of a finished agreement for its provider, from its acts and its escrow. */
import { breachOf, type ClosingRecord, closingOf, isEscrowed } from "../../agreements/index.ts";
import type { Standing } from "./standing.ts";

/**
 * Fulfilled, disputed, or breached: nothing was delivered although both had signed and any escrow was funded. Undefined while it lives, if
 * both ended it, and if a delivery was never judged, which is not the provider's fault.
 */
export function outcomeOf({ life, status, job }: Standing): ClosingRecord | undefined {
  const { agreement, results, timed, verdict } = life;
  if (agreement.signatures?.client === undefined || agreement.signatures.provider === undefined) return undefined;
  if (!isEscrowed(agreement)) {
    if (status === "expired" && life.delivery === undefined) return breachOf(agreement);
    return verdict === undefined || timed.state.division === "agreed" ? undefined : closingOf(agreement, timed.state, verdict);
  }
  const view = job?.view;
  // The chain also says expired of money that was paid in and returned; a job that was never funded pays no one.
  if (view?.status === "expired" && view.deliverable === undefined) return (view.paid?.client ?? 0n) > 0n ? breachOf(agreement) : undefined;
  if (status !== "closed" || view?.judged === undefined || view.agreed !== undefined) return undefined;
  const { reason } = view.judged;
  const explained = results.find(({ hash }) => hash === reason);
  if (explained === undefined) return undefined;
  const ruling = view.ruled === undefined ? undefined : view.ruled / 100;
  const division = ruling === undefined ? "schedule" : "ruling";
  const record = closingOf(agreement, { status, division }, { ...explained, measured: explained.document.measured }, ruling);
  return record === undefined ? undefined : { ...record, disputed: view.challenged !== undefined };
}
