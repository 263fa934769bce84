/** The smallest hashes of a text's runs of words, ascending: a sample that is the same for the same text (bottom-k sketch). */
export declare function sketchOf(text: string): readonly number[];
/** Share of the runs of two texts that both have (Jaccard), estimated from their sketches; exact for short texts. */
export declare function overlapOf(a: readonly number[], b: readonly number[]): number;
