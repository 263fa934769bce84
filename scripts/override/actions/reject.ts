import { decisionOn } from "../../../orchestrator/city/humans/case-decisions.ts";
import { caseNamed } from "../../../orchestrator/city/humans/case-queue.ts";
import { give, type OrderOptions } from "../order.ts";

/** Refuses what waits: work fails, a vote is void. A suspended mission needs no refusal: its own time ends it. */
export async function reject(name: string, options: OrderOptions): Promise<void> {
  await give(options, async (office) => decisionOn(name, (await caseNamed(office, name)).subject, "reject"));
}
