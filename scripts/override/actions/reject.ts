import { decisionOn } from "../../../orchestrator/city/humans/case-decisions.ts";
import { caseNamed } from "../../../orchestrator/city/humans/case-queue.ts";
import { give, type OrderOptions } from "../order.ts";

/** Rejects a case: work fails, a vote is void. A suspended mission needs no rejection: its deadline ends it. */
export async function reject(name: string, options: OrderOptions): Promise<void> {
  await give(options, async (office) => decisionOn(name, (await caseNamed(office, name)).subject, "reject"));
}
