import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import { capabilities } from "./capabilities.ts";
import type { Item, Service, ServiceAbout } from "./contract.ts";
import { textIn } from "./fields.ts";
import { allItems, textField } from "./items.ts";
import { listOption, optionsSchema, textOption } from "./options.ts";
import { itemsInput, itemsOutput } from "./schemas.ts";

/** Items that the tool takes in one call. */
const AT_ONCE = 40;
/** Of one item; what is longer is cut. */
const MAX_TEXT = 8_000;

/** What services have in common that ask the model at one place (from 0) of the task's list. */
export function aboutModel(place: number): Omit<ServiceAbout, "id" | "title" | "description"> {
  return {
    accepts: ["packages", "files", "csv", "urls", "items"],
    produces: "items",
    perItem: true,
    input: itemsInput(),
    output: itemsOutput({ model: { type: "string" } }),
    options: optionsSchema(
      {
        models: {
          type: "array",
          items: { type: "string", pattern: "^(openai|anthropic|ollama):\\S{1,100}$" },
          minItems: place + 1,
          maxItems: 3,
          uniqueItems: true,
          description: "chat models by provider and name; the key of each comes from the environment of whoever runs the city",
        },
        question: { type: "string", minLength: 1, maxLength: 4_000, description: "what to ask about each item" },
        labels: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 100 },
          maxItems: 50,
          uniqueItems: true,
          default: [],
          description: "the answers to choose from; without them the answer is free text",
        },
      },
      ["models", "question"],
    ),
    capabilities: capabilities({ classification: 200, text: 160 }),
    deterministic: false,
  };
}

/** Asks about each item by itself, so that what one says cannot reach the answer about another. `label` is the answer. */
export function askingModel(place: number): Service {
  return async (input, ctx) => {
    const model = listOption(input, "models")[place] ?? "";
    const asked = { model, question: textOption(input, "question", ""), labels: listOption(input, "labels") };
    const all = allItems(input);
    const items: Item[] = [];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const part = all.slice(from, from + AT_ONCE);
      const answers = await ctx.tool("model", { ...asked, items: part.map((item) => ({ id: item.id, text: textOf(item) })) });
      const found = new Map(listOf(answers).map((answer) => [textIn(answer["id"]), answer]));
      items.push(...part.map((item) => answered(item, model, found.get(item.id))));
    }
    const [first] = items;
    if (first !== undefined && items.every((item) => item["label"] === undefined))
      throw new Error(`${model}: ${textField(first, "problem")}`);
    return { items };
  };
}

/** Without an answer there is no label: an item is then compared as a whole, and the model's name keeps two silences apart. */
function answered(item: Item, model: string, answer: JsonObject | undefined): Item {
  const base = { id: item.id, name: textField(item, "name") || item.id, model };
  const label = answer?.["answer"];
  return typeof label === "string" ? { ...base, label } : { ...base, problem: textIn(answer?.["problem"]) || "no answer" };
}

/** The text that people wrote where there is one, else the item as JSON. */
function textOf(item: Item): string {
  const text = textField(item, "text") || JSON.stringify(item);
  return text.slice(0, MAX_TEXT).toWellFormed();
}

function listOf(value: JsonValue): JsonObject[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "object" && entry !== null && !Array.isArray(entry)) : [];
}
