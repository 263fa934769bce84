import { encodeActionData, institutionNames } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity, positionIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

const NOBODY = "0x0000000000000000000000000000000000000000";

/** Announces another procedure for an institution, which anybody enacts after the timelock; without an address, takes that back. */
export async function replace(institution: string, procedure: string | undefined, options: OrderOptions): Promise<void> {
  const target = addressIn(procedure ?? NOBODY, "procedure");
  const data = encodeActionData("AMEND_CONSTITUTION", [positionIn(institution, institutionNames, "institution")]);
  await give(options, async () => onCity("AMEND_CONSTITUTION", { target, data }));
}
