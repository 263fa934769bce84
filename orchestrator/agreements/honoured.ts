import { AgreementRefused } from "./errors.ts";
import { isDollar } from "./money.ts";
import type { Agreement } from "./schema.ts";

/** What an arbiter has in any case: the signed acts. */
const EVIDENCE: readonly string[] = ["agreement", "deliverable_hash", "verification_result"];

/** A term that nobody here acts on, and what to write instead; undefined if the terms do not have it. */
const UNHONOURED: Readonly<Record<string, (agreement: Agreement) => string | undefined>> = {
  "service.resources": ({ service }) =>
    service.resources && "nobody sees what a provider uses: limit what can be measured, under service.constraints",
  "service.constraints.max_cost_usd": ({ service, escrow }) => {
    const isPriced = escrow?.enabled === true && isDollar(escrow.payment.currency);
    return service.constraints?.max_cost_usd === undefined || isPriced
      ? undefined
      : "it limits a price in dollars, and this agreement has none: leave it out";
  },
  "verification.canary_tasks.frequency": ({ verification: { canary_tasks: canaries } }) =>
    other(canaries?.frequency, ["1_per_5_deliveries"]),
  "verification.canary_tasks.failure_action": ({ verification: { canary_tasks: canaries } }) =>
    other(canaries?.failure_action, ["flag_and_continue"]),
  "verification.consensus.method": ({ verification }) => other(verification.consensus?.method, ["median"]),
  "dispute.evidence_includes": ({ dispute }) =>
    dispute?.evidence_includes?.map((each) => other(each, EVIDENCE)).find((problem) => problem !== undefined),
  "escrow.payment.graduated_release.dynamic": ({ escrow }) => {
    const dynamic = escrow?.payment.graduated_release?.dynamic;
    return dynamic === undefined || dynamic === false ? undefined : "write the tiers that dynamicTiers returns, so that both sign them";
  },
};

function other(word: string | undefined, known: readonly string[]): string | undefined {
  return word === undefined || known.includes(word) ? undefined : `${word} is unknown; known: ${known.join(", ")}`;
}

/**
 * Refuses to begin an agreement with terms that both parties would sign and nobody would enforce. Such a document can still be read: another
 * system may honour it. Throws NotHonoured.
 */
export function requireHonoured(agreement: Agreement): void {
  for (const [term, problemOf] of Object.entries(UNHONOURED)) {
    const problem = problemOf(agreement);
    if (problem !== undefined) throw new AgreementRefused("NotHonoured", `Nobody here would enforce ${term}`, problem);
  }
}
