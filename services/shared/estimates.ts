import type { Item } from "./contract.ts";
import { textField } from "./items.ts";

/** Guesses of one quantity, least first. */
export type Guesses = readonly number[];

/** The numeric cells of a row, ascending; numbers made by another service under `value` when it has no cells. */
function guessesOf(item: Item): Guesses {
  const cells = item["values"];
  const found: unknown[] = typeof cells === "object" && cells !== null ? Object.values(cells) : [item["value"]];
  return found.filter((cell) => typeof cell === "number").sort((a, b) => a - b);
}

/** An item with its estimate, rounded to thousandths so that it prints as it is compared; none without guesses. */
export function estimated(item: Item, estimate: (guesses: Guesses) => number): Item[] {
  const guesses = guessesOf(item);
  if (guesses.length === 0) return [];
  return [{ id: item.id, name: nameOf(item), value: Math.round(estimate(guesses) * 1_000) / 1_000 }];
}

/** The first text cell of a row says what it is about. */
function nameOf(item: Item): string {
  const fields = item["fields"];
  const cells: unknown[] = typeof fields === "object" && fields !== null ? Object.values(fields) : [];
  const text = cells.find((cell) => typeof cell === "string" && !/^[\s\d.+-]*$/.test(cell));
  return typeof text === "string" ? text : textField(item, "name") || item.id;
}

export function mean(values: Guesses): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: Guesses): number {
  const middle = Math.floor(values.length / 2);
  const upper = values[middle] ?? 0;
  return values.length % 2 === 1 ? upper : (upper + (values[middle - 1] ?? upper)) / 2;
}
