import type { JsonValue } from "../../orchestrator/primitives/json.ts";

/** What may not stand in a record, and would make the service that copies it fail: halves of characters, `__proto__`, bottomless nesting. */

/** At most `most` code units of one line of text, never half a character. */
export function quoted(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= most
    ? line.toWellFormed()
    : `${line
        .slice(0, most - 1)
        .replace(/[\ud800-\udbff]$/, "")
        .toWellFormed()}…`;
}

/** JSON from outside as plain data, or undefined when it is none or is nested more than `depth` deep. */
export function jsonOf(text: string, depth = 32): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text.replace(/^\uFEFF/, ""));
    return cleaned(value, depth);
  } catch {
    return undefined;
  }
}

function cleaned(value: JsonValue, depth: number): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new RangeError("nested too deeply");
  if (isList(value)) return value.map((child) => cleaned(child, depth - 1));
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(entries.map(([key, child]) => [key.toWellFormed(), cleaned(child, depth - 1)]));
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
