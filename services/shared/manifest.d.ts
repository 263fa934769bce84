import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.js";
import type { Item } from "./contract.js";
/** What a package says of itself. Absent fields are "". */
export interface PackageFacts {
    readonly name: string;
    readonly version: string;
    /** As one SPDX expression, or whatever stands there. */
    readonly licence: string;
    readonly description: string;
    /** Names of the packages it needs at run time. */
    readonly needs: readonly string[];
}
/** From the manifest that an installed package has, else from the fields that another task read from it. */
export declare function packageFacts(item: Item): PackageFacts;
/** The licence as one SPDX expression; the two legacy spellings (an object, a list) are rewritten as one. */
export declare function licenceOf(manifest: JsonObject): string;
export declare function isObject(value: JsonValue | undefined): value is JsonObject;
export declare function stringOf(value: JsonValue | undefined): string;
