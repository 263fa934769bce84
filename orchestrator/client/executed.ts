import type { OverrideAction } from "../protocol/acts.ts";
import type { CityClient } from "./client.ts";
import { orderDigest } from "./sign/order.ts";

/** Whether an order was carried out. Of a mission's approvals the chain's state has only the last one: earlier ones are in its log. */
export async function wasExecuted(client: CityClient, order: OverrideAction): Promise<boolean> {
  const { adjudication } = client;
  if (await adjudication.isExecuted(order)) return true;
  if (!(await adjudication.rowOf(order.action)).rotates) return false;
  return (await adjudication.history("OverrideExecuted", { digest: orderDigest(client, order) })).length > 0;
}
