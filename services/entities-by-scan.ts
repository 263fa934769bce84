import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText, textField } from "./shared/items.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "entities-by-scan",
  title: "Addresses, dates, amounts, versions and names, read word by word",
  description:
    "Finds e-mail addresses, web addresses, dates, sums of money, version numbers and names of people or organisations in each text, by reading it word by word. A second opinion beside extract-entities: the two are compared as sets.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput(),
  output: itemsOutput({ entities: { type: "object" }, value: { type: "number" } }),
  capabilities: capabilities({ retrieval: 80, parsing: 160, text: 160 }),
  deterministic: true,
};

const FIELDS = ["title", "description", "text", "readmeHead", "document"];
const CURRENCIES = ["USD", "EUR", "GBP", "tokens"];

/** The same entities as `extract-entities`, found otherwise: what both find is unlikely to be either's mistake. */
const entitiesByScan: Service = (input) => ({ items: allItems(input).map(entitiesOf) });
export default entitiesByScan;

function entitiesOf(item: Item): Item {
  const found: Record<string, Set<string>> = Object.fromEntries(
    ["emails", "urls", "dates", "amounts", "versions", "names"].map((kind) => [kind, new Set<string>()]),
  );
  for (const line of FIELDS.flatMap((field) => textField(item, field).split("\n"))) scan(line.split(/[\s<>"()[\]]+/), found);
  return {
    id: item.id,
    name: textField(item, "name") || item.id,
    entities: Object.fromEntries(Object.entries(found).map(([kind, set]) => [kind, [...set].sort(compareText)])),
    value: Object.values(found).reduce((sum, set) => sum + set.size, 0),
  };
}

function scan(words: readonly string[], found: Readonly<Record<string, Set<string>>>): void {
  let name: string[] = [];
  const endName = (): void => {
    if (name.length > 1) found["names"]?.add(name.join(" "));
    name = [];
  };
  for (const [index, raw] of words.entries()) {
    const word = raw.replace(/^['‘“]+|[.,;:!?'’”]+$/g, "");
    const kind = kindOf(word);
    if (kind !== undefined) found[kind]?.add(word);
    else if (isNumber(word) && CURRENCIES.includes(plain(words[index + 1]))) found["amounts"]?.add(`${word} ${plain(words[index + 1])}`);
    if (isCapitalised(word)) name.push(word);
    else endName();
    // A sentence or a list ends the name with the word that it ends.
    if (/[.,;:!?]$/.test(raw)) endName();
  }
  endName();
}

function kindOf(word: string): string | undefined {
  if (/^https?:\/\/./i.test(word)) return "urls";
  const [before = "", after = "", ...more] = word.split("@");
  if (more.length === 0 && before !== "" && after.includes(".") && !after.startsWith(".")) return "emails";
  if (/^(19|20)\d\d-\d\d-\d\d$/.test(word) && Number(word.slice(5, 7)) <= 12 && Number(word.slice(8)) <= 31) return "dates";
  if (/^[$€£]/.test(word) && isNumber(word.slice(1))) return "amounts";
  const parts = word.replace(/^v/, "").split("-")[0]?.split(".") ?? [];
  return parts.length === 3 && parts.every((part) => /^\d{1,6}$/.test(part)) ? "versions" : undefined;
}

function isNumber(word: string): boolean {
  return /^\d[\d,]*(\.\d+)?$/.test(word);
}

/** A capital and small letters after it: neither acronyms nor initials. */
function isCapitalised(word: string): boolean {
  return /^\p{Lu}\p{Ll}+$/u.test(word);
}

function plain(word: string | undefined): string {
  return word?.replace(/[.,;:!?]+$/, "") ?? "";
}
