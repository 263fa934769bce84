import type { JsonObject } from "../../orchestrator/primitives/json.js";
/** Items with an id; `extra` are further fields every item must have. */
export declare function itemsOf(extra?: JsonObject, more?: JsonObject): JsonObject;
/** The input of a service that needs these fields of every item, its own or another task's. */
export declare function itemsInput(needed?: JsonObject): JsonObject;
/** The input of a service that takes items of any kind. */
export declare const SERVICE_INPUT: JsonObject;
/** Items whose fields are named by `extra`. */
export declare function itemsOutput(extra?: JsonObject): JsonObject;
/** Items that have more fields than `extra` names: which, depends on what they were made of. */
export declare function openOutput(extra?: JsonObject): JsonObject;
/** Items and a document for humans. */
export declare const DOCUMENT_OUTPUT: JsonObject;
/** One label and one topic for each item. */
export declare const LABELS_OUTPUT: JsonObject;
/** One number for each item. */
export declare const ESTIMATES_OUTPUT: JsonObject;
