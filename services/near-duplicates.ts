import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText, textField } from "./shared/items.ts";
import { numberOption, optionsSchema } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { overlapOf, sketchOf } from "./shared/sketch.ts";

export const about: ServiceAbout = {
  id: "near-duplicates",
  title: "Finds texts that are nearly the same",
  description:
    "Compares all texts with each other and finds duplicates and near copies: documents that share most of their wording, such as plagiarism, old versions or copied letters. Says how similar each is to the one it resembles most.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: false,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({
    label: { type: "string" },
    of: { type: ["string", "null"] },
    value: { type: "number", description: "similarity, 0 to 1" },
  }),
  options: optionsSchema({
    atLeast: {
      type: "number",
      minimum: 0.1,
      maximum: 1,
      default: 0.7,
      description: "share of the wording that two texts must have in common",
    },
  }),
  capabilities: capabilities({ text: 160, classification: 120 }),
  deterministic: true,
};

/** Each text against the one before it (in order of id) that it resembles most: the first of a group of copies is the original. */
const nearDuplicates: Service = (input) => {
  const atLeast = numberOption(input, "atLeast", 0.7);
  const texts = allItems(input)
    .sort((a, b) => compareText(a.id, b.id))
    .map((item) => ({ item, sketch: sketchOf(textField(item, "text")) }));
  const holders = new Map<number, Text[]>();
  const items = texts.map((text): Item => {
    const { id, value } = mostAlike(text, holders);
    for (const mark of text.sketch) {
      const before = holders.get(mark) ?? [];
      if (before.length < CROWD) holders.set(mark, [...before, text]);
    }
    const of = value >= atLeast ? id : null;
    const name = textField(text.item, "name") || text.item.id;
    const label = of === null ? "unique" : `nearly the same as ${of}`;
    return { id: text.item.id, name, label, of, value: Math.round(value * 100) / 100 };
  });
  return { items };
};
export default nearDuplicates;

/** Wording that more texts share says nothing about any two of them. */
const CROWD = 200;

interface Text {
  readonly item: Item;
  readonly sketch: readonly number[];
}

/** Of the texts that share any wording with this one, the first that shares most. */
function mostAlike({ sketch }: Text, holders: ReadonlyMap<number, readonly Text[]>): { id: string | null; value: number } {
  const others = new Set(sketch.flatMap((mark) => holders.get(mark) ?? []));
  let best: { id: string | null; value: number } = { id: null, value: 0 };
  for (const other of [...others].sort((a, b) => compareText(a.item.id, b.item.id))) {
    const value = overlapOf(sketch, other.sketch);
    if (value > best.value) best = { id: other.item.id, value };
  }
  return best;
}
