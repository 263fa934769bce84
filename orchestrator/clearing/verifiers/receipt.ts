import { applyRules, type Rules } from "./constraint.ts";
import type { Seat, Verifier } from "./verifier.ts";

export interface ReceiptSeat extends Seat {
  readonly rules: Rules;
  /** Systems whose receipts it accepts. */
  readonly issuers: readonly string[];
}

/** Receipts of independent systems: CI runners, scanners, ledgers (RAILS 5.6). Work without such a receipt does not exist for it. */
export function receiptVerifier(seat: ReceiptSeat): Verifier {
  return {
    ...seat,
    role: "receipt",
    examine: (file) =>
      applyRules(
        seat,
        seat.rules,
        file,
        ({ item, class: proven }) => file.admissibility.geq(proven, "REC") && seat.issuers.includes(item.provenance[0]?.emitter ?? ""),
      ),
  };
}
