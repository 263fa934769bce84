import { zeroAddress } from "viem";
import { encodeActionData, institutionNames } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity, positionIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Announces another procedure for an institution, which anyone may enact after the timelock; without an address, withdraws the announcement. */
export async function replace(institution: string, procedure: string | undefined, options: OrderOptions): Promise<void> {
  const target = addressIn(procedure ?? zeroAddress, "procedure");
  const data = encodeActionData("AMEND_CONSTITUTION", [positionIn(institution, institutionNames, "institution")]);
  await give(options, async () => onCity("AMEND_CONSTITUTION", { target, data }));
}
