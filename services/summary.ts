import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { frequentWords } from "./shared/frequent-words.ts";
import { allItems, textField } from "./shared/items.ts";
import { numberOption, optionsSchema } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { sentencesOf, wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "summary",
  title: "Summarises each text by its most telling sentences",
  description:
    "Makes a short summary of every text from its own sentences: those whose words the text uses most. Nothing is rewritten. Gives the gist or main points of reports, minutes, notes and articles.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({
    summary: { type: "string" },
    label: { type: "string" },
    value: { type: "integer", description: "sentences of the text" },
  }),
  options: optionsSchema({ sentences: { type: "integer", minimum: 1, maximum: 50, default: 3, description: "sentences of each summary" } }),
  capabilities: capabilities({ text: 200, aggregation: 80 }),
  deterministic: true,
};

/** Longest label, characters. */
const LABEL = 160;
/** What the first sentence counts more than another of the same words. */
const OPENING = 1.25;

const summary: Service = (input) => {
  const wanted = numberOption(input, "sentences", 3);
  return { items: allItems(input).map((item) => summarised(item, wanted)) };
};
export default summary;

function summarised(item: Item, wanted: number): Item {
  const text = textField(item, "text");
  const sentences = sentencesOf(text);
  const weights = frequentWords(text);
  const chosen = sentences
    .map((sentence, place) => ({ sentence, place, weight: weightOf(sentence, weights) * (place === 0 ? OPENING : 1) }))
    .sort((a, b) => b.weight - a.weight || a.place - b.place)
    .slice(0, wanted)
    .sort((a, b) => a.place - b.place)
    .map(({ sentence }) => sentence);
  const label = (chosen[0] ?? "nothing to summarise").slice(0, LABEL).toWellFormed();
  return { id: item.id, name: textField(item, "name") || item.id, summary: chosen.join(" "), label, value: sentences.length };
}

/** How often the text uses the sentence's words, so that neither long sentences nor headings win by their length. */
function weightOf(sentence: string, weights: ReadonlyMap<string, number>): number {
  const words = wordsOf(sentence);
  const sum = [...new Set(words)].reduce((total, word) => total + (weights.get(word) ?? 0), 0);
  return sum / Math.sqrt(Math.max(words.length, 8));
}
