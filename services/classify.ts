import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { labelled } from "./shared/labelled.ts";
import { LABELS_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";
import { topicOf } from "./shared/topics.ts";

export const about: ServiceAbout = {
  id: "classify",
  title: "Topic of each item by its keywords, name and words",
  description:
    "Sorts items into topics such as testing, web, database or cli by counting the words that speak for each. It looks at keywords, names, descriptions and texts. Use it to group or categorise packages, notes or pages by subject.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: LABELS_OUTPUT,
  capabilities: capabilities({ classification: 240, text: 80 }),
  deterministic: true,
};

const classify: Service = (input) => ({ items: allItems(input).map((item) => labelled(item, topicOf(item))) });
export default classify;
