import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { COLUMN, COLUMN_USES, type ColumnUse } from "../../primitives/json-schema.ts";
import { type Hints, MEASURES } from "./hints.ts";
import { type ItemField, namesIn, objectIn, typesOf } from "./skills.ts";
import { stemsIn } from "./words.ts";

/** The option with the value to compare a field with. */
const COMPARED = "value";

/** Options of a service, and how much of the goal they answer. */
export interface Filled {
  readonly options: JsonObject;
  /** Number of fields that the goal names or measures by, and of counts and orders it asks for; 0 if only defaults are used. */
  readonly meant: number;
}

/** A required option without a value. */
export interface Unfilled {
  readonly option: string;
}

/**
 * Fills a service's options from the goal and the fields that every item has at that point. An option with the keyword `x-column` names
 * fields. Options not mentioned in the goal keep the schema's default.
 */
export function fillOptions(schema: JsonObject | undefined, fields: readonly ItemField[], hints: Hints): Filled | Unfilled {
  if (schema === undefined) return { options: {}, meant: 0 };
  const required = namesIn(schema["required"]);
  const properties = Object.entries(objectIn(schema, "properties")).flatMap(([name, property]) =>
    isObject(property) ? [{ name, property }] : [],
  );
  const quantity = quantityIn(fields, hints);
  const uses = properties.map(({ property }) => columnUse(property));
  // A price is not a revenue unless it can be multiplied, and neither is a quantity.
  const figures = properties[uses.indexOf("number")];
  if (quantity !== undefined && figures !== undefined && !uses.includes("factor")) return { option: figures.name };
  const options: Record<string, JsonValue> = {};
  let meant = 0;
  for (const { name, property } of properties) {
    const chosen = Object.values(options);
    const isFactor = columnUse(property) === "factor";
    const found = isFactor ? factorOf(chosen, fields, quantity) : valueFor(name, property, fields, turnedFor(chosen, hints));
    if (found === undefined) {
      if (!mayStayEmpty(name, property, fields, hints, required)) return { option: name };
    } else {
      options[name] = found.value;
      meant += found.meant;
    }
  }
  return { options, meant };
}

/** Names of columns of unit prices, and of quantities, the likeliest first. */
const APIECE = stemsIn("price rate tariff");
const QUANTITY = stemsIn("quantity qty units pieces sold items number count");

function isApiece(field: ItemField): boolean {
  const stems = stemsIn(field.name);
  return (
    field.column === true &&
    isNumeric(field) &&
    (stems.some((stem) => APIECE.includes(stem)) || stems.join(" ") === stemsIn("unit cost").join(" "))
  );
}

/** The column to multiply prices by if a goal asks for money: "revenue per product" of rows with a price and a quantity. */
function quantityIn(fields: readonly ItemField[], { money, stems }: Hints): ItemField | undefined {
  if (!money || !fields.some(isApiece) || fields.some((field) => isApiece(field) && namedBy(field, stems) > 0)) return undefined;
  const place = ({ name }: ItemField) => QUANTITY.findIndex((stem) => stemsIn(name).includes(stem));
  return fields
    .filter((field) => field.column === true && isNumeric(field) && !isApiece(field) && place(field) >= 0)
    .toSorted((a, b) => place(a) - place(b))[0];
}

/** The multiplier for the chosen field, if it is a price. */
function factorOf(chosen: readonly JsonValue[], fields: readonly ItemField[], quantity: ItemField | undefined): Found | undefined {
  const isPriced = fields.some((field) => isApiece(field) && chosen.includes(field.name));
  return quantity !== undefined && isPriced ? { value: quantity.name, meant: 1 } : undefined;
}

/** The requested order, adapted to the chosen field: by age, the oldest are the greatest. */
function turnedFor(chosen: readonly JsonValue[], hints: Hints): Hints {
  const isOpposed = chosen.some((name) => typeof name === "string" && stemsIn(name).some((stem) => hints.opposed.includes(stem)));
  if (!isOpposed || hints.direction === undefined) return hints;
  return { ...hints, direction: hints.direction === "ascending" ? "descending" : "ascending" };
}

/**
 * Whether a default may stay: one that names a field needs items with that field, a comparison needs a value, and a request for groups is
 * not answered by all rows together.
 */
