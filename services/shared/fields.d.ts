import type { JsonValue } from "../../orchestrator/primitives/json.js";
import type { Item } from "./contract.js";
/** JSON Schema of an option that names a field. */
export declare const FIELD: {
    readonly type: "string";
    readonly minLength: 1;
    readonly maxLength: 200;
};
/**
 * The value at a path such as `price` or `values.price`. Keys that contain dots are found as well. Only what the item itself holds is
 * looked at, never what objects inherit. Undefined and null are missing.
 */
export declare function fieldOf(item: Item, path: string): JsonValue | undefined;
/** A number, or a text that is written as one: `12`, `-0.5`, `1e3`. */
export declare function numberIn(value: JsonValue | undefined): number | undefined;
/** A value as people read it: texts as they are, lists by commas, objects as JSON. */
export declare function textIn(value: JsonValue | undefined): string;
/** Numbers, by size, come before everything else, by code unit. */
export declare function compareValues(a: JsonValue, b: JsonValue): number;
