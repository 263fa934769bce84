import type { JsonObject } from "../../orchestrator/primitives/json.js";
import type { Item } from "./contract.js";
export type Direction = "ascending" | "descending";
/** Options of a service that puts items in order. */
export declare const ORDER: JsonObject;
/**
 * Items in order of a field, each with its `rank`; equal values share a rank and leave gaps after it (1, 2, 2, 4). In both directions
 * numbers come before texts and items without the field come last, those without a rank. Ties are in order of id.
 */
export declare function ranked(items: readonly Item[], field: string, direction: Direction): Item[];
