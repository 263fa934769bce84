/**
 * How often each word that carries meaning occurs: without the stop words of the language that the text has most of, numbers and words of
 * one or two letters. Most frequent first, then by first appearance.
 */
export declare function frequentWords(text: string): Map<string, number>;
