import { isMissing, numberOf } from "../../../services/shared/cells.ts";
import { isoDate } from "../../../services/shared/dates.ts";
import type { ItemField } from "../../minds/planner/skills.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";

/** Share of distinct values from which a column is unsuitable for grouping. */
const SHARED = 0.75;
/** Number of rows from which distinct whole numbers count as identifiers. */
const MIN_ROWS = 5;
/** Limits for column values that goals may refer to: number of values, and length of each. */
const MAX_NAMED = 200;
const LONGEST_NAME = 60;
/** The position of a table's row, next to its cells. */
const ROW = "row";

/**
 * Fields that every item of an input has, apart from `id`, with the types of their values: producers plan with them if the mission file
 * names no tasks. Includes the columns of a table, described by their cells.
 */
export function fieldsOf(items: readonly JsonObject[]): ItemField[] {
  const [first] = items;
  if (first === undefined) return [];
  const names = Object.keys(first).filter((name) => name !== "id" && items.every((item) => item[name] !== undefined));
  const fields = names.map((name) => ({
    name,
    types: typesOf(items.map((item) => item[name])),
    ...(name === ROW ? { telling: true } : {}),
  }));
  const columns = Object.keys(cellsOf(first)).map((name) =>
    columnOf(
      name,
      items.map((item) => String(cellsOf(item)[name] ?? "")),
    ),
  );
  return [...fields, ...columns];
}

/** A column contains numbers or dates if each of its cells is one or blank, and some are not blank. */
function columnOf(name: string, cells: readonly string[]): ItemField {
  const present = cells.filter((cell) => !isMissing(cell));
  const numbers = present.flatMap((cell) => numberOf(cell) ?? []);
  const isAll = (count: number) => count > 0 && count === present.length;
  const numeric = isAll(numbers.length);
  const dates = !numeric && isAll(present.filter((cell) => isoDate(cell.trim().replace(TIME, ""), false) !== undefined).length);
  const telling = numeric && numbers.length >= MIN_ROWS && areDifferent(numbers);
  const different = [...new Set(present.map((cell) => cell.trim()))];
  const isShared = different.length < SHARED * present.length;
  const isNaming = isShared && !numeric && !dates && different.length <= MAX_NAMED;
  return {
    name,
    types: [numeric ? "number" : "string"],
    column: true,
    ...(dates ? { dates } : {}),
    ...(isShared ? { shared: true } : {}),
    ...(isNaming ? { holds: different.filter((cell) => cell.length <= LONGEST_NAME) } : {}),
    ...(telling ? { telling } : {}),
  };
}

const TIME = /[T ]\d{2}:\d{2}.*$/;

/** Whole numbers close to each other without duplicates, such as order or invoice numbers. */
function areDifferent(numbers: readonly number[]): boolean {
  if (!numbers.every(Number.isInteger) || new Set(numbers).size < numbers.length) return false;
  const least = numbers.reduce((a, b) => Math.min(a, b));
  const most = numbers.reduce((a, b) => Math.max(a, b));
  return most - least < 2 * numbers.length;
}

function cellsOf(item: JsonObject): JsonObject {
  const cells = item["fields"];
  return isObject(cells) ? cells : {};
}

function typesOf(values: readonly (JsonValue | undefined)[]): string[] {
  return [...new Set(values.map(typeOf))].sort();
}

function typeOf(value: JsonValue | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
