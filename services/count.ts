import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "count",
  title: "Counts items, altogether and by label, topic and kind",
  description: "Counts how many items there are, and how many have each label, topic and kind. Use it for totals and frequencies.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: false,
  input: SERVICE_INPUT,
  output: itemsOutput({ value: { type: "number" } }),
  capabilities: capabilities({ aggregation: 160, numbers: 160 }),
  deterministic: true,
};

const COUNTED = ["kind", "label", "topic"];

const count: Service = (input) => {
  const items = allItems(input);
  const counts = new Map<string, number>([["items", items.length]]);
  for (const item of items) {
    for (const field of COUNTED) {
      const value = item[field];
      if (typeof value !== "string") continue;
      const key = `${field}=${value}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return { items: [...counts].sort(([a], [b]) => compareText(a, b)).map(([id, value]) => ({ id, value })) };
};
export default count;
