import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, hashIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Closes the audit of the senior adjudicator's unilateral act. */
export async function auditUnilateral(senior: string, digest: string, options: OrderOptions): Promise<void> {
  const target = addressIn(senior, "senior");
  const data = encodeActionData("AUDIT_UNILATERAL", [hashIn(digest, "digest")]);
  await give(options, async () => onCity("AUDIT_UNILATERAL", { target, data }));
}
