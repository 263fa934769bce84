import { zeroAddress } from "viem";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, officeIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Gives an office to a clerk; a principal is responsible for it. */
export async function appoint(office: string, clerk: string, principal: string, options: OrderOptions): Promise<void> {
  const target = addressIn(clerk, "clerk");
  const data = encodeActionData("APPOINT_CLERK", [officeIn(office), addressIn(principal, "principal")]);
  await give(options, async () => onCity("APPOINT_CLERK", { target, data }));
}

/** Takes an office away. */
export async function dismiss(office: string, clerk: string, options: OrderOptions): Promise<void> {
  await appoint(office, clerk, zeroAddress, options);
}