function mayStayEmpty(
  name: string,
  property: JsonObject,
  fields: readonly ItemField[],
  { groups }: Hints,
  required: readonly string[],
): boolean {
  const { default: given } = property;
  const use = columnUse(property);
  if (use === "factor") return true;
  if (use === "group" && groups.length > 0) return false;
  if (use !== undefined && isOne(property)) return fields.some((field) => field.name === given);
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
  const selected = hints.comparison === undefined ? hints.selected : undefined;
  if (use === "any" && selected !== undefined) return { value: selected.field, meant: 1 };
  if (use !== undefined && isOne(property)) return oneField(use, fields, hints);
  if (use !== undefined) return use === "group" ? dividers(property, fields, hints) : someFields(use, fields, hints);
  const { enum: choices } = property;
  if (Array.isArray(choices)) return choiceOf(choices, hints);
  if (name === COMPARED && selected !== undefined) return { value: selected.value, meant: 1 };
  if (name === COMPARED && hints.comparison !== undefined) return { value: hints.comparison.value, meant: 1 };
  if (isCount(property) && hints.most !== undefined) return { value: hints.most, meant: 1 };
  return undefined;
}

/** Whether a service does nothing useful without a field that the goal names. */
export function needsField(schema: JsonObject | undefined): boolean {
  const required = namesIn(schema?.["required"]);
  return Object.entries(objectIn(schema, "properties")).some(
    ([name, property]) => isObject(property) && columnUse(property) !== undefined && (isOne(property) || required.includes(name)),
  );
}

function isOne(property: JsonObject): boolean {
  return !typesOf(property).includes("array");
}

/** How an option uses the fields it names; undefined if it names none. */
export function columnUse({ [COLUMN]: use }: JsonObject): ColumnUse | undefined {
  return COLUMN_USES.find((known) => known === use);
}

/** Whether an option is a count. */
export function isCount(property: JsonObject): boolean {
  return (
    typesOf(property).includes("integer") && typeof property["description"] === "string" && /\bhow many\b/.test(property["description"])
  );
}

/** Fields that measure something: in few rows, dates may all differ just like order numbers. */
export function isMeasure(field: ItemField): boolean {
  return (
    isNumeric(field) && (field.telling !== true || stemsIn(field.name).some((stem) => MEASURES.includes(stem) || USUAL.includes(stem)))
  );
}

function isNumeric({ types }: ItemField): boolean {
  const present = types.filter((type) => type !== "null");
  return present.length > 0 && present.every((type) => type === "number" || type === "integer");
}

/** The field for an option: a divider for grouping, otherwise a measure. */
function oneField(use: ColumnUse, fields: readonly ItemField[], hints: Hints): Found | undefined {
  const scored = fields
    .filter(({ types }) => !types.includes("object") && !types.includes("array"))
    .map((field) => ({ field, score: use === "group" ? dividing(field, hints) : measuring(field, hints) }))
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  if (best !== undefined && best.score > 0) return { value: best.field.name, meant: best.score };
  const only = use === "number" && hints.direction !== undefined ? onlyMeasure(fields) : undefined;
  if (only !== undefined) return { value: only.name, meant: 1 };
  const usual = use === "number" ? usualMeasure(fields, hints) : undefined;
  return usual === undefined ? undefined : { value: usual.name, meant: 0 };
}

/** The only column by which rows can be ordered: the largest cities are those with the largest population. */
function onlyMeasure(fields: readonly ItemField[]): ItemField | undefined {
  const [only, ...more] = fields.filter((field) => field.column === true && isMeasure(field));
  return more.length === 0 ? only : undefined;
}

/** Usual measures in tables, the likeliest first: "sales per customer" names none of their columns. */
const USUAL = stemsIn("amount total revenue turnover sales value cost price sum hours days kb bytes size quantity units");

/** The column to add up per group if the goal names none and does not ask for a count. */
function usualMeasure(fields: readonly ItemField[], { groups, counts }: Hints): ItemField | undefined {
  if (groups.length === 0 || counts) return undefined;
  const measures = fields.filter((field) => field.column === true && isMeasure(field));
  const place = ({ name }: ItemField) =>
    Math.min(...stemsIn(name).map((stem) => (USUAL.includes(stem) ? USUAL.indexOf(stem) : USUAL.length)));
  const [best, second] = measures.toSorted((a, b) => place(a) - place(b));
  return best === undefined || (place(best) === USUAL.length && second !== undefined) ? undefined : best;
}

