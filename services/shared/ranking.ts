import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import type { Item } from "./contract.ts";
import { compareValues, FIELD, fieldOf, numberIn } from "./fields.ts";
import { compareText } from "./items.ts";

export type Direction = "ascending" | "descending";

/** Options of a service that puts items in order. */
export const ORDER: JsonObject = {
  field: { ...FIELD, "x-column": "any", description: "field to compare, such as value, words or values.price" },
  direction: {
    enum: ["ascending", "descending"],
    default: "descending",
    description: "descending puts the largest first, ascending the smallest",
  },
};

/**
 * Items in order of a field, each with its `rank`; equal values share a rank and leave gaps after it (1, 2, 2, 4). In both directions
 * numbers come before texts and items without the field come last, those without a rank. Ties are in order of id.
 */
export function ranked(items: readonly Item[], field: string, direction: Direction): Item[] {
  const valued = items.map((item) => ({ item, value: fieldOf(item, field) }));
  const present = valued.flatMap(({ item, value }): { item: Item; value: JsonValue }[] => (value === undefined ? [] : [{ item, value }]));
  const sign = direction === "ascending" ? 1 : -1;
  const texts = (value: JsonValue): number => Number(numberIn(value) === undefined);
  const ordered = present.sort(
    (a, b) => texts(a.value) - texts(b.value) || sign * compareValues(a.value, b.value) || compareText(a.item.id, b.item.id),
  );
  let rank = 0;
  let before: JsonValue | undefined;
  const placed = ordered.map(({ item, value }, index) => {
    if (before === undefined || compareValues(before, value) !== 0) rank = index + 1;
    before = value;
    return { ...item, rank };
  });
  const absent = valued.flatMap(({ item, value }) => (value === undefined ? [unranked(item)] : []));
  return [...placed, ...absent.sort((a, b) => compareText(a.id, b.id))];
}

/** A rank from an earlier ranking says nothing in this one. */
function unranked(item: Item): Item {
  return { ...Object.fromEntries(Object.entries(item).filter(([key]) => key !== "rank")), id: item.id };
}
