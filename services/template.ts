/**
 * A service to copy (docs/services.md): put it into a directory of your own, rename it, and name the directory under `services` in a
 * mission file. It is not in the catalogue. Your copy may drop the type imports: JavaScript will do.
 */
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";
import { wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "longest-word",
  title: "The longest word of each item's text",
  description: "Finds the longest word of each text and how long it is. Copy it to begin a service of your own.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: itemsOutput({ label: { type: "string" }, value: { type: "number" } }),
  capabilities: capabilities({ text: 120 }),
  deterministic: true,
};

/** One answer per item: `label` for words, `value` for numbers, so that other services, and tier 2's comparison, understand it. */
const longestWord: Service = (input) => ({ items: allItems(input).map(answer) });
export default longestWord;

function answer(item: Item): Item {
  const [longest = ""] = wordsOf(textField(item, "text")).sort((a, b) => b.length - a.length);
  return { id: item.id, label: longest, value: longest.length };
}
