import type { JsonValue } from "../../orchestrator/primitives/json.ts";
import type { Item } from "./contract.ts";
import { compareText } from "./items.ts";

/** JSON Schema of an option that names a field. */
export const FIELD = { type: "string", minLength: 1, maxLength: 200 } as const;

/** Where the cells of a table lie: `price` finds them there too, read as numbers before written as text. */
const TABLES = ["values", "fields"];

/**
 * The value at a path such as `price` or `values.price`. Keys that contain dots are found as well. Only what the item itself holds is
 * looked at, never what objects inherit. Undefined and null are missing.
 */
export function fieldOf(item: Item, path: string): JsonValue | undefined {
  const found = at(item, path);
  if (found !== undefined) return found;
  for (const table of TABLES) {
    const cell = at(item[table], path);
    if (cell !== undefined) return cell;
  }
  return undefined;
}

function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const children = new Map(Object.entries(value));
  const own = children.get(path);
  if (own !== undefined && own !== null) return own;
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const found = at(children.get(path.slice(0, dot)), path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A number, or a text that is written as one: `12`, `-0.5`, `1e3`. */
export function numberIn(value: JsonValue | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A value as people read it: texts as they are, lists by commas, objects as JSON. */
export function textIn(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map(textIn).join(", ") : JSON.stringify(value);
}

/** Numbers, by size, come before everything else, by code unit. */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const [left, right] = [numberIn(a), numberIn(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
  return compareText(textIn(a), textIn(b));
}
