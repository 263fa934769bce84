import { zeroAddress } from "viem";
import { OFFICES } from "../../../orchestrator/clerks/clerk.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity, positionIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Gives an office to a clerk whom a principal answers for. */
export async function appoint(office: string, clerk: string, principal: string, options: OrderOptions): Promise<void> {
  const target = addressIn(clerk, "clerk");
  const data = encodeActionData("APPOINT_CLERK", [numberOf(office), addressIn(principal, "principal")]);
  await give(options, async () => onCity("APPOINT_CLERK", { target, data }));
}

/** Takes an office away. */
export async function dismiss(office: string, clerk: string, options: OrderOptions): Promise<void> {
  await appoint(office, clerk, zeroAddress, options);
}

function numberOf(office: string): number {
  return positionIn(office, Object.keys(OFFICES), "office");
}
