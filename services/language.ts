import { francAll } from "franc-min";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { LANGUAGE_NAMES } from "./shared/language-names.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "language",
  title: "The language of each text",
  description:
    "Detects which language every text is written in, such as English, German, Spanish or Chinese, among 82 languages. Texts of less than a line are called unknown.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({ label: { type: "string" }, code: { type: "string", description: "ISO 639-3" } }),
  capabilities: capabilities({ classification: 200, text: 120 }),
  deterministic: true,
};

/** Characters looked at, and those below which three-letter runs say little. */
const HEAD = 5_000;
const LEAST = 24;

const language: Service = (input) => ({ items: allItems(input).map(languageOf) });
export default language;

function languageOf(item: Item): Item {
  const text = textField(item, "text").slice(0, HEAD);
  const [[code] = ["und"]] = francAll(text, { minLength: LEAST });
  return {
    id: item.id,
    name: textField(item, "name") || item.id,
    label: LANGUAGE_NAMES[code] ?? (code === "und" ? "unknown" : code),
    code,
  };
}
