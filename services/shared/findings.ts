import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import type { Item } from "./contract.ts";
import { textField } from "./items.ts";

/** A kind of thing that is looked for. Every pattern is linear in the text. */
export interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  /** Part of the match that is the thing itself; the whole without it. */
  readonly group?: number;
  /** What looks like it but is not. */
  readonly holds?: (found: string) => boolean;
}

/** Findings of one text that are listed; all are counted. */
const LISTED = 50;

/** JSON Schema of `findings`. */
export const FINDINGS: JsonObject = {
  type: "array",
  items: {
    type: "object",
    properties: { rule: { type: "string" }, line: { type: "integer" }, masked: { type: "string" } },
    required: ["rule", "line", "masked"],
  },
};

/** What the rules find in a text, in its order, masked: a report must not spread what it warns of. */
export function scan(item: Item, rules: readonly Rule[], label: (rules: readonly string[]) => string): Item {
  const text = textField(item, "text");
  const taken: { rule: string; at: number; end: number; masked: string }[] = [];
  for (const { name, pattern, group = 0, holds } of rules) {
    for (const match of text.matchAll(pattern)) {
      const found = match[group] ?? match[0];
      const at = match.index + Math.max(0, match[0].indexOf(found));
      const end = at + found.length;
      // The first rule that fits names it.
      if (holds?.(found) === false || taken.some((other) => at < other.end && end > other.at)) continue;
      taken.push({ rule: name, at, end, masked: mask(found) });
    }
  }
  taken.sort((a, b) => a.at - b.at);
  const lines = lineCounter(text);
  const names = [...new Set(taken.map(({ rule }) => rule))];
  return {
    id: item.id,
    name: textField(item, "name") || item.id,
    label: label(names),
    value: taken.length,
    findings: taken.slice(0, LISTED).map(({ rule, at, masked }) => ({ rule, line: lines(at), masked })),
  };
}

/** The number of the line of a place; places must ascend. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let from = 0;
  return (at) => {
    for (let next = text.indexOf("\n", from); next >= 0 && next < at; next = text.indexOf("\n", from)) {
      line += 1;
      from = next + 1;
    }
    return line;
  };
}

/** The first two characters, and how long it is. */
function mask(found: string): string {
  const characters = [...found.toWellFormed()];
  return `${characters.slice(0, 2).join("")}… (${characters.length} characters)`;
}
