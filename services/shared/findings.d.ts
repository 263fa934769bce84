import type { JsonObject } from "../../orchestrator/primitives/json.js";
import type { Item } from "./contract.js";
/** A kind of thing that is looked for. Every pattern is linear in the text. */
export interface Rule {
    readonly name: string;
    readonly pattern: RegExp;
    /** Part of the match that is the thing itself; the whole without it. */
    readonly group?: number;
    /** What looks like it but is not. */
    readonly holds?: (found: string) => boolean;
}
/** JSON Schema of `findings`. */
export declare const FINDINGS: JsonObject;
/** What the rules find in a text, in its order, masked: a report must not spread what it warns of. */
export declare function scan(item: Item, rules: readonly Rule[], label: (rules: readonly string[]) => string): Item;
