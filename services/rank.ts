import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { optionsSchema, textOption } from "./shared/options.ts";
import { ORDER, ranked } from "./shared/ranking.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "rank",
  title: "Ranks the items by a field",
  description:
    "Puts items in order of one field, largest or smallest first, and numbers them: first, second, third place. Use it to rank, sort or order files by length, rows by price, packages or texts by a score, the biggest, longest, most complex or worst on top. Items without the field come last.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: false,
  keepsFields: true,
  input: itemsInput(),
  output: itemsOutput(),
  options: optionsSchema(ORDER, ["field"]),
  capabilities: capabilities({ ordering: 160, numbers: 80 }),
  deterministic: true,
};

const rank: Service = (input) => {
  const direction = textOption(input, "direction", "descending") === "ascending" ? "ascending" : "descending";
  return { items: ranked(allItems(input), textOption(input, "field", "value"), direction) };
};
export default rank;
