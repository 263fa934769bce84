import { keccak256 } from "../../../orchestrator/primitives/hash.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, hashIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Publishes a version of a template: missions of later sessions are cloned from it, existing missions keep theirs. */
export async function publish(implementation: string, name: string, auditHash: string, options: OrderOptions): Promise<void> {
  const target = addressIn(implementation, "implementation");
  const data = encodeActionData("PUBLISH_TEMPLATE", [keccak256(new TextEncoder().encode(name)), hashIn(auditHash, "audit hash")]);
  await give(options, async () => onCity("PUBLISH_TEMPLATE", { target, data }));
}
