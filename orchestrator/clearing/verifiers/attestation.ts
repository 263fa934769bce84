import { BASIS_POINTS } from "../../primitives/amounts.ts";
import type { JsonValue } from "../../primitives/json.ts";
import { floorFor } from "../obligation.ts";
import { abstain, itemsOfType, type Seat, type Verifier } from "./verifier.ts";

/** A claim verifier's result, as far as a verdict needs it. */
export interface ClaimOutcome {
  readonly status: "verified" | "rejected" | "unverifiable";
  readonly method: string;
  /** Its oracle can only be replayed, not recomputed, so it is not evidence of class ATT or PROOF. */
  readonly replayable?: boolean;
}

/** Port that verifies a claim attestation; this folder does not know how. */
export type VerifyClaim = (claim: JsonValue) => Promise<ClaimOutcome>;

/** Re-verifies claim attestations. All must be verified; one rejection fails; one unverifiable claim abstains. */
export function attestationVerifier(seat: Seat & { readonly types: readonly string[]; readonly verifyClaim: VerifyClaim }): Verifier {
  const { confidence = BASIS_POINTS, loss } = seat;
  return {
    ...seat,
    role: "attestation",
    async examine(file) {
      const claims = itemsOfType(file, seat.types, seat.answers);
      const outcomes: ClaimOutcome[] = [];
      for (const { item } of claims) {
        outcomes.push(
          item.content === undefined ? { status: "unverifiable", method: "no claim travels" } : await seat.verifyClaim(item.content),
        );
      }
      if (outcomes.length === 0) return abstain("no claims");
      const high = seat.answers.some(({ question }) => file.admissibility.geq(floorFor(file.obligation, "fee_release", question), "ATT"));
      if (high && outcomes.some(({ replayable }) => replayable === true))
        return abstain("a replayable oracle is no basis under this floor");
      const rationale = outcomes.map(({ status, method }) => `${status} by ${method}`).join("; ");
      if (outcomes.some(({ status }) => status === "rejected")) {
        return { verdict: "FAIL", confidence, basis: claims, rationale, ...(loss === undefined ? {} : { loss }) };
      }
      if (outcomes.some(({ status }) => status === "unverifiable")) return abstain(rationale);
      return { verdict: "PASS", confidence, basis: claims, rationale };
    },
  };
}
