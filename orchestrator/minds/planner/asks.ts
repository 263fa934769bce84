import { isObject, type JsonObject } from "../../primitives/json.ts";
import { columnUse, isCount, isMeasure } from "./fill-options.ts";
import type { Hints } from "./hints.ts";
import { type ItemField, objectIn } from "./skills.ts";
import { isSum, stemsIn } from "./words.ts";

/**
 * What the form of a goal asks for, as opposed to single words: "per region", "over 65", "the largest", "five of them", "the average
 * price", "in the north".
 */
const ASKS = ["group", "comparison", "selection", "order", "most", "figure"] as const;
export type Ask = (typeof ASKS)[number];

/** What a goal asks for. */
export function asksIn(hints: Hints, fields: readonly ItemField[]): readonly Ask[] {
  const { groups, comparison, selected, direction, most } = hints;
  const asked = {
    group: groups.length > 0,
    comparison: comparison !== undefined,
    selection: selected !== undefined,
    order: direction !== undefined,
    most: most !== undefined,
    figure: isFigure(hints, fields),
  };
  return ASKS.filter((ask) => asked[ask]);
}

/** "The average price", "revenue per product": an aggregate of a numeric column, not a row. */
function isFigure({ stems, matters, direction, comparison }: Hints, fields: readonly ItemField[]): boolean {
  const measures = columnStems(fields.filter(isMeasure));
  if (stems.some(isSum) && stems.some((stem) => measures.includes(stem))) return true;
  return direction === undefined && comparison === undefined && matters.some((stem) => measures.includes(stem));
}

/** Asks that specify an action as clearly as a verb does: they are about a column of the input, or state a number. */
export function firmAsks(hints: Hints, fields: readonly ItemField[]): readonly Ask[] {
  const { groups, comparison, selected, most } = hints;
  const columns = columnStems(fields);
  const isColumn = (stems: readonly string[] = []) => stems.some((stem) => columns.includes(stem));
  return [
    ...(isColumn(groups) ? ["group" as const] : []),
    ...(isColumn(comparison?.stems) ? ["comparison" as const] : []),
    ...(selected === undefined ? [] : ["selection" as const]),
    ...(most === undefined ? [] : ["most" as const]),
    ...(isFigure(hints, fields) ? ["figure" as const] : []),
  ];
}

/** Stems of the column names. */
export function columnStems(fields: readonly ItemField[]): readonly string[] {
  return fields.flatMap(({ name, column }) => (column === true ? stemsIn(name) : []));
}

/** An option, or a choice of one, that aggregates. */
const ADDS_UP = "sum";

/** Asks that the options of a service can answer. */
export function takes(schema: JsonObject | undefined): readonly Ask[] {
  return Object.entries(objectIn(schema, "properties")).flatMap(([name, property]): Ask[] => {
    if (!isObject(property)) return [];
    if (columnUse(property) === "group") return ["group"];
    const { enum: choices } = property;
    if (name === ADDS_UP || (Array.isArray(choices) && choices.includes(ADDS_UP))) return ["figure"];
    if (Array.isArray(choices) && choices.includes("descending")) return ["order"];
    if (isCount(property)) return ["most"];
    return name === "value" ? ["comparison", "selection"] : [];
  });
}
