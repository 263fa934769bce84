import type { Item } from "./contract.js";
/** Guesses of one quantity, least first. */
export type Guesses = readonly number[];
/** The numeric cells of a row, ascending; numbers made by another service under `value` when it has no cells. */
export declare function guessesOf(item: Item): Guesses;
/** An item with its estimate, rounded to thousandths so that it prints as it is compared; none without guesses. */
export declare function estimated(item: Item, estimate: (guesses: Guesses) => number): Item[];
export declare function mean(values: Guesses): number;
export declare function median(values: Guesses): number;
