import { isObject, type JsonObject } from "../../primitives/json.ts";
import { columnUse, isCount } from "./fill-options.ts";
import type { Hints } from "./hints.ts";
import { type ItemField, objectIn } from "./skills.ts";
import { stemsIn } from "./words.ts";

/** What a goal asks for by its form and not by one word: "per region", "over 65", "the largest", "five of them". */
export type Ask = "group" | "comparison" | "order" | "most";

/** What a goal asks for. */
export function asksIn({ groups, comparison, direction, most }: Hints): readonly Ask[] {
  const asked = {
    group: groups.length > 0,
    comparison: comparison !== undefined,
    order: direction !== undefined,
    most: most !== undefined,
  };
  return (["group", "comparison", "order", "most"] as const).filter((ask) => asked[ask]);
}

/** Those of them that say what is to be done as well as a verb does: they are about a column of the input, or say how many are wanted. */
export function firmAsks({ groups, comparison, most }: Hints, fields: readonly ItemField[]): readonly Ask[] {
  const columns = columnStems(fields);
  const isColumn = (stems: readonly string[] = []) => stems.some((stem) => columns.includes(stem));
  return [
    ...(isColumn(groups) ? ["group" as const] : []),
    ...(isColumn(comparison?.stems) ? ["comparison" as const] : []),
    ...(most === undefined ? [] : ["most" as const]),
  ];
}

/** Stems of the columns' names. */
export function columnStems(fields: readonly ItemField[]): readonly string[] {
  return fields.flatMap(({ name, column }) => (column === true ? stemsIn(name) : []));
}

/** What the options of a service can take. */
export function takes(schema: JsonObject | undefined): readonly Ask[] {
  return Object.entries(objectIn(schema, "properties")).flatMap(([name, property]): Ask[] => {
    if (!isObject(property)) return [];
    if (columnUse(property) === "group") return ["group"];
    if (Array.isArray(property["enum"]) && property["enum"].includes("descending")) return ["order"];
    if (isCount(property)) return ["most"];
    return name === "value" ? ["comparison"] : [];
  });
}
