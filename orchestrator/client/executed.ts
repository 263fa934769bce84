import type { OverrideAction } from "../protocol/acts.ts";
import type { CityClient } from "./client.ts";
import { orderDigest } from "./sign/order.ts";

/** Whether an order was carried out. The chain's state keeps only the last approval of a mission; earlier ones are in its log. */
export async function wasExecuted(client: CityClient, order: OverrideAction): Promise<boolean> {
  const { adjudication } = client;
  if (await adjudication.isExecuted(order)) return true;
  if (!(await adjudication.rowOf(order.action)).rotates) return false;
  return (await adjudication.history("OverrideExecuted", { digest: orderDigest(client, order) })).length > 0;
}
