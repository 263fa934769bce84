/** Lower-case words: letters, digits and inner hyphens. */
export declare function wordsOf(text: string): string[];
/** Lines without surrounding space or mark-up of headings, quotes and emphasis; empty lines left out. */
export declare function plainLines(text: string): string[];
/** UTF-8 bytes; lone surrogates become U+FFFD, as TextEncoder does (a service's realm has none). */
export declare function utf8(text: string): Uint8Array;
/** Words as people count them: apostrophes and hyphens within a word belong to it. */
export declare function countedWords(text: string): string[];
/** Sentences of running text: ended by a full stop, a question or exclamation mark before a space, or by an empty line. */
export declare function sentencesOf(text: string): string[];
