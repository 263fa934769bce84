import type { JsonValue } from "../../orchestrator/primitives/json.js";
/** What may not stand in a record, and would make the service that copies it fail: halves of characters, `__proto__`, bottomless nesting. */
/** At most `most` code units of one line of text, never half a character. */
export declare function quoted(text: string, most: number): string;
/** JSON from outside as plain data, or undefined when it is none or is nested more than `depth` deep. */
export declare function jsonOf(text: string, depth?: number): JsonValue | undefined;
