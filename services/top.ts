import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { numberOption, optionsSchema, textOption } from "./shared/options.ts";
import { ORDER, ranked } from "./shared/ranking.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "top",
  title: "The first n items by a field",
  description:
    "Keeps the n items with the largest or smallest value of a field: the top ten, the five biggest or longest, the three cheapest, the single highest. Items without the field are left out.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: false,
  drops: true,
  keepsFields: true,
  input: itemsInput(),
  output: itemsOutput({ rank: { type: "integer", minimum: 1 } }),
  options: optionsSchema(
    { n: { type: "integer", minimum: 1, maximum: 50_000, default: 10, description: "how many items to keep" }, ...ORDER },
    ["field"],
  ),
  capabilities: capabilities({ ordering: 120, numbers: 40 }),
  deterministic: true,
};

/** Exactly n where there are as many: of items that share the last place, those with the lower ids. */
const top: Service = (input) => {
  const direction = textOption(input, "direction", "descending") === "ascending" ? "ascending" : "descending";
  const inOrder = ranked(allItems(input), textOption(input, "field", "value"), direction);
  return { items: inOrder.filter((item: Item) => item["rank"] !== undefined).slice(0, numberOption(input, "n", 10)) };
};
export default top;
