import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText, textField } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "sort",
  title: "Orders items by label, then name, then id",
  description: "Puts items into order by their label, then their name. Use it to order or arrange a list before it is written down.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: false,
  keepsFields: true,
  input: SERVICE_INPUT,
  output: itemsOutput(),
  capabilities: capabilities({ ordering: 240 }),
  deterministic: true,
};

const KEYS = ["label", "name", "id"];

const sort: Service = (input) => ({
  items: allItems(input).sort(
    (a, b) => KEYS.map((key) => compareText(textField(a, key), textField(b, key))).find((order) => order !== 0) ?? 0,
  ),
});
export default sort;
