import { isMissing, numberOf } from "../../../services/shared/cells.ts";
import { isoDate } from "../../../services/shared/dates.ts";
import type { ItemField } from "../../minds/planner/skills.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";

/** Share of different values from which on a column makes no groups. */
const SHARED = 0.75;
/** So many different whole numbers, one a row, tell rows apart. */
const MIN_ROWS = 5;
/** A column of more values, and a longer value, is none that goals name. */
const MAX_NAMED = 200;
const LONGEST_NAME = 60;
/** The place of a table's row, beside its cells. */
const ROW = "row";

/**
 * What every item of an input has, beside `id`, by the types of its values: what producers plan with where a mission file names no tasks. The
 * columns of a table are among them, with what their cells are.
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

/** A column is of numbers or dates when each of its cells is one or says that there is none, and some are. */
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

/** Whole numbers that are near each other, and none twice, as numbers of orders or invoices are. */
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
