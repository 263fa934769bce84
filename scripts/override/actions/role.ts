import { zeroAddress } from "viem";
import { encodeActionData, evidenceRoles } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity, positionIn, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Gives an account an evidence role; `value` is an issuer's classes or a verifier's weight. NONE removes all its roles. */
export async function role(
  account: string,
  name: string,
  principal: string | undefined,
  value: string | undefined,
  options: OrderOptions,
): Promise<void> {
  const target = addressIn(account, "account");
  const data = encodeActionData("REGISTER_ISSUER", [
    positionIn(name, evidenceRoles, "role"),
    addressIn(principal ?? zeroAddress, "principal"),
    wholeIn(value ?? "0", "value", 0, 65_535),
  ]);
  await give(options, async () => onCity("REGISTER_ISSUER", { target, data }));
}
