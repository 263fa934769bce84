/** Rows of one table or list; further ones are only counted. */
export declare const MOST_ROWS = 50;
/** A table, or "" without rows. Cells cannot break out of it; what is more than `most` rows is counted in the last one. */
export declare function table(head: readonly string[], rows: readonly (readonly string[])[], most?: number): string;
/** A list, or "" when empty. */
export declare function bullets(lines: readonly string[], most?: number): string;
/** A name as code: it is quoted data from outside, never mark-up. */
export declare function code(text: string): string;
/** Text from outside in one line: nothing in it is mark-up, and no control character comes through. */
export declare function words(text: string): string;
/** Part of a whole in percent, one decimal. */
export declare function share(part: number, whole: number): string;
