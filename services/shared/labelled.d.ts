import type { Item } from "./contract.js";
/** The short answer about an item: what it is, its label and its topic. */
export declare function labelled(item: Item, label: string): Item;
