import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { frequentWords } from "./shared/frequent-words.ts";
import { allItems, textField } from "./shared/items.ts";
import { numberOption, optionsSchema } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "keywords",
  title: "The key words of each text",
  description:
    "Finds the words that a text uses most and that carry meaning: its key words, tags or subjects, without filler words, in seventeen languages. Shows what each document or note is about.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({ keywords: { type: "array", items: { type: "string" } }, label: { type: "string" }, value: { type: "integer" } }),
  options: optionsSchema({
    most: { type: "integer", minimum: 1, maximum: 100, default: 10, description: "key words for each text, at most" },
  }),
  capabilities: capabilities({ text: 160, classification: 40 }),
  deterministic: true,
};

/** Words in the label. */
const NAMED = 5;

const keywords: Service = (input) => {
  const most = numberOption(input, "most", 10);
  return { items: allItems(input).map((item) => keywordsOf(item, most)) };
};
export default keywords;

/** `label` is the first few, `value` how many different words carry meaning. */
function keywordsOf(item: Item, most: number): Item {
  const found = [...frequentWords(textField(item, "text")).keys()];
  const kept = found.slice(0, most);
  const label = kept.slice(0, NAMED).join(", ") || "none";
  return { id: item.id, name: textField(item, "name") || item.id, keywords: kept, label, value: found.length };
}
