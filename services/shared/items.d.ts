import type { Dissent, Item, ServiceInput } from "./contract.js";
/** Everything there is to work on: the mission's own items, then those of earlier nodes, first occurrence of an id first. */
export declare function allItems(input: ServiceInput): Item[];
/** Every disagreement reported by earlier nodes, by id. */
export declare function allDissent(input: ServiceInput): Dissent[];
/** A text field, or "" when the item has none. */
export declare function textField(item: Item, name: string): string;
/** The texts of a list field. */
export declare function listField(item: Item, name: string): string[];
/** Order of code units: the same in every locale. */
export declare function compareText(a: string, b: string): number;
