import { decisionOn } from "../../../orchestrator/city/humans/case-decisions.ts";
import { caseNamed } from "../../../orchestrator/city/humans/case-queue.ts";
import { give, type OrderOptions } from "../order.ts";

/** Approves a case: accepts work or releases it from a freeze, confirms a vote, resumes a suspended mission. */
export async function approve(name: string, options: OrderOptions): Promise<void> {
  await give(options, async (office) => decisionOn(name, (await caseNamed(office, name)).subject, "approve"));
}