/** Names of periods for grouping dates. */
const PERIODS = stemsIn("day month quarter year");

/** Grouping columns, in the order of the goal's words; for "month" the dates, unless a column has that name. */
function dividers(property: JsonObject, fields: readonly ItemField[], hints: Hints): Found | undefined {
  const able = fields.filter((field) => !field.types.includes("object") && !field.types.includes("array") && dividing(field, hints) >= 0);
  const chosen = [...new Set(hints.groups)].flatMap((stem) => {
    const called = able.filter((field) => namedBy(field, [stem]) > 0).sort((a, b) => namedBy(b, [stem]) - namedBy(a, [stem]));
    return (called.length === 0 && PERIODS.includes(stem) ? able.filter(({ dates }) => dates === true) : called).slice(0, 1);
  });
  const names = [...new Set(chosen.map(({ name }) => name))].slice(0, Number(property["maxItems"] ?? 1));
  if (names.length === 0) return oneField("group", fields, hints);
  const [one] = names;
  return { value: names.length === 1 && one !== undefined ? one : names, meant: 3 * names.length };
}

/** Fields that the goal names: numeric ones, or columns of a table. */
function someFields(use: ColumnUse, fields: readonly ItemField[], hints: Hints): Found | undefined {
  const numbersOnly = use === "number";
  const chosen = fields.filter(
    (field) =>
      (numbersOnly ? isMeasure(field) : true) &&
      (field.column === true || numbersOnly) &&
      namedBy(field, hints.stems) > 0 &&
      namedBy(field, hints.groups) === 0,
  );
  if (chosen.length > 0) return { value: chosen.map(({ name }) => name), meant: chosen.length };
  const usual = numbersOnly ? usualMeasure(fields, hints) : undefined;
  return usual === undefined ? undefined : { value: [usual.name], meant: 0 };
}

function dividing(field: ItemField, hints: Hints): number {
  const asked = namedBy(field, hints.groups);
  // A measure is no grouping column, unless the goal says so.
  if (isNumeric(field) && (field.column !== true || (asked === 0 && isMeasure(field)))) return 0;
  return 3 * asked + namedBy(field, hints.stems);
}

function measuring(field: ItemField, hints: Hints): number {
  if (!isMeasure(field) || field.unasked === true) return 0;
  const named = namedBy(field, hints.stems) + (hints.comparison === undefined ? 0 : namedBy(field, hints.comparison.stems));
  const place = hints.measures.findIndex((measure) => (field.about ?? stemsIn(field.name)).includes(measure));
  const isAsked = hints.direction !== undefined || hints.comparison !== undefined;
  return 2 * named + (place < 0 ? 0 : 2 - place / 10) + (isAsked && field.name === "value" ? 0.1 : 0);
}

/** How much of a field's name these stems cover, 0–1. */
function namedBy({ name, about }: ItemField, stems: readonly string[]): number {
  if (about?.some((stem) => stems.includes(stem))) return 1;
  const own = stemsIn(name);
  return own.length === 0 ? 0 : own.filter((stem) => stems.includes(stem)).length / own.length;
}

/** Synonyms of choices. */
const ALSO: Readonly<Record<string, string>> = {
  mean: "average",
  sum: "total",
  max: "maximum greatest",
  min: "minimum least",
  day: "daily",
  month: "monthly",
  quarter: "quarterly",
  year: "yearly annual",
};

function choiceOf(choices: readonly JsonValue[], { direction, comparison, stems }: Hints): Found | undefined {
  if (direction !== undefined && choices.includes(direction)) return { value: direction, meant: 1 };
  if (comparison !== undefined && choices.includes(comparison.operator)) return { value: comparison.operator, meant: 1 };
  const named = choices.find(
    (choice) => typeof choice === "string" && stemsIn(`${choice} ${ALSO[choice] ?? ""}`).some((stem) => stems.includes(stem)),
  );
  return named === undefined ? undefined : { value: named, meant: 1 };
}
