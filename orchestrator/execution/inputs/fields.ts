import type { ItemField } from "../../minds/planner/skills.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";

/**
 * What every item of an input has, beside `id`, by the types of its values: what producers plan with where a mission file names no tasks. The
 * columns of a table are among them; one is numeric when each of its cells is a number or empty, and not all are empty.
 */
export function fieldsOf(items: readonly JsonObject[]): ItemField[] {
  const [first] = items;
  if (first === undefined) return [];
  const names = Object.keys(first).filter((name) => name !== "id" && items.every((item) => item[name] !== undefined));
  const fields = names.map((name) => ({ name, types: typesOf(items.map((item) => item[name])) }));
  const columns = Object.keys(cellsOf(first)).map((name) => {
    const cells = items.map((item) => String(cellsOf(item)[name] ?? "").trim()).filter((cell) => cell !== "");
    const numeric = cells.length > 0 && cells.every((cell) => Number.isFinite(Number(cell)));
    return { name, types: [numeric ? "number" : "string"], column: true };
  });
  return [...fields, ...columns];
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
