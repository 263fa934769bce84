import { capabilities } from "./capabilities.ts";
import type { Item, Service, ServiceAbout } from "./contract.ts";
import { allItems, textField } from "./items.ts";
import { itemsInput, itemsOutput } from "./schemas.ts";

/** What services have in common that say how a text feels, each by its own method. */
export const ABOUT_SENTIMENT: Omit<ServiceAbout, "id" | "title" | "description"> = {
  accepts: ["files", "urls", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput(),
  output: itemsOutput({ label: { enum: ["POSITIVE", "NEGATIVE", "NEUTRAL"] }, value: { type: "number" } }),
  capabilities: capabilities({ classification: 200, text: 120 }),
  deterministic: true,
};

/** Makes a service of a method that gives a text from −1 (negative) to 1 (positive). Within `neutral` of 0 it is neither. */
export function sentimentBy(score: (text: string) => number, neutral: number): Service {
  return (input) => ({
    items: allItems(input).map((item): Item => {
      const value = Math.round(Math.max(-1, Math.min(1, score(textField(item, "text")))) * 1_000) / 1_000;
      const label = value > neutral ? "POSITIVE" : value < -neutral ? "NEGATIVE" : "NEUTRAL";
      return { id: item.id, name: textField(item, "name") || item.id, label, value };
    }),
  });
}
