import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { COLUMN, COLUMN_USES, type ColumnUse } from "../../primitives/json-schema.ts";
import type { Hints } from "./hints.ts";
import { type ItemField, namesIn, objectIn, typesOf } from "./skills.ts";
import { stemsIn } from "./words.ts";

/** The option that a field is compared with. */
const COMPARED = "value";

/** Options of a service, and how much of the goal they answer. */
export interface Filled {
  readonly options: JsonObject;
  /** Fields that the goal names or measures by, and a number or an order it asks for; 0 when all is left to defaults. */
  readonly meant: number;
}

/** An option that has no value here, and must have one. */
export interface Unfilled {
  readonly option: string;
}

/**
 * Fills a service's options with what the goal says, from the fields that every item has there. An option with the keyword `x-column` names
 * fields. What the goal says nothing about keeps the schema's default.
 */
export function fillOptions(schema: JsonObject | undefined, fields: readonly ItemField[], hints: Hints): Filled | Unfilled {
  if (schema === undefined) return { options: {}, meant: 0 };
  const required = namesIn(schema["required"]);
  const options: Record<string, JsonValue> = {};
  let meant = 0;
  for (const [name, property] of Object.entries(objectIn(schema, "properties"))) {
    if (!isObject(property)) continue;
    const found = valueFor(name, property, fields, hints);
    if (found === undefined) {
      if (!mayStayEmpty(name, property, fields, required)) return { option: name };
    } else {
      options[name] = found.value;
      meant += found.meant;
    }
  }
  return { options, meant };
}

/** A default that names a field is one only where items have it, and to compare with nothing compares nothing. */
function mayStayEmpty(name: string, property: JsonObject, fields: readonly ItemField[], required: readonly string[]): boolean {
  const { default: given } = property;
  if (columnUse(property) !== undefined && isOne(property)) return fields.some((field) => field.name === given);
  if (name === COMPARED) return false;
  return given !== undefined || !required.includes(name);
}

interface Found {
  readonly value: JsonValue;
  readonly meant: number;
}

function valueFor(name: string, property: JsonObject, fields: readonly ItemField[], hints: Hints): Found | undefined {
  const use = columnUse(property);
  if (use === "key") return undefined;
  if (use !== undefined) return isOne(property) ? oneField(use, fields, hints) : someFields(use, fields, hints);
  const { enum: choices } = property;
  if (Array.isArray(choices)) return choiceOf(choices, hints);
  if (name === COMPARED && hints.comparison !== undefined) return { value: hints.comparison.value, meant: 1 };
  if (isCount(property) && hints.most !== undefined) return { value: hints.most, meant: 1 };
  return undefined;
}

/** Whether a service does nothing of its own without a field that the goal means. */
export function needsField(schema: JsonObject | undefined): boolean {
  return Object.values(objectIn(schema, "properties")).some(
    (property) => isObject(property) && columnUse(property) !== undefined && isOne(property),
  );
}

function isOne(property: JsonObject): boolean {
  return !typesOf(property).includes("array");
}

/** What an option names fields for; undefined where it names none. */
export function columnUse({ [COLUMN]: use }: JsonObject): ColumnUse | undefined {
  return COLUMN_USES.find((known) => known === use);
}

/** Whether an option says how many. */
export function isCount(property: JsonObject): boolean {
  return (
    typesOf(property).includes("integer") && typeof property["description"] === "string" && /\bhow many\b/.test(property["description"])
  );
}

function isNumeric({ types }: ItemField): boolean {
  return types.length > 0 && types.every((type) => type === "number" || type === "integer");
}

/** The field an option should name: what divides for one that groups, else what is measured. */
function oneField(use: ColumnUse, fields: readonly ItemField[], hints: Hints): Found | undefined {
  const scored = fields
    .filter(({ types }) => !types.includes("object") && !types.includes("array"))
    .map((field) => ({ field, score: use === "group" ? dividing(field, hints) : measuring(field, hints) }))
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  return best === undefined || best.score <= 0 ? undefined : { value: best.field.name, meant: best.score };
}

/** Fields that the goal names: numeric ones, or columns of a table. */
function someFields(use: ColumnUse, fields: readonly ItemField[], hints: Hints): Found | undefined {
  const numbersOnly = use === "number";
  const chosen = fields.filter(
    (field) =>
      (numbersOnly ? isNumeric(field) : true) &&
      (field.column === true || numbersOnly) &&
      namedBy(field, hints.stems) > 0 &&
      namedBy(field, hints.groups) === 0,
  );
  return chosen.length === 0 ? undefined : { value: chosen.map(({ name }) => name), meant: chosen.length };
}

function dividing(field: ItemField, hints: Hints): number {
  if (isNumeric(field) && field.column !== true) return 0;
  return 3 * namedBy(field, hints.groups) + namedBy(field, hints.stems);
}

function measuring(field: ItemField, hints: Hints): number {
  if (!isNumeric(field)) return 0;
  const named = namedBy(field, hints.stems) + (hints.comparison === undefined ? 0 : namedBy(field, hints.comparison.stems));
  const place = hints.measures.findIndex((measure) => stemsIn(field.name).includes(measure));
  const isAsked = hints.direction !== undefined || hints.comparison !== undefined;
  return 2 * named + (place < 0 ? 0 : 2 - place / 10) + (isAsked && field.name === "value" ? 0.1 : 0);
}

/** How much of a field's name these stems say, 0–1. */
function namedBy({ name, about }: ItemField, stems: readonly string[]): number {
  if (about?.some((stem) => stems.includes(stem))) return 1;
  const own = stemsIn(name);
  return own.length === 0 ? 0 : own.filter((stem) => stems.includes(stem)).length / own.length;
}

/** Words that ask for a choice of another name. */
const ALSO: Readonly<Record<string, string>> = { mean: "average", sum: "total", max: "maximum greatest", min: "minimum least" };

function choiceOf(choices: readonly JsonValue[], { direction, comparison, stems }: Hints): Found | undefined {
  if (direction !== undefined && choices.includes(direction)) return { value: direction, meant: 1 };
  if (comparison !== undefined && choices.includes(comparison.operator)) return { value: comparison.operator, meant: 1 };
  const named = choices.find(
    (choice) => typeof choice === "string" && stemsIn(`${choice} ${ALSO[choice] ?? ""}`).some((stem) => stems.includes(stem)),
  );
  return named === undefined ? undefined : { value: named, meant: 1 };
}
