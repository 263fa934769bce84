import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { countedWords, sentencesOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "word-count",
  title: "Counts the words, sentences, lines and characters of each text",
  description:
    "Counts words, sentences, lines and characters of every text, and says how many minutes it takes to read. Shows how long each document, essay, note or letter is, so that the longest or shortest can be found.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({
    words: { type: "integer" },
    sentences: { type: "integer" },
    lines: { type: "integer" },
    characters: { type: "integer" },
    minutes: { type: "number", description: "reading time" },
    value: { type: "integer", description: "words: the length of the text" },
  }),
  capabilities: capabilities({ text: 160, numbers: 40 }),
  deterministic: true,
};

const WORDS_A_MINUTE = 200;

const wordCount: Service = (input) => ({ items: allItems(input).map(counted) });
export default wordCount;

/** Of a text that was not read to its end, only the part that was read is counted; its `problem` says so. */
function counted(item: Item): Item {
  const text = textField(item, "text");
  const words = countedWords(text).length;
  const problem = textField(item, "problem");
  return {
    id: item.id,
    name: textField(item, "name") || item.id,
    words,
    sentences: sentencesOf(text).length,
    lines: text === "" ? 0 : text.replace(/(\r\n|\n|\r)$/, "").split(/\r\n|\n|\r/).length,
    characters: [...text].length,
    minutes: Math.round((10 * words) / WORDS_A_MINUTE) / 10,
    value: words,
    ...(problem === "" ? {} : { problem }),
  };
}
