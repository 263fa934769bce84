import type { Item } from "./contract.js";
/**
 * The topic for which the most words speak: keywords count twice, then name and description, and a text when it is about the topic rather
 * than mentions it; its name and its first line count most. `unknown` when nothing speaks for any.
 */
export declare function topicOf(item: Item): string;
