/** How a language writes comments. */
export interface Language {
    readonly name: string;
    /** What makes a comment of the rest of the line. */
    readonly line: readonly string[];
    readonly block?: readonly [open: string, close: string];
    /** Documentation between lines of its own. */
    readonly paragraph?: {
        readonly open: RegExp;
        readonly close: RegExp;
    };
    /** The line after which no code follows. */
    readonly end?: RegExp;
}
/** The language of a file by its ending, its name or the interpreter that its first line names; undefined if none of them tells. */
export declare function languageOf(path: string, text?: string): Language | undefined;
/** Whether a file is written for people. */
export declare function isProse({ name }: Language): boolean;
/** JavaScript or TypeScript, which are read by a parser. */
export declare function isScript({ name }: Language): boolean;
export interface LineCounts {
    readonly lines: number;
    readonly blank: number;
    readonly comments: number;
    readonly code: number;
}
/**
 * Counts lines as `cloc` does: a line with code and a comment is code; what looks like a comment within a string is taken for one.
 * A line break at the end of the text opens no further line.
 */
export declare function countLines(text: string, language: Language): LineCounts;
