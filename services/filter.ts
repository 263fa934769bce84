import type { JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { compareValues, FIELD, fieldOf, numberIn, textIn } from "./shared/fields.ts";
import { allItems } from "./shared/items.ts";
import { option, optionsSchema, textOption } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "filter",
  title: "Keeps the items that meet a condition",
  description:
    "Keeps only the items whose field is equal to, different from, above, below or contains a given value, and leaves the others out. Use it to select, exclude or narrow down rows, packages, files or results, for example those with label MIT, more than 1,000 words or no licence.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  drops: true,
  keepsFields: true,
  input: itemsInput(),
  output: itemsOutput(),
  options: optionsSchema(
    {
      field: { ...FIELD, "x-column": "any", description: "field to test, such as label or values.price" },
      op: {
        enum: ["equals", "differs", "less", "at-most", "more", "at-least", "contains", "one-of", "present", "missing"],
        default: "equals",
        description: "texts are compared without regard to case; less, at-most, more and at-least compare numbers",
      },
      value: {
        type: ["string", "number", "boolean", "array"],
        items: { type: ["string", "number", "boolean"] },
        maxItems: 200,
        description: "what to compare with; a list for one-of; none for present and missing",
      },
    },
    ["field"],
  ),
  capabilities: capabilities({ ordering: 80, aggregation: 80 }),
  deterministic: true,
};

/** An item without the field passes `missing` and nothing else: it is not known to differ from anything. */
const filter: Service = (input) => {
  const field = textOption(input, "field", "label");
  const passes = TESTS[textOption(input, "op", "equals")] ?? isEqual;
  const wanted = option(input, "value") ?? "";
  return { items: allItems(input).filter((item: Item) => passes(fieldOf(item, field), wanted)) };
};
export default filter;

type Test = (value: JsonValue | undefined, wanted: JsonValue) => boolean;

const isEqual: Test = (value, wanted) => value !== undefined && compareValues(lower(value), lower(wanted)) === 0;

/** Compares two numbers; anything else fails. */
function byNumber(holds: (difference: number) => boolean): Test {
  return (value, wanted) => {
    const [left, right] = [numberIn(value), numberIn(wanted)];
    return left !== undefined && right !== undefined && holds(left - right);
  };
}

const TESTS: Readonly<Record<string, Test>> = {
  equals: isEqual,
  differs: (value, wanted) => value !== undefined && !isEqual(value, wanted),
  less: byNumber((difference) => difference < 0),
  "at-most": byNumber((difference) => difference <= 0),
  more: byNumber((difference) => difference > 0),
  "at-least": byNumber((difference) => difference >= 0),
  contains: (value, wanted) =>
    isList(value) ? value.some((entry) => isEqual(entry, wanted)) : value !== undefined && lower(value).includes(lower(wanted)),
  "one-of": (value, wanted) => (isList(wanted) ? wanted : [wanted]).some((entry) => isEqual(value, entry)),
  present: (value) => value !== undefined && value !== "",
  missing: (value) => value === undefined || value === "",
};

function lower(value: JsonValue): string {
  return textIn(value).trim().toLowerCase();
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
