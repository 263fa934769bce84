import type { Dissent, Item, ServiceInput } from "./contract.ts";

/** Everything there is to work on: the mission's own items, then those of earlier nodes, first occurrence of an id first. */
export function allItems(input: ServiceInput): Item[] {
  const seen = new Map<string, Item>();
  for (const item of [...input.items, ...input.upstream.flatMap(({ items }) => items)]) {
    if (!seen.has(item.id)) seen.set(item.id, item);
  }
  return [...seen.values()];
}

/** Every disagreement reported by earlier nodes, by id. */
export function allDissent(input: ServiceInput): Dissent[] {
  return input.upstream.flatMap(({ dissent }) => dissent).sort((a, b) => compareText(a.id, b.id));
}

/** A text field, or "" when the item has none. */
export function textField(item: Item, name: string): string {
  const value = item[name];
  return typeof value === "string" ? value : "";
}

/** The texts of a list field. */
export function listField(item: Item, name: string): string[] {
  const value = item[name];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

/** Order of code units: the same in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
