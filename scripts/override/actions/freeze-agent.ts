import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Bars one agent from new work for a time, or lifts the freeze. */
export async function freezeAgent(agent: string, options: OrderOptions & { readonly lift?: boolean }): Promise<void> {
  const target = addressIn(agent, "agent");
  const data = encodeActionData("FREEZE_AGENT", [options.lift !== true]);
  await give(options, async () => onCity("FREEZE_AGENT", { target, data }));
}
