import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText, textField } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "extract-entities",
  title: "Addresses, dates, amounts, versions and names in each item's text",
  description:
    "Finds e-mail addresses, web addresses, dates, amounts of money, version numbers and names of people or places in texts. Use it to extract or list who, when and how much.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: itemsOutput({ entities: { type: "object" }, value: { type: "number" } }),
  capabilities: capabilities({ retrieval: 80, parsing: 160, text: 160 }),
  deterministic: true,
};

/** Kinds of entities by how they are written. Every pattern is linear in the text. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["emails", /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?![\w-])/gi],
  ["urls", /\bhttps?:\/\/[^\s<>"')\]]{1,2000}/gi],
  ["dates", /(?<![\d-])(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\d-])/g],
  ["amounts", /(?:[$€£]\s?\d[\d,]{0,20}(?:\.\d{1,6})?|(?<![\d.,])\d[\d,]{0,20}(?:\.\d{1,6})?\s?(?:USD|EUR|GBP|tokens))\b/g],
  ["versions", /(?<![\w.])v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.]{1,32})?(?![\w.-]*\w)/g],
  ["names", /(?<![\w.])\p{Lu}\p{Ll}{1,40}(?: \p{Lu}\p{Ll}{1,40}){1,4}(?!\w)/gu],
];

/** Fields in which people write. */
const FIELDS = ["title", "description", "text", "readmeHead", "document"];

const extractEntities: Service = (input) => ({ items: allItems(input).map(entitiesOf) });
export default extractEntities;

/** Each entity once, in order of code units; `value` is how many there are. */
function entitiesOf(item: Item): Item {
  const text = FIELDS.map((field) => textField(item, field)).join("\n");
  const found = KINDS.map(([kind, pattern]) => {
    const all = text.match(pattern) ?? [];
    return [kind, [...new Set(all.map((entity) => entity.replace(/[.,;:!?]+$/, "")))].sort(compareText)] as const;
  });
  return {
    id: item.id,
    name: textField(item, "name") || item.id,
    entities: Object.fromEntries(found),
    value: found.reduce((sum, [, list]) => sum + list.length, 0),
  };
}
